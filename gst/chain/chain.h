// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "generate.h"
#include "levelmaps.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/tuning.h"

namespace glcl::chain {

/// A chain of filters on frames in RGBA or with a plane of luma, fused into few kernels:
///
///   const Description wanted = parse_chain("gauss(sigma=2) ! grey", "filters", {});
///   Chain chain(context, wanted, {});
///   chain.run(queue, in, out);
///
/// The result equals that of the filters one after the other. Each clamps to 0..1 and rounds to 8
/// bits, or to 16 if frames are planes. Reads outside the frame return its edge. A filter of
/// several frames reads its own input of earlier frames; before the first frame, that of the first
/// frame.
class Chain {
 public:
  struct Options {
    bool live = false;                  ///< parameters may change from frame to frame
    std::optional<FrameFormat> frame;   ///< unset: RGBA in the layout that the device prefers
    std::optional<Parameters> variant;  ///< unset: the tuned one
  };

  /// Parameters: group-x, group-y, rows (pixels of a column per work-item), plan. `plan` is an
  /// index into plans_for() by default_costs(), cheapest first; plan_unfused is a kernel per
  /// filter. Without a given or tuned variant, the plan is the cheapest by tuned_costs() the
  /// device.
  static const Tunable &tunable();
  /// The key of a tuning: the steps with their radii, and a hash of the filters' texts. Other
  /// values with the same radii are the same problem.
  static std::string problem(const Description &description);
  static constexpr int plan_unfused = -1;

  /// Builds the kernels, which may take seconds; any thread. Throws Error::settings, "FILE:LINE:
  /// …", for filters that do not compile (with the log as detail), for a variant that the device
  /// can't run, and for radii that need more local memory than the device has.
  Chain(Context &context, const Description &description, const Options &options);

  Layout layout() const { return frame_.layout; }
  bool live() const { return live_; }
  /// The description with the parameter values in use.
  const Description &description() const { return description_; }
  size_t passes() const { return passes_.size(); }
  const WorkgroupShape &shape() const { return shape_; }
  const Plan &plan() const { return plan_; }
  /// "2 kernels, groups of 32×8, 2 rows: gauss | tile grey"
  std::string describe() const;

  /// True if set() accepts the description: the same filters, and values that these kernels can
  /// take.
  bool takes(const Description &wanted) const;
  /// Sets the values of the next frames. Throws Error::settings unless it takes() them.
  void set(const Description &wanted);

  /// Enqueues the chain from `in` to `out`, two frames of the same size in the chain's format;
  /// never waits. Memory is allocated only after a change of size. All calls use one queue. Kernels
  /// get the moment of the frame and the picture as arguments, only where a filter reads them. The
  /// picture is a buffer of PlaneFormat::rgba8. Throws Error::settings if one is read, and there is
  /// no such picture.
  void run(Queue &queue, const Picture &in, const Picture &out, const Moment &moment = {},
           const Picture &picture = {});

  /// Forgets earlier frames.
  void reset();

 private:
  /// A built pass: its kernel and the earlier frames that it reads.
  struct PassState {
    Kernel kernel;
    int frames = 1;             // number of input frames
    bool exact = false;         // its output is not rounded
    bool moves = false;         // it reads the moment of the frame
    bool shows = false;         // it reads the picture
    std::vector<Picture> ring;  // buffers: copies of the current and earlier inputs
    size_t at = 0, known = 0;
  };

  /// Builds the plan with this number, else the cheapest one. With `shrink` the work-group gets
  /// smaller until the kernels fit the device.
  void build(Context &context, WorkgroupShape shape, std::optional<int> plan, bool shrink);
  bool try_build(Context &context, const WorkgroupShape &shape, std::optional<int> plan);
  void allocate(int width, int height);
  Picture &after(size_t pass);

  std::shared_ptr<Context> context_;
  Description description_;
  FrameFormat frame_;
  bool live_;
  WorkgroupShape shape_;
  std::vector<Stage> stages_;
  Plan plan_;
  std::vector<PassState> passes_;
  Kernel keep_;                 // copies a frame of planes to the first ring
  Picture intermediate_[2][2];  // [exact]: rounded and exact results, used in turn
  int width_ = 0, height_ = 0;
  LevelMaps maps_;
};

}  // namespace glcl::chain
