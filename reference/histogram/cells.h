// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "reference/frames.h"

namespace reference {

/// The mean luma of a frame's cells, then their detail, as in glcl::histogram::ShotValues.
std::vector<uint32_t> cells(const Frame &frame);

}  // namespace reference
