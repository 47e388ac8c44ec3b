// SPDX-License-Identifier: LGPL-2.1-or-later
#include "table.h"

#include <glib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace glcl {

namespace {

constexpr size_t margin = 2, gap = 2, narrowest = 8;

size_t columns(const std::string &text) {
  return static_cast<size_t>(g_utf8_strlen(text.data(), static_cast<gssize>(text.size())));
}

/// Number of bytes of the first `count` characters.
size_t bytes(const std::string &text, size_t count) {
  return static_cast<size_t>(g_utf8_offset_to_pointer(text.c_str(), static_cast<glong>(count)) -
                             text.c_str());
}

void print_row(const Table::Row &row, const std::vector<size_t> &widths) {
  std::vector<std::vector<std::string>> cells;
  size_t height = 0;
  for (size_t c = 0; c < row.size(); c++) {
    cells.push_back(wrap(row[c], widths[c]));
    height = std::max(height, cells.back().size());
  }
  for (size_t l = 0; l < height; l++) {
    std::string line(margin, ' ');
    for (size_t c = 0; c < cells.size(); c++) {
      const std::string part = l < cells[c].size() ? cells[c][l] : "";
      line += part + std::string(std::max(columns(part), widths[c]) + gap - columns(part), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << '\n';
  }
}

}  // namespace

size_t line_width() {
  winsize window{};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col)
    return std::max<size_t>(window.ws_col, 60);
  return 100;
}

std::vector<std::string> wrap(const std::string &text, size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > width)
      lines.emplace_back();
    for (; columns(word) > width; word.erase(0, bytes(word, width))) {
      lines.back() = word.substr(0, bytes(word, width));
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

void Table::print(size_t line) const {
  const std::vector<size_t> widths = fit(line);
  for (const Row &row : rows_) print_row(row, widths);
}

std::vector<size_t> Table::fit(size_t line) const {
  std::vector<size_t> widths(rows_.front().size());
  size_t sum = margin + gap * (widths.size() - 1);
  for (size_t c = 0; c < widths.size(); c++) {
    for (const Row &row : rows_) widths[c] = std::max(widths[c], columns(row[c]));
    sum += widths[c];
  }
  for (; sum > line; sum--) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= narrowest) break;
    --*widest;
  }
  return widths;
}

}  // namespace glcl
