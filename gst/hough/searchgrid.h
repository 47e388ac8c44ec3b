// SPDX-License-Identifier: LGPL-2.1-or-later
// The division of the searched poses into bins: positions into cells, scales into bins.
#pragma once

#include <memory>
#include <vector>

#include "houghsettings.h"
#include "template.h"

namespace glcl::hough {

constexpr float scales_per_octave = 7.2725f;  ///< 10 % apart

/// The bins of the searched scales.
ScaleBins scale_bins(const HoughSettings &settings);

/// Adjacent words of cells that a work-item of match.cl processes.
size_t match_lanes(const Device &device);
/// match.cl, with this number of words.
Program match_program(Context &context);

/// The cells for a frame of `size` px. The smallest template at its smallest scale sets their size,
/// the largest one at its largest scale the margin around the frame.
SearchGrid search_grid(cl_int2 size, const HoughSettings &settings,
                       const std::vector<std::shared_ptr<const Template>> &templates, size_t lanes);

}  // namespace glcl::hough
