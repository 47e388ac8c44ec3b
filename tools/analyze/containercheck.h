// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl::analyze {

/// Throws Failure for a file that is shorter than it says itself: MP4 and QuickTime by their boxes,
/// Matroska and WebM by their segment, AVI by its chunks. Others say nothing.
void check_complete(const std::string &file);

}  // namespace glcl::analyze
