// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace glcl::chain {

/// The macros that a token came from, the innermost first.
struct Expanded {
  std::string name;
  std::shared_ptr<const Expanded> outer;
  int depth = 1;
};

/// A word or sign of OpenCL C, or a pragma line.
struct Token {
  enum class Kind { name, number, sign, pragma };

  Kind kind = Kind::sign;
  std::string text;
  int line = 1;
  bool begins = false;  ///< the first one of its line
  bool spaced = false;  ///< blanks are before it
  bool own = false;     ///< a name that only its file knows
  std::shared_ptr<const Expanded> from;
};

/// What the compiler's preprocessor would make of a file: lines are joined, comments dropped,
/// macros expanded. It knows definitions, conditions and some pragmas. All other directives throw
/// Error::settings with file and line, as do texts in quotes, and operators of strings and pasting
/// in macros. So no file is read and no word comes out that is not in this one.
std::vector<Token> preprocess(const std::string &source, const std::string &file);

}  // namespace glcl::chain
