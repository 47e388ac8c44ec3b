// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "motion.h"

namespace glcl::motion {

/// Draws what a block motion search found. Every call enqueues a picture of the last frame of a
/// search, whose input was `in`; nothing waits.
class View {
 public:
  /// For pictures of a layout. Throws Error::failed where the device refuses the kernels.
  View(Context &context, Layout layout);

  /// The prediction, in grey.
  void show_prediction(Queue &queue, const Motion &motion, const Picture &in, const Picture &out);
  /// 128 + what the prediction lacks, in grey.
  void show_residual(Queue &queue, const Motion &motion, const Picture &in, const Picture &out);
  /// The input with the edges of blocks, and arrows from where they were to where they are.
  void show_vectors(Queue &queue, const Motion &motion, const Picture &in, const Picture &out);

 private:
  Kernel plane_, residual_, grid_, arrows_;
};

}  // namespace glcl::motion
