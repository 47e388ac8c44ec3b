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
#include "refine.h"

namespace glcl::opticalflow {

struct TileMemory;

/// A flow field on the device: where every pixel of the previous frame went.
struct FlowField {
  int width = 0, height = 0;  ///< px, those of the frames
  cl::Buffer vectors;         ///< float2 per pixel, px per frame, +x right, +y down
  cl::Buffer confidence;      ///< float per pixel, 0..1
  cl::Buffer noise;           ///< of the frames, noise::Noise::variances(); null: not known
};

/// Dense optical flow from the previous frame to the current one (Lucas and Kanade 1981), coarse to
/// fine; each warp solves for the whole vector. Channels::census compares soft differences of
/// opposite neighbours instead of grey values, so that slow changes of light do not matter.
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
    int median = 5;        ///< 0, 3 or 5: of the nine nodes 0, 1 or 2 apart
    double noise = -1;     ///< of the frames, standard deviation in levels; below 0: measured
    bool check = false;  ///< flow from the current frame to the previous one as well: confidence
                         ///< becomes 0 where both do not agree within a pixel
    int refinement = 0;  ///< steps of Refinement on each of its levels; of census only
  };

  static const Tunable &tunable();
  /// Of local memory that a variant takes.
  static size_t local_bytes(const Parameters &variant);

  /// Builds the programs for frames of width × height px and allocates. Throws Error::settings
  /// where the device has not the memory, Error::failed where it refuses kernels.
  Flow(Context &context, int width, int height, Layout layout, Channels channels);
  /// With variants of the kernels: before the last warp of a level, and for that one.
  Flow(Context &context, int width, int height, Layout layout, Channels channels,
       const Parameters &coarse, const Parameters &dense);

  /// Builds what these settings need beyond what the constructor did, and waits for it. Without
  /// this call run() has it built in the background and does without it meanwhile.
  void prepare(const Settings &settings);

  /// What run() takes.
  Layout layout() const { return layout_; }
  /// How many levels settings ask for.
  int levels(const Settings &settings) const;

  /// Takes the next frame, a picture of the engine's size and layout, and enqueues the flow from
  /// the frame before; never waits. False where there is none: field() then means nothing. Any
  /// setting may differ from the last call's. All calls go to one queue.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  /// Forgets the previous frame.
  void reset() {
    previous_levels_ = 0;
    noise_.reset();
  }
  /// What the last run() that was true enqueued; overwritten by the next one.
  const FlowField &field() const { return field_; }
  /// The grey of the two frames that it took, smoothed, for Signatures.
  Plane before() const { return plane(previous_, 0); }
  Plane after() const { return plane(current_, 0); }

  /// The levels that frames of this size have at most, and how many levels=0 takes.
  static int most_levels(int width, int height);
  static int automatic_levels(int width, int height);

 private:
  static constexpr int most_taps = 8;

  /// A pyramid level in its buffer, as the kernels have it.
  struct FlowLevel {
    int width, height, pitch, offset;
    cl_int4 cl() const { return {{width, height, pitch, offset}}; }
  };
  /// Nodes of a level, where their tensors stand, and texels from one to the next.
  struct Lattice {
    int columns, rows, first_tensor, step;
    Size side() const { return {size_t(columns), size_t(rows)}; }
    cl_int2 size() const { return {{columns, rows}}; }
  };
  /// The lattices of all levels for windows up to some size, finest first.
  struct Lattices {
    cl::Buffer table;
    std::vector<Lattice> of_level;
    std::vector<int> tiles;  // before each level, and in all
  };
  /// Taps from the middle on; the same layout as in the kernels.
  struct WindowTaps {
    cl_float tap[most_taps];
  };
  /// A kernel that solves, for windows that reach `radius` nodes.
  struct Solver {
    int radius, sums;  // that an item adds up at a time
    Size group, tile;  // items; nodes
    Kernel kernel;
  };
  /// The pyramid of a frame.
  struct Pyramid {
    cl::Buffer grey, census;
    cl::Buffer softened;  // the variance of noise that census went by; -1 where there is none
  };
  /// Two frames, and how light the one is by the other.
  struct FramePair {
    const Pyramid &before, &after;
    cl::Buffer brightness;          // by the frames as wholes
    cl::Buffer matched_brightness;  // the same, or by what matches
  };
  /// A flow on a lattice.
  struct FlowState {
    const cl::Buffer *flow;
    cl_int2 size;
  };

  void allocate();
  void build(Context &context, const Parameters &coarse, const Parameters &dense);
  Program program(Context &context, const std::string &file, const Solver &solver,
                  bool whole = false);
  Solver solver(Context &context, const char *kernel, int radius, Size group, Size tile, int sums);
  void lay_out();
  void take(Queue &queue, const Settings &settings, const Picture &in, int taken, int levels);
  bool uses_candidates(int levels) const;
  Queue &side_queue(Queue &queue) const;
  void begin_candidates(Queue &queue, const Pyramid &before, const Pyramid &after);
  size_t row_groups(Size group) const;
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
  FlowState seed(Queue &queue, const FramePair &frames, int level, int spacing,
                 const FlowState &state, float scale);
  void last_warp(Queue &queue, const Settings &settings, const FramePair &frames,
                 const FlowState &state, float scale);
  cl_int2 cells(const Settings &settings) const;
  void support(Queue &queue, const Settings &settings, const FramePair &frames);
  void finish(Queue &queue, const Settings &settings, const cl::Buffer &vectors);
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

  std::shared_ptr<Context> shared_;
  cl::Context context_;
  int width_, height_;
  Layout layout_;
  Channels channels_;

  std::vector<FlowLevel> levels_;
  std::vector<cl_float4> noise_gains_;  // by level, see kernels/opticalflow/noise.clh
  cl::Buffer level_table_, gain_table_;
  std::vector<cl_int4> refined_levels_;  // those that Refinement takes
  std::vector<float> refined_gains_;
  Pyramid previous_, current_;
  cl::Buffer brightness_[2];       // gain and offset of the current frame by the previous one; back
  cl::Buffer matched_brightness_;  // the same by matches
  noise::Noise noise_;
  int previous_levels_ = 0;      // that there are of the previous frame; 0 where there is none
  bool has_signatures_ = false;  // the seeds have the signatures of what the last flow led to
  bool begun_ = false;           // and what they need first of what the next one starts from
  int compute_units_ = 0;
  size_t local_memory_ = 0;  // bytes that a group may have
  int most_steps_ = 1;       // of the solver in a launch that leaves the device idle
  int finish_rows_ = 8;      // ROWS of flow_finish

  Kernel grey_, down_, small_, census_, tensors_, support_kernel_, finish_, check_;
  Solver coarse_, finest_, fused_, last_;  // fused_: lattices that one group takes
  Lattices lattices_[3];                   // for windows up to 15, 31 and 63 px
  Size tensor_tile_;
  cl::Buffer zero_, sums_, residuals_, slopes_, flow_[2], result_, confidence_, backward_, rows_,
      support_, votes_, kept_;
  std::unique_ptr<Candidates> candidates_;  // none where frames have too few levels
  std::unique_ptr<Queue> side_queue_;  // for these where nothing else needs what they find at once
  Lazy<Refinement> refinement_;
  FlowField field_;
};

}  // namespace glcl::opticalflow
