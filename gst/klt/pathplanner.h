// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "klt/interface.h"
#include "stabilizer.h"

namespace glcl::klt {

/// Plans where frames are shown once the camera's motion in later frames is known. Over these
/// frames the path of the stabilized picture gets the smallest squared second differences of
/// position, rotation and logarithm of scale that the margin allows. Its first frame is shown. A
/// path ends and begins at a cut. Unknown motions of the camera lie between the known ones around
/// them.
///
/// Everything stays on the device, and no call waits.
class PathPlanner {
 public:
  static constexpr int most = MOST_AHEAD;  ///< frames, the largest look-ahead
  /// Weight of the squared distance between the smooth path and the one within the margin.
  static constexpr double path_step = 0.003;

  /// Throws Error::failed if the device refuses kernels or memory.
  explicit PathPlanner(Context &context);

  /// Enqueues the motion of the camera to the frame of the last Stabilizer::run(). Returns the
  /// number of the frame. `ahead`: look-ahead, 1 to `most` frames.
  int64_t record(Queue &queue, const Stabilizer::Settings &settings, int ahead,
                 const Stabilizer &stabilizer, const Klt &klt);
  /// The next recorded frame does not follow the last one.
  void forget() { forgotten_ = true; }
  /// Enqueues the plan for a frame by all frames up to the last one. Every frame is planned once,
  /// in order, at most `most` frames later.
  void plan(Queue &queue, const Stabilizer::Settings &settings, const Stabilizer &stabilizer,
            int64_t frame);
  /// The StabilizerState of the last planned frame.
  const cl::Buffer &state() const { return state_; }

  /// The weights of the squared first differences of a path, of its second differences, and of its
  /// distance from the middle of the margin.
  struct PathWeights {
    double jump, bend, pull;
  };
  static PathWeights weights(int smoothing);
  /// The inverses of the equations of 1, 2, … `frames` positions, each after none, one and two
  /// earlier positions, with `path_step` added to their diagonals.
  static std::vector<float> inverses(int frames, const PathWeights &weights);

 private:
  void make_matrices(Queue &queue, int frames, int smoothing);

  Kernel record_, plan_;
  cl::Buffer steps_, shown_, state_, matrices_;
  int64_t next_ = 0;   // number of the next frame
  int ahead_ = 1;      // look-ahead of the last frame
  int frames_ = 0;     // rows of the largest matrix
  int smoothing_ = 0;  // of the matrices
  bool forgotten_ = true;
};

}  // namespace glcl::klt
