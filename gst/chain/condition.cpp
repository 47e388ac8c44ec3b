// SPDX-License-Identifier: LGPL-2.1-or-later
#include "condition.h"

#include <glib.h>

#include <cstdint>
#include <map>

namespace glcl::chain {

namespace {

constexpr int most_nested = 32;

/// Parses from left to right; operators of a higher level bind tighter.
class ConditionParser {
 public:
  ConditionParser(const std::vector<Token> &tokens, const SourceLocation &location)
      : tokens_(tokens), location_(location) {}

  bool read() {
    const int64_t value = part(1);
    if (at_ < tokens_.size()) refuse();
    return value != 0;
  }

 private:
  std::string next() const { return at_ < tokens_.size() ? tokens_[at_].text : ""; }

  [[noreturn]] void refuse() const {
    fail(location_,
         "“" + next() +
             "” is not allowed here: a condition consists of whole numbers, “defined” and "
             "operators.");
  }

  static int level_of(const std::string &sign) {
    static const std::map<std::string, int> levels{
        {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {">", 4}, {"<=", 4},
        {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6}};
    const auto known = levels.find(sign);
    return known == levels.end() ? 0 : known->second;
  }

  int64_t part(int lowest) {
    int64_t left = single();
    for (;;) {
      const std::string sign = next();
      const int level = level_of(sign);
      if (level < lowest) return left;
      at_++;
      left = result(sign, left, part(level + 1));
    }
  }

  int64_t result(const std::string &sign, int64_t a, int64_t b) const {
    if (sign == "||") return a || b;
    if (sign == "&&") return a && b;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    int64_t value = 0;
    const bool division = sign == "/" || sign == "%";
    const bool fits = sign == "+"   ? !__builtin_add_overflow(a, b, &value)
                      : sign == "-" ? !__builtin_sub_overflow(a, b, &value)
                      : sign == "*" ? !__builtin_mul_overflow(a, b, &value)
                                    : b != 0 && !(a == INT64_MIN && b == -1);
    if (!fits) fail(location_, "the value of the condition is out of range.");
    if (division) value = sign == "/" ? a / b : a % b;
    return value;
  }

  int64_t single() {
    if (++nested_ > most_nested) fail(location_, "the condition is nested too deeply.");
    const std::string word = next();
    if (at_ >= tokens_.size()) fail(location_, "the condition ends too early.");
    int64_t value = 0;
    if (word == "!" || word == "-" || word == "+") {
      at_++;
      value = single();
      value = word == "!" ? !value : word == "-" ? result("-", 0, value) : value;
    } else if (word == "(") {
      at_++;
      value = part(1);
      if (next() != ")") fail(location_, "a ) is missing in the condition.");
      at_++;
    } else if (tokens_[at_].kind == Token::Kind::number) {
      value = number(word);
      at_++;
    } else {
      own_name(word);
      at_++;
    }
    nested_--;
    return value;
  }

  int64_t number(const std::string &word) const {
    gchar *end = nullptr;
    const gint64 value = g_ascii_strtoll(word.c_str(), &end, 0);
    if (std::string(end).find_first_not_of("uUlL") != std::string::npos) refuse();
    return value;
  }

  void own_name(const std::string &word) const {
    if (tokens_[at_].kind != Token::Kind::name) refuse();
    if (word.rfind("__", 0) == 0 || word.rfind("cl_", 0) == 0 || word.rfind("CL_", 0) == 0)
      fail(location_, "“" + word + "” is unknown: filters are read before a device is chosen.");
  }

  const std::vector<Token> &tokens_;
  const SourceLocation &location_;
  size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

bool condition_holds(const std::vector<Token> &condition, const SourceLocation &location) {
  return ConditionParser(condition, location).read();
}

}  // namespace glcl::chain
