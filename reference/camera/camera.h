// SPDX-License-Identifier: LGPL-2.1-or-later
// The motion of a camera, vector by vector and pixel by pixel.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "camera/align.h"
#include "camera/ransac.h"
#include "motion/vector.h"
#include "reference/noise/noise.h"

namespace reference {

using Similarity = glcl::camera::SimilarityMotion;
/// Place and motion, px; x ≥ 1e9 marks an unused one.
using CameraVector = std::array<float, 4>;

/// As kernels/camera/similarity.clh.
std::complex<float> vector_at(const Similarity &motion, std::complex<float> z);
Similarity after(const Similarity &first, const Similarity &then);
Similarity inverse(const Similarity &motion);
/// With the perspective of a rotating camera, and the inverse.
std::complex<float> bent(const Similarity &motion, std::complex<float> bend, std::complex<float> z);
std::complex<float> unbent(const Similarity &back, std::complex<float> bend, std::complex<float> z);
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

/// A reduced frame, as glcl::camera::Align.
std::vector<float> shrunk(const Texel &luma, const glcl::camera::FrameGeometry &frame);

/// The brightness of a frame's rows, as glcl::camera::Rows.
struct RowLight {
  float part = 0, swing = 0;
  std::vector<float> ratios;  ///< of bands of 8 rows

  explicit RowLight(const glcl::camera::FrameGeometry &frame);
  float at(float y) const;
  float mean() const;
  /// After the next frame, whose alignment is `state`; and the estimate for that alignment, by its
  /// vectors if `motion`. `background`, `visible`: see align().
  RowLight measured(const std::vector<float> &small, const std::vector<float> &background,
                    const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
                    const glcl::camera::CameraState &state) const;
  RowLight guessed(const std::vector<float> &small, const std::vector<float> &background,
                   const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
                   const glcl::camera::CameraState &state, bool motion) const;
};

/// As glcl::camera::Align. `background`: levels; `visible`: which of them count. `state`: of the
/// previous frame, with the vectors of this one; updated. `rows`: their brightness, as guessed.
void align(const std::vector<float> &small, const std::vector<float> &background,
           const std::vector<bool> &visible, const glcl::camera::FrameGeometry &frame,
           glcl::camera::Compensation compensation, bool first, const RowLight &rows,
           glcl::camera::CameraState &state);
/// The end of the alignment: updates the state.
void settle(const Similarity &motion, std::complex<float> bend, double gain, double offset,
            const glcl::camera::FrameGeometry &frame, bool first, const RowLight &rows,
            glcl::camera::CameraState &state);

}  // namespace reference
