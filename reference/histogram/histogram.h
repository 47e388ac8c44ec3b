// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "histogram/histogram.h"
#include "reference/conversion/conversion.h"
#include "reference/frames.h"

namespace reference {

/// The histogram of an area as glcl::histogram::Histogram defines it, pixel by pixel.
std::vector<uint32_t> histogram(const Frame &frame,
                                const glcl::histogram::Histogram::Format &format,
                                const glcl::Rect &area = {});
/// The same of luma in a plane. In limited range the numbers of pixels below black and above white
/// follow.
std::vector<uint32_t> histogram(const PlanarFrame &frame, const glcl::Colorimetry &colorimetry,
                                const glcl::histogram::Histogram::Format &format,
                                const glcl::Rect &area = {});
/// The same of samples of one channel.
std::vector<uint32_t> histogram(const std::vector<uint16_t> &samples,
                                const glcl::histogram::Histogram::Format &format);

}  // namespace reference
