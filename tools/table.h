// SPDX-License-Identifier: LGPL-2.1-or-later
// Text on standard output in columns.
#pragma once

#include <string>
#include <vector>

namespace glcl {

/// Columns of the terminal; 100 without one.
size_t line_width();

/// Breaks a text into lines of at most `width` columns, at blanks. Only words longer than a line
/// are broken inside.
std::vector<std::string> wrap(const std::string &text, size_t width);

/// Prints columns as wide as their texts. If a line is too short, the widest columns are wrapped.
class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row head) : rows_{std::move(head)} {}
  void add(Row row) { rows_.push_back(std::move(row)); }
  void print(size_t line = line_width()) const;

 private:
  std::vector<size_t> fit(size_t line) const;

  std::vector<Row> rows_;
};

}  // namespace glcl
