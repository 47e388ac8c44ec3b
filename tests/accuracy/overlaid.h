// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlays on film, which stay in place while the camera moves.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "reference/frames.h"

namespace clips {

/// Draws over the frame with a number; `seed`: place and text.
using Overlay = std::function<void(reference::Frame &, int number, unsigned seed)>;

/// A logo, a clock, subtitles, a display and black bars, by name.
const std::vector<std::pair<const char *, Overlay>> &overlays();

}  // namespace clips
