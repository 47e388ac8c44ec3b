// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips as cameras send them: coded at a low rate, with few intra frames.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reference/frames.h"

namespace clips {

/// The codecs for which this machine has an encoder and a decoder, of "H.264" and "MPEG-4". Without
/// any, programs skip their rows.
std::vector<std::string> codecs();

/// The frames after an encoder with `kbits` per second at 25 frames/s, and a decoder. Throws
/// std::runtime_error if GStreamer fails.
std::vector<reference::Frame> coded(const std::vector<reference::Frame> &frames,
                                    const std::string &codec, int kbits);
/// The same for `count` frames, with 0.25 bits per pixel.
std::vector<reference::Frame> coded(const std::function<reference::Frame(int number)> &frame,
                                    int count, const std::string &codec);

}  // namespace clips
