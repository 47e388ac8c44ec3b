// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "finish.h"
#include "opencl/lazy.h"
#include "refine.h"

namespace glcl::opticalflow {

/// Dense optical flow from the previous frame to the current one (Lucas and Kanade 1981), coarse to
/// fine. Each warp solves for the whole vector. Channels::census compares soft differences of
/// opposite neighbours instead of grey values, so slow changes of brightness do not matter.
///
/// Pages in docs/methods: flow.md has the equations, noise.md the treatment of noise, encoders.md
/// the verification of the flow, signatures.md the search for large motion (Candidates).
class Flow {
 public:
  using Channels = FlowChannels;
  using Settings = FlowSettings;

  /// The variants: group-x, group-y (items), tile-x, tile-y (nodes, see SolverForm), sums (sums of
  /// an item at a time), steps (warps per launch, "coarse" only). Problems: "coarse", the warps of
  /// a level, and "dense", the last warp of the finest level.
  static const Tunable &tunable();
  /// Local memory of a group with this variant, bytes.
  static size_t local_bytes(const Parameters &variant);

  /// Builds the programs for frames of width × height px and allocates. Throws Error::settings if
  /// the device lacks memory, Error::failed if it refuses kernels.
  Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels);
  /// The same with variants for the two problems of tunable().
  Flow(Context &context, int width, int height, const FrameFormat &frame, Channels channels,
       const Parameters &coarse, const Parameters &dense);

  /// Builds Refinement if these settings use it, and waits for it. Without this call run() builds
  /// it in the background and skips refinement in the meantime.
  void prepare(const Settings &settings);

  /// Changes the pixel format of the next frames for run(). The previous frame stays if its grey
  /// can be compared.
  void set_format(const FrameFormat &frame);
  /// The layout of the frames for run().
  Layout layout() const { return frame_.layout; }
  /// The number of levels for these settings.
  int levels(const Settings &settings) const { return pyramids_.levels(settings); }

  /// Takes the next frame, a picture of the engine's size and layout, and enqueues the flow from
  /// the previous frame; never waits. Returns false without a previous frame; then field() is
  /// undefined. Any setting may change between calls. All calls use one queue. Throws
  /// Error::settings for other pictures, Error::failed if OpenCL refuses.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets the previous frame.
  void reset() { pyramids_.reset(); }
  /// The result of the last run() that returned true; the next one overwrites it.
  const FlowField &field() const { return finish_.field(); }
  /// The smoothed grey of the last two frames, for Signatures.
  Plane before() const { return pyramids_.plane(pyramids_.previous(), 0); }
  Plane after() const { return pyramids_.plane(pyramids_.current(), 0); }

  /// The maximum number of levels for frames of this size, and the number for levels=0.
  static int most_levels(int width, int height) { return FlowPyramids::most_levels(width, height); }
  static int automatic_levels(int width, int height) {
    return FlowPyramids::automatic_levels(width, height);
  }

 private:
  /// True if a pyramid of so many levels has one above the level of the selection.
  bool has_candidates(int levels) const;
  void find_flow(Queue &queue, const Settings &settings, int levels, CandidateSearch *candidates,
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
  std::vector<cl_int4> refined_levels_;  // for Refinement
  std::vector<float> refined_gains_;
};

}  // namespace glcl::opticalflow
