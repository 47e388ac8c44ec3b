// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shots.h"

#include <cstdio>

#include "cells.h"

namespace reference {

using glcl::histogram::Shots;

Score score(const std::vector<Shots::Shot> &shots, const std::vector<Transition> &truth) {
  Score result;
  std::vector<bool> used(shots.size());
  for (const Transition &transition : truth) {
    bool found = false;
    for (size_t i = 0; i < shots.size() && !found; i++) {
      const int frame = static_cast<int>(shots[i].frame);
      if (used[i] || frame < transition.first || frame > transition.last) continue;
      used[i] = found = true;
    }
    (found ? result.found : result.missed)++;
  }
  for (const bool one : used) result.wrong += !one;
  return result;
}

std::vector<uint32_t> shot_values(const Frame &frame) {
  std::vector<uint32_t> values =
      histogram(frame, {glcl::histogram::Histogram::Mode::rgb, Shots::levels});
  const std::vector<uint32_t> luma = cells(frame);
  values.insert(values.end(), luma.begin(), luma.end());
  return values;
}

std::vector<Shots::Shot> find_shots(const std::vector<Frame> &frames) {
  Shots detector;
  std::vector<Shots::Shot> all;
  const auto take = [&](const std::vector<Shots::Shot> &shots) {
    all.insert(all.end(), shots.begin(), shots.end());
  };
  for (size_t i = 0; i < frames.size(); i++) take(detector.add(i, shot_values(frames[i]).data()));
  take(detector.finish());
  return all;
}

std::string describe(const std::vector<Shots::Shot> &shots) {
  static const char *const kinds[] = {"cut", "fade-in", "fade-out", "dissolve", "wipe"};
  std::string text;
  for (const auto &shot : shots) {
    char one[64];
    std::snprintf(one, sizeof one, "%s%d %s %.2f", text.empty() ? "" : ", ",
                  static_cast<int>(shot.frame), kinds[static_cast<int>(shot.kind)], shot.score);
    text += one;
  }
  return text.empty() ? "none" : text;
}

}  // namespace reference
