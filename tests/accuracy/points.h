// SPDX-License-Identifier: LGPL-2.1-or-later
// The points that an engine has tracked.
#pragma once

#include <vector>

#include "klt/klt.h"

namespace accuracy {

struct PointReport {
  glcl::klt::Points::PointSummary summary;
  std::vector<glcl::klt::Points::PointRecord> points;
};

/// Reads the report of the last frame.
PointReport read_report(glcl::Queue &queue, glcl::klt::Klt &klt);

}  // namespace accuracy
