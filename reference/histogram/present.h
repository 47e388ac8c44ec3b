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

}  // namespace reference
