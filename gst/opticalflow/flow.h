// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "finish.h"
#include "opencl/lazy.h"
#include "refine.h"

namespace glcl::opticalflow {

/// Dense optical flow from the previous frame to the current one (Lucas and Kanade 1981), coarse to
/// fine; each warp solves for the whole vector. Channels::census compares soft differences of
/// opposite neighbours instead of grey values, so that slow changes of brightness do not matter.
/// docs/methods/flow.md has the equations, docs/methods/noise.md the treatment of noise,
/// docs/methods/encoders.md the test of motion against other changes, and
/// docs/methods/signatures.md the search for large motion (Candidates).
class Flow {
 public:
  using Channels = FlowChannels;
  using Settings = FlowSettings;

  static const Tunable &tunable();
  /// Local memory of a variant.
  static size_t local_bytes(const Parameters &variant);

  /// Builds the programs for frames of width × height px and allocates. Throws Error::settings if
  /// the device lacks memory, Error::failed if it refuses kernels.
  Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels);
  /// With variants of the kernels: for the warps of a level, and for the last one of the finest
  /// level.
  Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels,
       const Parameters &coarse, const Parameters &dense);

  /// Builds what these settings need in addition to the constructor, and waits for it. Without this
  /// call run() builds it in the background and works without it in the meantime.
  void prepare(const Settings &settings);

  /// The layout of the frames for run().
  Layout layout() const { return frame_.layout; }
  /// The number of levels for these settings.
  int levels(const Settings &settings) const { return pyramids_.levels(settings); }

  /// Takes the next frame, a picture of the engine's size and layout, and enqueues the flow from
  /// the previous frame; never waits. Returns false without a previous frame; then field() is
  /// undefined. Any setting may differ from the last call. All calls use one queue.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets the previous frame.
  void reset() { pyramids_.reset(); }
  /// The result of the last run() that returned true; the next one overwrites it.
  const FlowField &field() const { return finish_.field(); }
  /// The smoothed grey of its two frames, for Signatures.
  Plane before() const { return pyramids_.plane(pyramids_.previous(), 0); }
  Plane after() const { return pyramids_.plane(pyramids_.current(), 0); }

  /// The maximum number of levels for frames of this size, and the number for levels=0.
  static int most_levels(int width, int height) { return FlowPyramids::most_levels(width, height); }
  static int automatic_levels(int width, int height) {
    return FlowPyramids::automatic_levels(width, height);
  }

 private:
  /// Whether candidates are of use with so many levels.
  bool has_candidates(int levels) const;
  void find(Queue &queue, const Settings &settings, int levels, CandidateSearch *candidates,
            bool backward);
  bool refines(const Settings &settings) const {
    return settings.refinement > 0 && channels_ == Channels::census;
  }
  void refine(Queue &queue, const Settings &settings);

  std::shared_ptr<Context> context_;
  FrameFormat frame_;
  Channels channels_;
  FlowPyramids pyramids_;
  FlowSolver solver_;
  FlowFinish finish_;
  std::unique_ptr<CandidateSearch> candidates_;  // null if frames have too few levels
  Lazy<Refinement> refinement_;
  std::vector<cl_int4> refined_levels_;  // the levels for Refinement
  std::vector<float> refined_gains_;
};

}  // namespace glcl::opticalflow
