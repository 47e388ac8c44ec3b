// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "candidates.h"
#include "noise/noise.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/lazy.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/tuning.h"
#include "opticalflow/interface.h"
#include "refine.h"

namespace glcl::opticalflow {

struct TileMemory;

/// A flow field on the device: where every pixel of the previous frame went.
struct FlowField {
  int width = 0, height = 0;  ///< px, as the frames
  cl::Buffer vectors;         ///< float2 per pixel, px per frame, +x right, +y down
  cl::Buffer confidence;      ///< float per pixel, 0..1
  cl::Buffer noise;           ///< of the frames, noise::Noise::variances(); null: unknown
};

/// Dense optical flow from the previous frame to the current one (Lucas and Kanade 1981), coarse to
/// fine; each warp solves for the whole vector. Channels::census compares soft differences of
/// opposite neighbours instead of grey values, so that slow changes of brightness do not matter.
/// docs/methods/flow.md has the equations, docs/methods/noise.md the treatment of noise,
/// docs/methods/encoders.md the test of motion against other changes, and
/// docs/methods/signatures.md the search for large motion (Candidates).
class Flow {
 public:
  enum class Channels { grey, census };

  struct Settings {
    int levels = 0;        ///< of the pyramid, 1..; 0: until the short side is about 16 px
    int warps = 2;         ///< per level, 1..20, and one more on the finest
    int window = 15;       ///< side in px, odd, 3..63
    double alpha = 0.001;  ///< on the tensor's diagonal, levels²/px² (grey) or 1/127²/px² (census)
    int median = 5;        ///< 0, 3 or 5: the nine nodes are 0, 1 or 2 apart
    double noise = -1;     ///< of the frames, standard deviation in levels; below 0: measured
    bool check = false;  ///< also computes the flow back to the previous frame; the
                         ///< confidence becomes 0 where both disagree by a pixel or more
    int refinement = 0;  ///< steps of Refinement on each of its levels; census only
  };

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
  int levels(const Settings &settings) const;

  /// Takes the next frame, a picture of the engine's size and layout, and enqueues the flow from
  /// the previous frame; never waits. Returns false without a previous frame; then field() is
  /// undefined. Any setting may differ from the last call. All calls use one queue.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets the previous frame.
  void reset() {
    previous_levels_ = 0;
    noise_.reset();
  }
  /// The result of the last run() that returned true; the next one overwrites it.
  const FlowField &field() const { return field_; }
  /// The smoothed grey of its two frames, for Signatures.
  Plane before() const { return plane(previous_, 0); }
  Plane after() const { return plane(current_, 0); }

  /// The maximum number of levels for frames of this size, and the number for levels=0.
  static int most_levels(int width, int height);
  static int automatic_levels(int width, int height);

 private:
  /// A pyramid level in its buffer, in the layout of the kernels.
  struct FlowLevel {
    int width, height, pitch, offset;
    cl_int4 cl() const { return {{width, height, pitch, offset}}; }
  };
  /// The nodes of a level, the place of their tensors, and the texels between nodes.
  struct Lattice {
    int columns, rows, first_tensor, step;
    Size side() const { return {size_t(columns), size_t(rows)}; }
    cl_int2 size() const { return {{columns, rows}}; }
  };
  /// The lattices of all levels for windows up to a size, finest first.
  struct Lattices {
    cl::Buffer table;
    std::vector<Lattice> of_level;
    std::vector<int> tiles;  // before each level, then the total
  };
  /// A kernel of the solver, for windows with a radius of `radius` nodes.
  struct Solver {
    int radius, sums;  // sums: that an item adds up at a time
    Size group, tile;  // in items and in nodes
    Kernel kernel;
  };
  /// The pyramid of a frame.
  struct Pyramid {
    cl::Buffer grey, census;
    cl::Buffer census_noise;  // the noise variance that census was computed for; -1: not computed
  };
  /// Two frames and the change of brightness between them.
  struct FramePair {
    const Pyramid &before, &after;
    cl::Buffer brightness;          // of the whole frames
    cl::Buffer matched_brightness;  // the same, or measured by matches
  };
  /// A flow on a lattice.
  struct FlowState {
    const cl::Buffer *flow;
    cl_int2 size;
  };

  void allocate();
  void build(Context &context, const Parameters &coarse, const Parameters &dense);
  Program program(Context &context, const std::string &file, const Solver &solver,
                  bool fused = false);
  Solver solver(Context &context, const char *kernel, int radius, Size group, Size tile, int sums);
  void allocate_lattices();
  void add_frame(Queue &queue, const Settings &settings, const Picture &in, int levels_made,
                 int levels);
  bool uses_candidates(int levels) const;
  Queue &side_queue(Queue &queue) const;
  void start_candidates(Queue &queue, const Pyramid &before, const Pyramid &after);
  size_t row_groups(Size group) const;
  TensorSums tensor_sums(const Settings &settings, int tiles, size_t strip) const;
  void sum_tensors(Queue &queue, const Settings &settings, const FramePair &frames, int levels);
  void solve(Queue &queue, const Settings &settings, const Pyramid &before, const Pyramid &after,
             const cl::Buffer &brightness, int levels);
  TileMemory fused_memory(const Settings &settings, const Lattice &lattice) const;
  int last_fused_level(const Settings &settings, int level, int above) const;
  FlowState warp_fused(Queue &queue, const Settings &settings, const FramePair &frames, int level,
                       int last, const FlowState &state, float scale, bool sums);
  FlowState warp(Queue &queue, const Settings &settings, const FramePair &frames, int level,
                 const FlowState &state, float scale);
  FlowState warp(Queue &queue, const Settings &settings, Solver &solver, Size tile, int warps,
                 const FramePair &frames, int level, const FlowState &state, int shift,
                 float scale);
  FlowState select_candidates(Queue &queue, const FramePair &frames, int level, int spacing,
                              const FlowState &state, float scale);
  void dense_warp(Queue &queue, const Settings &settings, const FramePair &frames,
                  const FlowState &state, float scale);
  cl_int2 cells(const Settings &settings) const;
  void verify(Queue &queue, const Settings &settings, const FramePair &frames);
  void upsample(Queue &queue, const Settings &settings, const cl::Buffer &vectors);
  bool refines(const Settings &settings) const {
    return settings.refinement > 0 && channels_ == Channels::census;
  }
  void refine(Queue &queue, const Settings &settings);
  cl::Buffer buffer(size_t bytes);
  template <class Value>
  cl::Buffer filled(std::vector<Value> values, cl_mem_flags use = CL_MEM_READ_ONLY);
  Plane plane(const Pyramid &pyramid, int level) const {
    return {pyramid.grey, levels_[level].pitch, levels_[level].offset};
  }
  const cl::Buffer &texels(const Pyramid &pyramid) const {
    return channels_ == Channels::census ? pyramid.census : pyramid.grey;
  }

  std::shared_ptr<Context> shared_context_;
  cl::Context context_;
  int width_, height_;
  FrameFormat frame_;
  Channels channels_;

  std::vector<FlowLevel> levels_;
  std::vector<cl_float4> noise_gains_;  // by level, see kernels/opticalflow/noise.clh
  cl::Buffer level_table_, gain_table_;
  std::vector<cl_int4> refined_levels_;  // the levels for Refinement
  std::vector<float> refined_gains_;
  Pyramid previous_, current_;
  cl::Buffer brightness_[2];  // gain and offset that adjust the current frame to the previous one;
                              // their inverse
  cl::Buffer matched_brightness_;  // the same, measured by matches
  noise::Noise noise_;
  int previous_levels_ = 0;          // of the previous frame; 0 without one
  bool has_signatures_ = false;      // candidates_ knows the signatures of the previous frame
  bool candidates_started_ = false;  // candidates_->propose() was called for the next flow
  int compute_units_ = 0;
  size_t local_memory_ = 0;  // bytes per group
  int most_steps_ = 1;       // of the solver per launch, if a launch leaves the device idle
  int upsample_rows_ = 8;    // ROWS of flow_upsample

  Kernel grey_, down_, small_, census_, tensors_, verify_, upsample_, check_;
  Solver coarse_, finest_, fused_, dense_;  // fused_: for lattices that one group takes
  Lattices lattices_[3];                    // for windows up to 15, 31 and 63 px
  Size tensor_tile_;
  cl::Buffer zero_, sums_, residuals_, slopes_, flow_[2], result_, confidence_, backward_,
      row_ratios_, evidence_, tally_, keep_factors_;
  std::unique_ptr<Candidates> candidates_;  // null if frames have too few levels
  std::unique_ptr<Queue> side_queue_;       // for candidates_, beside the coarsest levels
  Lazy<Refinement> refinement_;
  FlowField field_;
};

}  // namespace glcl::opticalflow
