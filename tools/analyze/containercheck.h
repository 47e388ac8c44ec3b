// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl::analyze {

/// Throws Failure for a truncated file, one shorter than its container states. Checks the boxes of
/// MP4 and QuickTime, the segment of Matroska and WebM, and the chunks of AVI. Other formats are
/// not checked.
void check_complete(const std::string &file);

}  // namespace glcl::analyze
