// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "lumahistory.h"
#include "vectorfield.h"

namespace glcl::motion {

/// Predicts a frame from the previous one by its vectors (motion compensation).
class MotionCompensation {
 public:
  /// For frames of width × height px. Throws cl::Error.
  MotionCompensation(Context &context, int width, int height);

  /// Enqueues the prediction of a frame.
  void run(Queue &queue, const SearchPlanes &planes, const VectorField &field,
           const cl::Buffer &vectors);

  const LumaPlane &predicted() const { return predicted_; }
  /// The samples between the pixels of the reference, for vectors with fractions, see
  /// Subpel::prepare().
  const cl::Buffer &halves() const { return halves_; }

 private:
  Kernel predict_;
  LumaPlane predicted_;
  cl::Buffer halves_;
};

}  // namespace glcl::motion
