// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "noise/noise.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/lazy.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/tuning.h"
#include "refine.h"
#include "seeds.h"

namespace glcl::opticalflow {

struct TileMemory;

/// A flow field on the device: where every pixel of the previous frame went.
struct Field {
  int width = 0, height = 0;  ///< px, those of the frames
  cl::Buffer vectors;         ///< float2 per pixel, px per frame, +x right, +y down
  cl::Buffer confidence;      ///< float per pixel, 0..1
  cl::Buffer noise;           ///< of the frames, noise::Noise::variances(); null: not known
};

/// Dense optical flow from the previous frame to the current one (Lucas and Kanade 1981, coarse to
/// fine, each warp solving for the whole vector).
///
/// Each frame becomes a pyramid: (R + G + B) / 3 smoothed by (1 6 1) / 8, then halved by
/// (1 4 6 4 1) / 16. From the coarsest level on, `warps` times: the flow is smoothed by a median,
/// the texel of each node of a lattice looks at where it went in the current frame, and the nodes
/// of a Gaussian window around each node vote: with g the gradient of the previous frame and d the
/// difference that is left there,
///
///   Σ w (g gᵀ + v I) flow' = Σ w ((g gᵀ + v I) flow - g d),    v = alpha + 0.001 |g|²,
///
/// so a texel without texture votes for the flow it has, and so does one that left the frame. The
/// step then goes 1.4 times as far; on the finest level one more goes as far as it should. d is
/// clamped to 10 levels. The sums on the left are made once per level.
///
/// The noise of the frames (noise::Noise, of the grey) holds this back. A step counts along an axis
/// of the window's tensor as far as its eigenvalue exceeds what noise alone may give: not at all up
/// to half a standard deviation above it, all from twice that on; for a node that stands still six
/// standard deviations. A node stands still that moves by less than 0.1 texels, by parts to 0.2; it
/// begins to move only where the step explains 14 to 28 times the change in brightness that one of
/// its components would by chance: of the change that noise makes or, if that is more, of 0.7 of
/// the change there that no motion explains, up to what an encoder may leave (8 levels² of coding
/// noise, of census 1; none from 3 levels of noise on). What noise gives the eigenvalues of a node
/// that stands still grows as much. d is clamped to no less than three times its noise, the median
/// takes nodes twice as far apart (by parts, from 1 to 2 levels of noise), and what noise adds to
/// the eigenvalues does not count for the confidence. Coding noise holds back what stands still
/// only; it is taken to fall by 2^-1.2 in variance from level to level. Of the vectors that come of
/// all this those are kept that explain what changes between the frames, by
/// kernels/opticalflow/support.clh, and more than renewed noise (noise::Noise). Where the vectors
/// of 112 px around, weighted by how sure they are, deviate by hardly more than noise may make of
/// one motion (0.02 px for each level and one), their mean takes the place of a moving one's that
/// is within 0.5 to 1 px of it, by parts from 1 to 2 levels of noise.
///
/// Motion that is lost on the coarse levels is found again by matches of single pixels (Seeds).
///
/// With s = 1 for windows up to 15, 2 up to 31, 4 up to 63, nodes lie 2 s texels apart and a window
/// has 7 taps per axis; on the finest level 4 s and 3 taps, but for its last warp: there a node is
/// the middle of four texels s apart and takes the mean of their votes, 7 taps. The Gaussian has
/// sigma = window / 6, the spread of the four texels included. So the cost does not depend on the
/// window. Between nodes the flow is interpolated.
///
/// Grey follows light that changes over the whole frame: the current frame gets the mean and the
/// deviation that the previous one has (on the coarsest level that levels=0 takes), but for the
/// 1 level and 6 % that scenery may change which comes and goes, unless a fifth of the difference
/// between the frames is that. Channels::census compares in place
/// of the grey four soft comparisons of opposite neighbours, d / sqrt(d² + 2.5² + n²) with n six
/// times the deviation that noise gives d, which light that changes slowly across the picture does
/// not alter.
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
  const Field &field() const { return field_; }
  /// The grey of the two frames that it took, smoothed, for signatures::Signatures.
  Plane before() const { return plane(previous_, 0); }
  Plane after() const { return plane(current_, 0); }

  /// The levels that frames of this size have at most, and how many levels=0 takes.
  static int most_levels(int width, int height);
  static int automatic_levels(int width, int height);

 private:
  static constexpr int most_taps = 8;

  /// A pyramid level in its buffer, as the kernels have it.
  struct Level {
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
  struct Window {
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
  struct Frames {
    const Pyramid &before, &after;
    cl::Buffer light;  // by the frames as wholes
    cl::Buffer relit;  // the same, or by what matches
  };
  /// A flow on a lattice.
  struct State {
    const cl::Buffer *flow;
    cl_int2 size;
  };

  void build(Context &context, const Parameters &coarse, const Parameters &dense);
  Program program(Context &context, const std::string &file, const Solver &solver,
                  bool whole = false);
  Solver solver(Context &context, const char *kernel, int radius, Size group, Size tile, int sums);
  void lay_out();
  void take(Queue &queue, const Settings &settings, const Picture &in, int taken, int levels);
  bool seeds(int levels) const;
  Queue &beside(Queue &queue) const;
  void begin_seeds(Queue &queue, const Pyramid &before, const Pyramid &after);
  size_t row_groups(Size group) const;
  void sum_tensors(Queue &queue, const Settings &settings, const Frames &frames, int levels);
  void solve(Queue &queue, const Settings &settings, const Pyramid &before, const Pyramid &after,
             const cl::Buffer &light, int levels);
  TileMemory whole_memory(const Settings &settings, const Lattice &lattice) const;
  int last_whole(const Settings &settings, int level, int above) const;
  State warp_whole(Queue &queue, const Settings &settings, const Frames &frames, int level,
                   int last, const State &state, float scale, bool sums);
  State warp(Queue &queue, const Settings &settings, const Frames &frames, int level,
             const State &state, float scale);
  State warp(Queue &queue, const Settings &settings, Solver &solver, Size tile, int warps,
             const Frames &frames, int level, const State &state, int shift, float scale);
  State seed(Queue &queue, const Frames &frames, int level, int apart, const State &state,
             float scale);
  void last_warp(Queue &queue, const Settings &settings, const Frames &frames, const State &state,
                 float scale);
  cl_int2 cells(const Settings &settings) const;
  void support(Queue &queue, const Settings &settings, const Frames &frames);
  void finish(Queue &queue, const Settings &settings, const cl::Buffer &vectors);
  bool refines(const Settings &settings) const {
    return settings.refinement > 0 && channels_ == Channels::census;
  }
  void refine(Queue &queue, const Settings &settings);
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

  std::vector<Level> levels_;
  std::vector<cl_float4> noise_gains_;  // by level, see kernels/opticalflow/noise.clh
  cl::Buffer level_table_, gain_table_;
  std::vector<cl_int4> refined_levels_;  // those that Refinement takes
  std::vector<float> refined_gains_;
  Pyramid previous_, current_;
  cl::Buffer light_[2];  // gain and offset of the current frame by the previous one; back
  cl::Buffer relit_;     // the same by matches
  noise::Noise noise_;
  int previous_levels_ = 0;  // that there are of the previous frame; 0 where there is none
  bool seeded_ = false;      // the seeds have the signatures of what the last flow led to
  bool begun_ = false;       // and what they need first of what the next one starts from
  int compute_units_ = 0;
  size_t local_memory_ = 0;  // bytes that a group may have
  int most_steps_ = 1;       // of the solver in a launch that leaves the device idle
  int finish_rows_ = 8;      // ROWS of flow_finish

  Kernel grey_, down_, small_, census_, tensors_, support_kernel_, finish_, check_;
  Solver coarse_, finest_, whole_, last_;  // whole_: lattices that one group takes
  Lattices lattices_[3];                   // for windows up to 15, 31 and 63 px
  Size tensor_tile_;
  cl::Buffer zero_, sums_, rests_, slopes_, flow_[2], result_, certain_, backward_, rows_, support_,
      votes_, kept_;
  std::unique_ptr<Seeds> seeds_;   // none where frames have too few levels
  std::unique_ptr<Queue> beside_;  // for these where nothing else needs what they find at once
  Lazy<Refinement> refinement_;
  Field field_;
};

}  // namespace glcl::opticalflow
