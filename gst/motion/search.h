// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <string>

#include "opencl/tuning.h"
#include "plane.h"
#include "vector.h"

namespace glcl::motion {

/// Full search: of every block of the current frame the candidate with the least cost
///
///   SAD + lambda · bits,  SAD = Σ |reference(p + v) − current(p)| over the block's pixels,
///
/// where bits is the length of both components in quarter pixels as signed Exp-Golomb codes (H.264,
/// predictor 0). Of equal costs the first candidate in raster order wins. Edge pixels repeat
/// outside the frame, also in incomplete blocks. All forms give the same keys, bit for bit.
///
/// Instead of one block size it can search all 41 partitions of a macroblock of 16 × 16 px, whose
/// SADs are sums of 4 × 4 SADs. Costs above 65535 are ignored: if no candidate is below, the key is
/// no_key. That can't happen while the vector 0 is a candidate.
///
/// After A. Uta, "Collaborative multi-device motion estimation on multi/many-core platforms",
/// 2012. Cost: (number of candidates) absolute differences per pixel.
class Search {
 public:
  enum class Form {
    tile,    ///< windows in local memory, several candidates per work-item: GPUs
    vector,  ///< explicit vectors, no local memory: CPU devices
  };

  static constexpr int max_lambda = 127;

  /// In place of a block size: all partitions of macroblocks.
  static constexpr int partitions = PARTITIONS;

  /// The variants, by problem "block-4" … "block-32", "partitions".
  static const Tunable &tunable();
  static std::string problem(int block);

  Search() = default;
  /// For blocks of 4, 8, 16 or 32 px, or for `partitions`. Throws Error::settings for other blocks,
  /// Error::failed where the device refuses the kernels.
  /// `limited`: run() takes limits.
  Search(Context &context, int block, const Parameters &parameters, bool limited = false);
  Search(Context &context, int block)
      : Search(context, block, tuned_parameters(tunable(), context.device(), problem(block))) {}

  /// The side of a block, or macroblock, px.
  int side() const { return block_ == partitions ? 16 : block_; }
  /// Blocks in a row and rows of them.
  int columns(const LumaPlane &plane) const { return (plane.width + side() - 1) / side(); }
  int rows(const LumaPlane &plane) const { return (plane.height + side() - 1) / side(); }
  /// Over a whole frame; each macroblock has those of its partitions, from P16X16 on.
  size_t keys(const LumaPlane &plane) const {
    return size_t(columns(plane)) * rows(plane) * (block_ == partitions ? partitions : 1);
  }

  /// Rows of candidates that take about as long as one of them.
  int rows_at_once() const { return std::max(depth_, 1); }

  /// Enqueues the search of `current` in `reference`, two planes of one size; `keys` receives the
  /// keys of the blocks in raster order. Throws Error::settings for windows that are empty or reach
  /// beyond max_range, for lambda beyond 0..max_lambda and for planes of different sizes.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const SearchWindow &window, int lambda, const cl::Buffer &keys);
  /// The same of those candidates within ±limit px, an int on the device for each area of
  /// Plane::strip px in raster order, at least 0.
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

/// The build options for motion/area.clh; `block` as for Search.
std::string area_options(int block);

/// Throws Error::settings as Search::run does.
void check_search(const LumaPlane &current, const LumaPlane &reference, const SearchWindow &window,
                  int lambda);

}  // namespace glcl::motion
