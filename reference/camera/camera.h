// SPDX-License-Identifier: LGPL-2.1-or-later
// The motion of a camera, one vector and one pixel after the other.
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
/// Place and motion, px; x from 1e9 on is none.
using CameraVector = std::array<float, 4>;

/// As kernels/camera/similarity.clh.
std::complex<float> vector_at(const Similarity &motion, std::complex<float> z);
Similarity after(const Similarity &first, const Similarity &then);
Similarity inverse(const Similarity &motion);
/// With what a camera's turning adds, and back.
std::complex<float> bent(const Similarity &motion, std::complex<float> bend, std::complex<float> z);
std::complex<float> unbent(const Similarity &back, std::complex<float> bend, std::complex<float> z);
/// Through two vectors.
Similarity through(const CameraVector &a, const CameraVector &b, bool translation);

struct Ransac {
  std::vector<int> inliers;  ///< of each iteration that was due
  int best = 0;              ///< the first of those with most
  int valid = 0;             ///< vectors
  /// An iteration's, and after the fit to its inliers.
  Similarity drawn(int iteration) const;
  Similarity fitted(int iteration, int *inliers) const;
  /// Of what agrees with a motion: how far it reaches over the frame, 0 to 1.
  double reaches(const Similarity &motion) const;

  Ransac(const std::vector<CameraVector> &vectors, const glcl::camera::Ransac::Settings &settings);

 private:
  int count(const Similarity &motion) const;
  std::vector<CameraVector> vectors_;
  glcl::camera::Ransac::Settings settings_;
};

/// As glcl::camera::BlockVectors. `vectors`: of cells of so many px, `columns` of them in a row;
/// `noise`: its variance.
std::vector<CameraVector> block_vectors(const Texel &luma, int width, int height,
                                        const std::vector<glcl::motion::Vector> &vectors, int cell,
                                        int columns, float noise);

/// A frame in small, as glcl::camera::Align.
std::vector<float> shrunk(const Texel &luma, const glcl::camera::FrameGeometry &frame);

/// As glcl::camera::Rows, of a frame.
struct RowLight {
  float part = 0, swing = 0;
  std::vector<float> ratios;  ///< of bands of 8 rows

  explicit RowLight(const glcl::camera::FrameGeometry &frame);
  float at(float y) const;
  float mean() const;
  /// The same after another frame, whose alignment is `state`; its light for that alignment, by its
  /// vectors if `motion`. `picture`, `known`: as align() has them.
  RowLight measured(const std::vector<float> &small, const std::vector<float> &picture,
                    const std::vector<bool> &known, const glcl::camera::FrameGeometry &frame,
                    const glcl::camera::CameraState &state) const;
  RowLight guessed(const std::vector<float> &small, const std::vector<float> &picture,
                   const std::vector<bool> &known, const glcl::camera::FrameGeometry &frame,
                   const glcl::camera::CameraState &state, bool motion) const;
};

/// What Align finds. `picture`: levels; `known`: whether there are some. `state`: from the frame
/// before, with the vectors of this one; on return with its fit, step, path and from where the
/// picture goes on. `rows`: how they are lit, as guessed.
void align(const std::vector<float> &small, const std::vector<float> &picture,
           const std::vector<bool> &known, const glcl::camera::FrameGeometry &frame,
           glcl::camera::Compensation compensation, bool first, const RowLight &rows,
           glcl::camera::CameraState &state);
/// The end of it: what was found goes into the state.
void settle(const Similarity &motion, std::complex<float> bend, double gain, double offset,
            const glcl::camera::FrameGeometry &frame, bool first, const RowLight &rows,
            glcl::camera::CameraState &state);

}  // namespace reference
