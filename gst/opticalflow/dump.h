// SPDX-License-Identifier: LGPL-2.1-or-later
// Names and writes files of vectors, one per frame.
#pragma once

#include <cstdint>
#include <string>

namespace glcl::opticalflow {

/// True if the text is a pattern that names one file per number. It has exactly one %d, %i or %u,
/// whose width is at most 9 and may begin with 0; %% is a percent sign.
bool is_dump_pattern(const std::string &text);
/// The path for a number. Throws Error::settings if the text is not a pattern.
std::string dump_path(const std::string &pattern, uint64_t number);
/// Throws Error::settings if the text is not a pattern, or if all paths share a folder that is
/// missing or not writable.
void check_dump_pattern(const std::string &pattern);

/// Writes width × height vectors, two floats each in rows, as a .flo file (Middlebury, little
/// endian). The complete new file replaces a regular file of that name, but never a link or a
/// device. On failure the old file stays, and Error::failed names the path and the reason.
void write_flo(const std::string &path, int width, int height, const void *vectors);

}  // namespace glcl::opticalflow
