// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of vectors, one a frame: how they are named and how they are written. Plain C++.
#pragma once

#include <cstdint>
#include <string>

namespace glcl::opticalflow {

/// Whether the text names a file for every number: it has exactly one of %d, %i and %u, whose width
/// is at most 9 and may begin with a 0. %% stands for a per cent sign.
bool is_dump_pattern(const std::string &text);
/// The path for a number. Throws Error where the text is no pattern.
std::string dump_path(const std::string &pattern, uint64_t number);
/// Throws Error where no file can come of it: the text is no pattern, or its folder is missing or
/// can't be written to.
void check_dump_pattern(const std::string &pattern);

/// Writes the vectors, two floats a pixel, as a .flo file: Middlebury's, little endian. A file of
/// that name is replaced once the new one is complete. Throws Error with the path and the reason;
/// then what was there stays. What is no ordinary file is never replaced, and links not followed.
void write_flo(const std::string &path, int width, int height, const void *vectors);

}  // namespace glcl::opticalflow
