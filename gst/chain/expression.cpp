// SPDX-License-Identifier: LGPL-2.1-or-later
#include "expression.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "opencl/error.h"

namespace glcl::chain {

namespace {

constexpr int most_nested = 32;

struct Function {
  size_t arguments;
  double (*compute)(const std::vector<double> &);
};

const std::map<std::string, Function> &functions() {
  using List = const std::vector<double> &;
  static const auto *all = new std::map<std::string, Function>{
      {"exp", {1, [](List a) { return std::exp(a[0]); }}},
      {"log", {1, [](List a) { return std::log(a[0]); }}},
      {"sqrt", {1, [](List a) { return std::sqrt(a[0]); }}},
      {"ceil", {1, [](List a) { return std::ceil(a[0]); }}},
      {"floor", {1, [](List a) { return std::floor(a[0]); }}},
      {"abs", {1, [](List a) { return std::fabs(a[0]); }}},
      {"pow", {2, [](List a) { return std::pow(a[0], a[1]); }}},
      {"min", {2, [](List a) { return std::min(a[0], a[1]); }}},
      {"max", {2, [](List a) { return std::max(a[0], a[1]); }}}};
  return *all;
}

}  // namespace

void fail(const Place &place, const std::string &text) {
  throw Error(Error::Kind::settings, place.file + ":" + std::to_string(place.line) + ": " + text);
}

void Cursor::skip(char comment) {
  while (!done()) {
    if (comment && peek() == comment)
      while (!done() && peek() != '\n') at_++;
    else if (g_ascii_isspace(peek()))
      take();
    else
      return;
  }
}

char Cursor::take() {
  const char taken = peek();
  if (taken == '\n') place_.line++;
  at_++;
  return taken;
}

bool Cursor::accept(char wanted) {
  if (done() || peek() != wanted) return false;
  take();
  return true;
}

std::string Cursor::name() {
  std::string name;
  while (g_ascii_isalpha(peek()) || peek() == '_' || (!name.empty() && g_ascii_isdigit(peek())))
    name += take();
  return name;
}

double Cursor::number() {
  const char *begin = text_.c_str() + at_;
  char *end = nullptr;
  const double value = g_ascii_strtod(begin, &end);
  if (end == begin || !std::isfinite(value)) fail(place_, "a number was expected here.");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

/// A number, a name or call with its arguments, or an operator as a name with two.
struct Expression::Node {
  double value = 0;
  std::string name;
  std::vector<std::shared_ptr<const Node>> arguments;

  double evaluate(const Scope &scope) const {
    if (name.empty()) return value;
    std::vector<double> values;
    for (const auto &argument : arguments) values.push_back(argument->evaluate(scope));
    if (name == "+") return values[0] + values[1];
    if (name == "-") return values[0] - values[1];
    if (name == "*") return values[0] * values[1];
    if (name == "/") return values[0] / values[1];
    const auto known = functions().find(name);
    if (known != functions().end() && known->second.arguments == values.size())
      return known->second.compute(values);
    return scope(name, values);
  }
};

namespace {

using Node = std::shared_ptr<const Expression::Node>;

Node operation(char name, Node left, Node right) {
  return std::make_shared<Expression::Node>(
      Expression::Node{0, std::string(1, name), {std::move(left), std::move(right)}});
}

class Parser {
 public:
  explicit Parser(Cursor &cursor) : cursor_(cursor) {}

  Node sum() {
    if (++depth_ > most_nested) fail(cursor_.place(), "the expression is nested too deep.");
    Node left = product();
    while (next() == '+' || next() == '-') {
      const char sign = cursor_.take();
      left = operation(sign, left, product());
    }
    depth_--;
    return left;
  }

 private:
  char next() {
    cursor_.skip();
    return cursor_.peek();
  }

  Node product() {
    Node left = factor();
    while (next() == '*' || next() == '/') {
      const char sign = cursor_.take();
      left = operation(sign, left, factor());
    }
    return left;
  }

  Node factor() {
    bool negative = false;
    while (next() == '-') {
      cursor_.take();
      negative = !negative;
    }
    Node value = primary();
    return negative ? operation('-', std::make_shared<Expression::Node>(), value) : value;
  }

  Node primary() {
    if (next() == '(') {
      cursor_.take();
      Node inner = sum();
      close();
      return inner;
    }
    auto node = std::make_shared<Expression::Node>();
    node->name = cursor_.name();
    if (node->name.empty()) {
      node->value = cursor_.number();
    } else if (next() == '(') {
      cursor_.take();
      do node->arguments.push_back(sum());
      while (cursor_.accept(','));
      close();
    }
    return node;
  }

  void close() {
    cursor_.skip();
    if (!cursor_.accept(')')) fail(cursor_.place(), "a ) is missing in the expression.");
  }

  Cursor &cursor_;
  int depth_ = 0;
};

}  // namespace

Expression Expression::parse(const std::string &text, const Place &place) {
  Cursor cursor(text, place);
  Expression expression;
  expression.place_ = place;
  expression.root_ = Parser(cursor).sum();
  cursor.skip();
  if (!cursor.done()) fail(place, "“" + cursor.rest() + "” can't follow in the expression.");
  return expression;
}

Expression Expression::constant(double value) {
  Expression expression;
  expression.root_ = std::make_shared<Node>(Node{value, {}, {}});
  return expression;
}

double Expression::evaluate(const Scope &scope) const {
  const auto checked = [&](const std::string &name, const std::vector<double> &arguments) {
    try {
      return scope(name, arguments);
    } catch (const std::out_of_range &) {
      fail(place_, "“" + name + "” is no parameter, list or function with that many arguments.");
    }
  };
  const double value = root_->evaluate(checked);
  if (!std::isfinite(value)) fail(place_, "the expression has no finite value here.");
  return value;
}

}  // namespace glcl::chain
