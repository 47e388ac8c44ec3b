// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram/present.h"
#include "reference/frames.h"

namespace reference {

/// What glcl::histogram::Present shows of a frame, pixel by pixel; `counts` of `format` are
/// displayed.
Frame present(const Frame &frame, const glcl::histogram::Present::Settings &settings,
              const glcl::histogram::Histogram::Format &format, const std::vector<uint32_t> &counts,
              bool apart = false);

}  // namespace reference
