// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text.h"

#include <cstdio>

#include "opencl/error.h"

namespace glcl::bench {

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value >= 1000 ? 0 : digits, value);
  return text;
}

std::string size_name(std::pair<int, int> size) {
  return std::to_string(size.first) + "×" + std::to_string(size.second);
}

std::ofstream open_file(const std::string &path) {
  std::ofstream file(path);
  if (!file) throw Error(Error::Kind::settings, path + " can't be written.");
  return file;
}

}  // namespace glcl::bench
