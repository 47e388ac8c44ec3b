// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers and sizes for tables, and output files.
#pragma once

#include <fstream>
#include <string>
#include <utility>

namespace glcl::bench {

/// The number with `digits` decimal places; from 1000 on without any.
std::string number(double value, int digits = 1);

/// A size as text: "1920×1080".
std::string size_name(std::pair<int, int> size);

/// Opens a file for writing. Throws Error::settings on failure.
std::ofstream open_file(const std::string &path);

}  // namespace glcl::bench
