// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <string>

#include "opencl/tuning.h"
#include "plane.h"
#include "vector.h"

namespace glcl::motion {

/// Full search: finds for every block of the current frame the candidate of least cost
///
///   SAD + lambda · bits,  SAD = Σ |reference(p + v) − current(p)| over the block's pixels,
///
/// where bits is the length of both components in quarter pixels as signed Exp-Golomb codes (H.264,
/// predictor 0). If costs are equal, the first candidate in raster order wins. Edge pixels repeat
/// outside the frame, also in incomplete blocks. All forms give the same keys, bit for bit.
///
/// Instead of one block size it can search all 41 partitions of a macroblock of 16 × 16 px. Their
/// SADs are sums of the SADs of 4 × 4 px. Costs above 65535 are ignored: if no candidate is below,
/// the key is no_key. That can't happen while the vector 0 is a candidate.
///
/// After A. Uta, "Collaborative multi-device motion estimation on multi/many-core platforms",
/// 2012. Cost: (number of candidates) absolute differences per pixel.
class Search {
 public:
  enum class Form {
    tile,    ///< windows in local memory, several candidates per work-item; for GPUs
    vector,  ///< explicit vectors, no local memory; for CPUs
  };

  static constexpr int max_lambda = 127;

  /// Replaces the block size: all partitions of macroblocks.
  static constexpr int partitions = PARTITIONS;

  /// The variants, by problem "block-4" … "block-32", "partitions".
  static const Tunable &tunable();
  static std::string problem(int block);

  Search() = default;
  /// For blocks of 4, 8, 16 or 32 px, or for `partitions`. `limited`: run() needs limits. Throws
  /// Error::settings for other blocks, Error::failed if the device refuses the kernels.
  Search(Context &context, int block, const Parameters &parameters, bool limited = false);
  Search(Context &context, int block)
      : Search(context, block, tuned_parameters(tunable(), context.device(), problem(block))) {}

  /// The side of a block, or macroblock, px.
  int side() const { return block_ == partitions ? 16 : block_; }
  /// The number of columns and rows of blocks.
  int columns(const LumaPlane &plane) const { return (plane.width + side() - 1) / side(); }
  int rows(const LumaPlane &plane) const { return (plane.height + side() - 1) / side(); }
  /// The number of keys of a frame. A macroblock has a key per partition, see
  /// kernels/motion/interface.h.
  size_t keys(const LumaPlane &plane) const {
    return size_t(columns(plane)) * rows(plane) * (block_ == partitions ? partitions : 1);
  }

  /// Rows of candidates that a work-item tries together. Fewer rows take about as long.
  int rows_at_once() const { return std::max(depth_, 1); }

  /// Enqueues the search of `current` in `reference`, two planes of one size; `keys` receives the
  /// keys of the blocks in raster order. Throws Error::settings for windows that are empty or reach
  /// beyond max_range, for lambda beyond 0..max_lambda and for planes of different sizes.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const SearchWindow &window, int lambda, const cl::Buffer &keys);
  /// The same for candidates within ±limit px. `limits`: an int of at least 0 per area of
  /// LumaPlane::strip px, in raster order.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const SearchWindow &window, int lambda, const cl::Buffer &keys,
           const cl::Buffer &limits);

 private:
  template <class... Limit>
  void enqueue(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
               const SearchWindow &window, int lambda, const cl::Buffer &keys,
               const Limit &...limit);

  int block_ = 16, depth_ = 1;
  Form form_ = Form::tile;
  Kernel kernel_;
};

/// The build options of motion/area.clh; `block` as for Search.
std::string area_options(int block);

/// Throws Error::settings for arguments that Search::run() refuses.
void check_search(const LumaPlane &current, const LumaPlane &reference, const SearchWindow &window,
                  int lambda);

}  // namespace glcl::motion
