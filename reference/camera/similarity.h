// SPDX-License-Identifier: LGPL-2.1-or-later
// Motions of a camera: similarities, as kernels/camera/similarity.clh.
#pragma once

#include <complex>

#include "camera/ransac.h"

namespace reference {

using Complex = std::complex<float>;
using Similarity = glcl::camera::SimilarityMotion;

inline Complex shift(const Similarity &motion) { return {motion.x, motion.y}; }
inline Complex turn(const Similarity &motion) { return {motion.dilation, motion.rotation}; }
Similarity similarity(Complex shift, Complex turn);
Complex vector_at(const Similarity &motion, Complex z);
Similarity after(const Similarity &first, const Similarity &then);
Similarity inverse(const Similarity &motion);

/// With the perspective of a rotating camera, and the inverse.
Complex bent(const Similarity &motion, Complex bend, Complex z);
Complex unbent(const Similarity &back, Complex bend, Complex z);
struct Bent {
  Similarity motion;
  Complex bend;

  Complex from(Complex z) const { return bent(motion, bend, z); }
};

}  // namespace reference
