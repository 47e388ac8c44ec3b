// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram/renderer.h"
#include "reference/frames.h"

namespace reference {

/// What glcl::histogram::HistogramRenderer shows of a frame, pixel by pixel; `counts` of `format`
/// are displayed.
Frame present(const Frame &frame, const glcl::histogram::HistogramRenderer::Settings &settings,
              const glcl::histogram::Histogram::Format &format, const std::vector<uint32_t> &counts,
              bool apart = false);

}  // namespace reference
