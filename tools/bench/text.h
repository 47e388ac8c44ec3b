// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers and sizes as tables show them, and files for them.
#pragma once

#include <fstream>
#include <string>
#include <utility>

namespace glcl::bench {

/// The number with `digits` digits after the point; without any from 1000 on.
std::string number(double value, int digits = 1);

/// "1920×1080"
std::string size_name(std::pair<int, int> size);

/// A file to write. Throws Error::settings where that can't be.
std::ofstream open_file(const std::string &path);

}  // namespace glcl::bench
