// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "reference/frames.h"

namespace film {

/// The frames of a video file as GStreamer decodes them, at most `count`. Scaled to width × height
/// px unless width is 0. Rows of the test are left out where the file can't be decoded.
std::vector<reference::Frame> decode(const std::string &path, int width = 0, int height = 0,
                                     size_t count = SIZE_MAX);

}  // namespace film
