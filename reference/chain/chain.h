// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <vector>

#include "chain/description.h"
#include "reference/frames.h"

namespace reference {

/// The library's filters and .cube files one after the other on frames that follow each other, as
/// glcl::chain::Chain defines it. `picture`: what filters read as picture. Throws std::out_of_range
/// for filters that are not the library's.
std::vector<Frame> chain(const std::vector<Frame> &frames, const glcl::chain::Description &chain,
                         const Frame &picture = {});

/// The same for one frame, which has none before it.
Frame chain(const Frame &frame, const glcl::chain::Description &chain, const Frame &picture = {});

/// The part of the current period that has passed at a time, s, as filters read it: 0 to below 1.
double cycle(double time, float period);

/// A picture's colour at a position, px, as filters read it: 0..1, linear between pixels, weighted
/// by opacity.
std::array<float, 4> picture_at(const Frame &picture, float x, float y);
/// The same at a pixel of a frame over which the picture is stretched.
std::array<float, 4> picture_over(const Frame &picture, float x, float y, const Frame &frame);

}  // namespace reference
