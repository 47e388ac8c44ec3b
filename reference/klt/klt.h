// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "klt/klt.h"
#include "reference/frames.h"
#include "reference/klt/blank.h"
#include "reference/klt/point.h"
#include "reference/klt/pyramid.h"
#include "reference/klt/selection.h"
#include "reference/klt/tracking.h"
#include "reference/noise/noise.h"

namespace reference::klt {

using PointRecord = glcl::klt::Points::PointRecord;

/// The points that glcl::klt chooses and follows, point by point, frame by frame.
class Klt {
 public:
  void run(const Settings &settings, const Frame &frame);
  void reset() { before_.clear(); }
  /// As the device reports it.
  glcl::klt::Points::PointSummary summary() const;
  std::vector<PointRecord> report() const;

 private:
  Pyramid before_;
  std::vector<Point> points_ = std::vector<Point>(glcl::klt::Points::most);
  KeptScene kept_;
  NoiseTable noise_{}, usual_noise_{};
  bool noise_known_ = false, noise_set_ = false;
  int frames_ = 0, since_ = 0, next_id_ = 0, features_ = 0, usual_ = 0, blank_ = 0;
  unsigned followed_ = 0, lost_ = 0, chosen_ = 0, cut_ = 0, all_lost_ = 0, all_cuts_ = 0,
           all_blank_ = 0, usual_count_ = 0;
};

}  // namespace reference::klt
