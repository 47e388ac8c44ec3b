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
  double (*compute)(const double *);
};

const std::map<std::string, Function> &functions() {
  using Given = const double *;
  static const auto *all = new std::map<std::string, Function>{
      {"+", {2, [](Given a) { return a[0] + a[1]; }}},
      {"-", {2, [](Given a) { return a[0] - a[1]; }}},
      {"*", {2, [](Given a) { return a[0] * a[1]; }}},
      {"/", {2, [](Given a) { return a[0] / a[1]; }}},
      {"exp", {1, [](Given a) { return std::exp(a[0]); }}},
      {"log", {1, [](Given a) { return std::log(a[0]); }}},
      {"sqrt", {1, [](Given a) { return std::sqrt(a[0]); }}},
      {"ceil", {1, [](Given a) { return std::ceil(a[0]); }}},
      {"floor", {1, [](Given a) { return std::floor(a[0]); }}},
      {"abs", {1, [](Given a) { return std::fabs(a[0]); }}},
      {"pow", {2, [](Given a) { return std::pow(a[0], a[1]); }}},
      {"min", {2, [](Given a) { return std::min(a[0], a[1]); }}},
      {"max", {2, [](Given a) { return std::max(a[0], a[1]); }}}};
  return *all;
}

}  // namespace

void fail(const SourceLocation &location, const std::string &text) {
  throw Error(Error::Kind::settings,
              location.file + ":" + std::to_string(location.line) + ": " + text);
}

void refuse_name(const SourceLocation &location, const std::string &name) {
  fail(location, "the name “" + beginning(name) + "” has more than " + std::to_string(most_name) +
                     " characters.");
}

std::string beginning(const std::string &text) {
  constexpr size_t most = 40;
  if (text.size() <= most) return text;
  // Do not cut a UTF-8 character.
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) end--;
  return text.substr(0, end) + "…";
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
  if (taken == '\n') location_.line++;
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
  if (name.size() > most_name) refuse_name(location_, name);
  return name;
}

double Cursor::number() {
  const char *begin = text_.c_str() + at_;
  char *end = nullptr;
  const double value = g_ascii_strtod(begin, &end);
  if (end == begin || std::isnan(value)) fail(location_, "a number was expected here.");
  if (std::fabs(value) > largest_number) fail(location_, "numbers go from -1e36 to 1e36.");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

/// A number, a name, a call with its arguments, or an operator as a function of two arguments.
struct Expression::Node {
  double value = 0;
  std::string name;
  double (*compute)(const double *) = nullptr;  // known functions only
  std::vector<std::shared_ptr<const Node>> arguments;

  double evaluate(const Scope &scope) const {
    if (name.empty()) return value;
    if (compute) {
      double values[2] = {};
      for (size_t i = 0; i < arguments.size(); i++) values[i] = arguments[i]->evaluate(scope);
      return compute(values);
    }
    std::vector<double> values;
    for (const auto &argument : arguments) values.push_back(argument->evaluate(scope));
    return scope(name, values);
  }
};

namespace {

using Node = std::shared_ptr<const Expression::Node>;

class Parser {
 public:
  explicit Parser(Cursor &cursor) : cursor_(cursor) {}

  Node sum() {
    if (++depth_ > most_nested)
      fail(cursor_.location(),
           "the expression has more than " + std::to_string(most_nested) + " nested brackets.");
    Node left = product();
    while (next() == '+' || next() == '-') {
      const char sign = cursor_.take();
      left = call({sign}, {left, product()});
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
      left = call({sign}, {left, factor()});
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
    return negative ? call("-", {number(0), value}) : value;
  }

  Node primary() {
    if (next() == '(') {
      cursor_.take();
      Node inner = sum();
      close();
      return inner;
    }
    const std::string name = cursor_.name();
    if (name.empty()) return number(cursor_.number());
    std::vector<Node> arguments;
    if (next() == '(') {
      do {
        cursor_.take();
        arguments.push_back(sum());
      } while (next() == ',');
      close();
    }
    return call(name, std::move(arguments));
  }

  void close() {
    cursor_.skip();
    if (!cursor_.accept(')')) fail(cursor_.location(), "a ) is missing in the expression.");
  }

  Node number(double value) { return make({value, {}, nullptr, {}}); }

  Node call(const std::string &name, std::vector<Node> arguments) {
    const auto known = functions().find(name);
    const bool is_known = known != functions().end() && known->second.arguments == arguments.size();
    return make({0, name, is_known ? known->second.compute : nullptr, std::move(arguments)});
  }

  /// Limits the size and depth of the expression, which is evaluated for every weight of a matrix.
  Node make(Expression::Node node) {
    if (++parts_ > most_parts)
      fail(cursor_.location(), "the expression has more than " + std::to_string(most_parts) +
                                   " numbers, names and operators.");
    return std::make_shared<Expression::Node>(std::move(node));
  }

  Cursor &cursor_;
  int depth_ = 0;
  size_t parts_ = 0;
};

}  // namespace

Expression Expression::parse(const std::string &text, const SourceLocation &location) {
  Cursor cursor(text, location);
  Expression expression;
  expression.location_ = location;
  expression.root_ = Parser(cursor).sum();
  cursor.skip();
  if (!cursor.done())
    fail(location, "“" + beginning(cursor.rest()) + "” is not allowed here in an expression.");
  return expression;
}

Expression Expression::constant(double value) {
  Expression expression;
  expression.root_ = std::make_shared<Node>(Node{value, {}, nullptr, {}});
  return expression;
}

double Expression::evaluate(const Scope &scope) const {
  const auto checked = [&](const std::string &name, const std::vector<double> &arguments) {
    try {
      return scope(name, arguments);
    } catch (const std::out_of_range &) {
      fail(location_,
           "“" + name + "” is not a parameter, a list or a function with that many arguments.");
    }
  };
  const double value = root_->evaluate(checked);
  if (!std::isfinite(value)) fail(location_, "the value of the expression is not finite.");
  if (std::fabs(value) > largest_number)
    fail(location_, "the value is not from -1e36 to 1e36 here.");
  return value;
}

}  // namespace glcl::chain
