// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace glcl::chain {

/// The place of a user's text, for messages.
struct SourceLocation {
  std::string file;  ///< a path, or "filters" for the property
  int line = 1;
};

constexpr double largest_number = 1e36;  // magnitude of a number, so that 255 times it is a float
constexpr size_t most_name = 64;         // characters of a name
constexpr size_t most_parts = 256;       // numbers, names and operators of an expression

/// Throws Error::settings, "FILE:LINE: TEXT".
[[noreturn]] void fail(const SourceLocation &location, const std::string &text);
/// The same for a name that is too long.
[[noreturn]] void refuse_name(const SourceLocation &location, const std::string &name);

/// The beginning of a user's text, for messages.
std::string beginning(const std::string &text);

/// Reads a text from left to right. The caller skips comments.
class Cursor {
 public:
  Cursor(const std::string &text, SourceLocation location)
      : text_(text), location_(std::move(location)) {}

  const SourceLocation &location() const { return location_; }
  /// Skips blanks and comments, which begin with `comment` and end with the line.
  void skip(char comment = '\0');
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char take();
  /// Takes the character if it comes next.
  bool accept(char wanted);
  /// Takes a name: letters, digits and _, not a digit first. Empty if there is no name. Throws if
  /// it is longer than most_name.
  std::string name();
  /// Takes a number in C's notation; throws if there is no number or it is not finite.
  double number();
  /// Everything up to the end.
  std::string rest() const { return text_.substr(at_); }

 private:
  const std::string text_;
  size_t at_ = 0;
  SourceLocation location_;
};

/// An arithmetic expression of a filter file: numbers, names, + - * / and parentheses, the
/// functions exp log sqrt pow ceil floor abs min max, and the names of its scope.
class Expression {
 public:
  /// Returns the value of a name, with the arguments of a call; throws std::out_of_range for
  /// unknown names.
  using Scope =
      std::function<double(const std::string &name, const std::vector<double> &arguments)>;

  /// Parses an expression that ends with the text. Throws Error::settings with its place, also if
  /// it has more than most_parts.
  static Expression parse(const std::string &text, const SourceLocation &location);
  static Expression constant(double value);

  /// Throws Error::settings with the expression's place for names that the scope does not know and
  /// values that are not finite.
  double evaluate(const Scope &scope) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
  SourceLocation location_;
};

}  // namespace glcl::chain
