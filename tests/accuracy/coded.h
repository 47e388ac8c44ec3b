// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips as cameras send them: coded at a low rate, with few intra frames.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/frames.h"

namespace clips {

/// Codecs of which this machine has both an encoder and a decoder: "H.264", "MPEG-4". Without any,
/// rows are left out.
std::vector<std::string> codecs();

/// The frames as a decoder has them after an encoder with `kbits` a second at 25 frames/s.
/// Throws std::runtime_error where GStreamer fails.
std::vector<reference::Frame> coded(const std::vector<reference::Frame> &frames,
                                    const std::string &codec, int kbits);
/// The same of `count` frames with 0.25 bits a pixel.
std::vector<reference::Frame> sent(const std::function<reference::Frame(int number)> &frame,
                                   int count, const std::string &codec);

}  // namespace clips
