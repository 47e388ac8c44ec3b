// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips with known shots, made from nothing: pictures of discs and stripes, moved, mixed and lit
// up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frames.h"

namespace reference {

/// Where one shot becomes the next: at one frame, or anywhere from the first to the last.
struct Transition {
  int first = 0, last = 0;
  std::string kind;  ///< "cut", "fade-in", "fade-out", "dissolve", "wipe"
};

struct Clip {
  std::string name;
  std::vector<Frame> frames;
  std::vector<Transition> transitions;  ///< by their first frames
};

/// Clips of 160×90 px: cuts, short shots, dissolves of 12 frames, fades through black, flashes,
/// fast pans, a large object that passes, noise.
std::vector<Clip> clips(unsigned seed);
/// Inserts of 3 to 5 frames, dissolves of 4, wipes.
std::vector<Clip> edited_clips(unsigned seed);

}  // namespace reference
