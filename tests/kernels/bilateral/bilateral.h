// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of the bilateral engines.
#pragma once

#include "bilateral/bilateral.h"

#include "kernels/engine.h"

using Settings = glcl::bilateral::BilateralFilter::Settings;
using Weight = glcl::bilateral::BilateralFilter::Weight;

constexpr Weight weights[] = {Weight::intensity, Weight::color, Weight::per_channel};

inline std::string describe(const Settings &s, const Frame &frame) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) + ", radius " +
         std::to_string(s.radius) + ", sigma-space " + std::to_string(s.sigma_space) +
         ", sigma-range " + std::to_string(s.sigma_range) + ", weight " +
         std::to_string(static_cast<int>(s.weight)) + ", iterations " +
         std::to_string(s.iterations) + ", split " + std::to_string(s.split);
}
