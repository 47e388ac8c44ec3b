// SPDX-License-Identifier: LGPL-2.1-or-later
// The motion of a camera by vectors, vector by vector.
#pragma once

#include <array>
#include <vector>

#include "motion/vector.h"
#include "reference/noise/noise.h"
#include "similarity.h"

namespace reference {

/// Place and motion, px; x ≥ 1e9 marks an unused one.
using CameraVector = std::array<float, 4>;

/// The motion through two vectors.
Similarity through(const CameraVector &a, const CameraVector &b, bool translation);

struct Ransac {
  std::vector<int> inliers;  ///< of each iteration that ran
  int best = 0;              ///< the first iteration with the most inliers
  int valid = 0;             ///< vectors
  /// The motion of an iteration, and after the fit to its inliers.
  Similarity drawn(int iteration) const;
  Similarity fitted(int iteration, int *inliers) const;
  /// How far the inliers of a motion reach across the frame, 0 to 1.
  double reaches(const Similarity &motion) const;

  Ransac(const std::vector<CameraVector> &vectors, const glcl::camera::Ransac::Settings &settings);

 private:
  int count(const Similarity &motion) const;
  std::vector<CameraVector> vectors_;
  glcl::camera::Ransac::Settings settings_;
};

/// As glcl::camera::BlockVectors. `vectors`: of cells of `cell` px, `columns` per row; `noise`: its
/// variance.
std::vector<CameraVector> block_vectors(const Texel &luma, int width, int height,
                                        const std::vector<glcl::motion::Vector> &vectors, int cell,
                                        int columns, float noise);

}  // namespace reference
