// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>
#include <cstdio>

#include "reference/opticalflow/flow.h"
#include "subject.h"

namespace glcl::bench {

/// Good if 99.9 % of the vectors agree within 0.01 px, or a thousandth of their length.
inline Agreement compare_fields(const reference::opticalflow::Field &result,
                                const reference::opticalflow::Field &expected) {
  size_t off = 0;
  for (size_t i = 0; i < expected.confidence.size(); i++) {
    const double x = expected.vectors[2 * i], y = expected.vectors[2 * i + 1];
    const double error = std::hypot(result.vectors[2 * i] - x, result.vectors[2 * i + 1] - y);
    off += !(error <= 0.01 + 0.001 * std::hypot(x, y));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.2g %% off by over 0.01 px",
                100.0 * static_cast<double>(off) / static_cast<double>(expected.confidence.size()));
  return {off * 1000 <= expected.confidence.size(), text};
}

}  // namespace glcl::bench
