// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace glcl::chain {

/// The macros from which a token was expanded, the innermost first.
struct MacroOrigin {
  std::string name;
  std::shared_ptr<const MacroOrigin> outer;
  int depth = 1;
};

/// A word, number or operator of OpenCL C, or a line with a pragma.
struct Token {
  enum class Kind { name, number, sign, pragma };

  Kind kind = Kind::sign;
  std::string text;
  int line = 1;
  bool begins = false;  ///< it is the first of its line
  bool spaced = false;  ///< blanks precede it
  bool own = false;     ///< a name that is private to its file
  std::shared_ptr<const MacroOrigin> from;
};

/// Preprocesses a file as a compiler does: joins lines, drops comments, expands macros. It knows
/// definitions, conditions and some pragmas. All other directives throw Error::settings with file
/// and line. So do quoted texts, and the operators # and ## in macros. Therefore no other file is
/// read, and the result contains only words of this file.
std::vector<Token> preprocess(const std::string &source, const std::string &file);

}  // namespace glcl::chain
