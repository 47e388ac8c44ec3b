// SPDX-License-Identifier: LGPL-2.1-or-later
// Names and writes files of vectors, one per frame. Plain C++.
#pragma once

#include <cstdint>
#include <string>

namespace glcl::opticalflow {

/// True if the text names a file for every number: it has exactly one of %d, %i and %u, with a
/// width up to 9 that may begin with 0. %% stands for a per cent sign.
bool is_dump_pattern(const std::string &text);
/// The path for a number. Throws Error if the text is not a pattern.
std::string dump_path(const std::string &pattern, uint64_t number);
/// Throws Error if no file can be written: the text is not a pattern, or its folder is missing or
/// not writable.
void check_dump_pattern(const std::string &pattern);

/// Writes the vectors, two floats per pixel, as a .flo file (Middlebury, little endian). It
/// replaces a file of that name when the new one is complete. If that fails it keeps the old file
/// and throws Error with the path and the reason. It replaces regular files only and follows no
/// links.
void write_flo(const std::string &path, int width, int height, const void *vectors);

}  // namespace glcl::opticalflow
