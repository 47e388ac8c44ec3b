// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "chain/description.h"
#include "reference/frames.h"

namespace reference {

/// The library's filters and .cube files one after the other on frames that follow each other, as
/// glcl::chain::Chain defines it. Throws std::out_of_range for filters that are not the library's.
std::vector<Frame> chain(const std::vector<Frame> &frames, const glcl::chain::Description &chain);

/// The same for one frame, which has none before it.
Frame chain(const Frame &frame, const glcl::chain::Description &chain);

}  // namespace reference
