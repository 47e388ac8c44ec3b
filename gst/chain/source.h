// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

#include "preprocess.h"

namespace glcl::chain {

/// The OpenCL text of a filter. Words that is_allowed() accepts do not change. All others are names
/// of the filter and get a prefix, so they can't refer to definitions outside the file.
class Code {
 public:
  Code() = default;
  /// Throws Error::settings with file and line for errors of preprocess(), unbalanced brackets,
  /// words that begin with __, functions that call themselves, and functions that are too long once
  /// inlined.
  Code(const std::string &source, const std::string &file);

  /// True if it defines a function, table or type of this name.
  bool defines(const std::string &name) const { return globals_.count(name) > 0; }
  /// True if it contains a word that it does not define.
  bool reads(const std::string &word) const;
  /// The first line that calls `picture` or `picture_at`, if it does not define them; else 0.
  int picture_line() const { return picture_line_; }
  /// The text for the compiler, with the lines of the source.
  std::string text(const std::string &prefix) const;
  std::string word(const std::string &name, const std::string &prefix) const;

 private:
  bool is_own(const std::string &name) const;
  int find_picture() const;

  std::vector<Token> tokens_;
  std::set<std::string> globals_;
  int picture_line_ = 0;
};

}  // namespace glcl::chain
