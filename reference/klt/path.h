// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <complex>
#include <vector>

namespace reference::klt {

/// The result of glcl::klt::PathPlanner for frames of square pixels, frame by frame.
class Path {
 public:
  /// The point z is moved to grown z + shift, relative to the centre.
  struct Place {
    std::complex<double> grown = 1, shift = 0;
  };
  /// The motion of the camera: from a frame to the previous one, unless the frame follows none.
  struct Step {
    Place motion;
    bool restart = false;
    int unknown_count = 0;  ///< frames in a row up to this one whose motion is assumed
  };

  /// `half_width` and `half_height`: from the centre to the last pixel.
  Path(double half_width, double half_height) : half_{half_width, half_height} {}

  /// Where the first frame is shown: from the stabilized picture to the frame. `steps`: of this and
  /// later frames.
  Place plan(const std::vector<Step> &steps, int smoothing, double margin);
  /// Continues as if the last planned frame were shown here.
  void replace_last(const Place &place) { shown_.front() = place; }

 private:
  std::vector<Step> with_estimates(const std::vector<Step> &steps) const;

  double half_[2];
  Step last_;
  std::vector<Place> shown_;  // to the last frames, the latest first, up to two
};

}  // namespace reference::klt
