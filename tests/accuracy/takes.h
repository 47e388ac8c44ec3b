// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips as editors and cameras make them, from real film: what happens in them is known.
#pragma once

#include <string>
#include <vector>

#include "reference/scenes.h"

namespace takes {

using reference::Clip;
using reference::Frame;
using Frames = std::vector<Frame>;

constexpr int width = 320, height = 180;

/// Films of one take each, from reference::data_folder. Rules were chosen on the half 0; the half
/// 1 is what they are judged by. Empty where there is no film.
struct Film {
  std::string name;
  Frames frames;
  bool fixed = false;  ///< the camera does not move
};
std::vector<Film> films(int half);

/// A clip of a kind of edit or event, by the name in the table of accuracy-edits. The number
/// chooses films and places.
Clip make(const std::string &kind, const std::vector<Film> &films, unsigned number);

}  // namespace takes
