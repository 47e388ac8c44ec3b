// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/frames.h"
#include "reference/noise/noise.h"

namespace reference {

/// The squares of the lower and the upper threshold, by luma.
using Thresholds = std::array<std::array<uint32_t, 2>, 256>;

/// By the noise where they are below 0; levels per px.
Thresholds canny_thresholds(const NoiseTable &noise, double low, double high);

/// Edges as glcl::hough::Canny defines them, by pixel.
std::vector<uint16_t> canny(const Frame &frame, const Thresholds &thresholds, bool hysteresis);

/// The direction of (x, y) from +x to +y, in steps of 2°: 0 … 179.
int full_step(int x, int y);

}  // namespace reference
