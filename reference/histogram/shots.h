// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "histogram.h"
#include "histogram/shots.h"
#include "reference/scenes.h"

namespace reference {

/// Agreement of detections with the truth.
struct Score {
  int found = 0, missed = 0, wrong = 0;

  Score &operator+=(const Score &other) {
    found += other.found, missed += other.missed, wrong += other.wrong;
    return *this;
  }
  double f1() const {
    return found ? 2.0 * found / (2 * found + missed + wrong) : missed + wrong == 0;
  }
};

/// Each transition is found by one shot: a cut exactly at its frame, others at any of their frames.
Score score(const std::vector<glcl::histogram::Shots::Shot> &shots,
            const std::vector<Transition> &truth);

/// The input of the detector for a frame.
std::vector<uint32_t> shot_values(const Frame &frame);

/// The shots found by the detector.
std::vector<glcl::histogram::Shots::Shot> find_shots(const std::vector<Frame> &frames);

/// "30 cut 0.71, 76 dissolve 0.40"
std::string describe(const std::vector<glcl::histogram::Shots::Shot> &shots);

}  // namespace reference
