// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram/renderer.h"
#include "reference/frames.h"

namespace reference {

/// The output of glcl::histogram::HistogramRenderer for a frame, pixel by pixel, with `counts` of
/// `format`.
Frame present(const Frame &frame, const glcl::histogram::HistogramRenderer::Settings &settings,
              const glcl::histogram::Histogram::Format &format, const std::vector<uint32_t> &counts,
              bool overlay = false);

/// A level, 0 to 255, as the counts of 256 levels equalise it: by its own table entry, or `between`
/// those of the levels around it.
double equalized_level(double level, const uint32_t *counts, bool between);

}  // namespace reference
