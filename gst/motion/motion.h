// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <vector>

#include "hierarchical.h"
#include "multidevicesearch.h"
#include "noise/noise.h"
#include "noisegate.h"
#include "opencl/lazy.h"
#include "range.h"
#include "search.h"
#include "subpel.h"

namespace glcl::motion {

/// Estimates block motion between the frames of a stream: a field of vectors, and the picture that
/// it predicts.
class BlockMotion {
 public:
  enum class Method { full, hierarchical, hexagon };
  enum class Precision { full, half, quarter };
  /// Maximum frames in flight with several devices: next() makes `queue` wait for the results of
  /// older ones.
  static constexpr int most_in_flight = 6;

  struct Settings {
    Method method = Method::full;
    /// px, 0 … motion::max_range: candidates −range … +range on both axes. 0: between min_range and
    /// max_range. A full search on one device adapts to each area, see Range. One on several
    /// devices uses min_range if that reaches target_psnr; all others use max_range.
    int range = 0;
    int min_range = 16, max_range = 0;  ///< px, up to motion::max_range; 0: largest_range()
    double target_psnr = 0;             ///< dB, reduces the range with range = 0; 0: no target
    int block = 16;                     ///< px: 4, 8, 16 or 32
    bool partitions = false;  ///< instead of `block`: macroblocks of 16 px, divided at least cost
    Precision precision = Precision::full;
    int lambda = 4;    ///< cost of a bit of a vector, 0 … Search::max_lambda
    double noise = 0;  ///< standard deviation, levels; below 0: measured; 0: without NoiseGate
  };

  /// The layout of a result: three arrays, each aligned to 64 bytes. They have a Vector per cell, a
  /// cost of 32 bits per block, and a shape of 16 bits per block. The shape of an undivided block
  /// is 0. Otherwise bits 0–1 are the division of the macroblock (1: 16×8, 2: 8×16, 3: quarters),
  /// bits 2 + 2q and 3 + 2q that of quarter q.
  struct VectorField {
    VectorField() = default;
    VectorField(const Settings &settings, int width, int height);

    int cell = 0, columns = 0, rows = 0;               ///< px between vectors; size of the field
    int block = 0, block_columns = 0, block_rows = 0;  ///< px; blocks along x and y
    int range = 0;                                     ///< of the search, px; 0: see MotionSummary
    size_t costs = 0, shapes = 0;                      ///< offsets of these arrays, bytes
    size_t bytes = 0;                                  ///< of all arrays
  };

  /// The statistics of a frame.
  struct MotionSummary {
    double mse = 0;                 ///< of the prediction, levels²
    double zero = 0;                ///< fraction of the cells with the vector 0
    double mean_x = 0, mean_y = 0;  ///< of the vectors, px
    double changed = 0;             ///< fraction of the pixels that changed by more than noise
    double explained = 0;  ///< fraction of these that the prediction matches; 0 without any
    double noise = 0;      ///< of the frames, standard deviation in levels
    int range = 0;         ///< of the search, px; if it adapts, the root mean square of its areas

    MotionSummary() = default;
    /// From the downloaded result of sum_up(), sums_bytes, for a frame with this field.
    MotionSummary(const VectorField &field, int width, int height, const void *sums);
    double psnr() const;  ///< dB, relative to 255; infinite if mse is 0
    /// True if the vectors explain so little that they say nothing about the camera: less than half
    /// of the changed pixels, and the others cover over a fifth of the frame.
    bool fails() const;
  };

  /// The value of max_range = 0: a 30th of the longer side, but at least 64 px and at most
  /// motion::max_range.
  static int largest_range(int width, int height);

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  BlockMotion(Context &context, int width, int height, const FrameFormat &frame);
  /// Waits for searches on several devices.
  ~BlockMotion();
  /// Sets another pixel format or colorimetry for the next frames. The state of earlier frames
  /// stays.
  void set_format(const FrameFormat &frame) { luma_ = LumaConverter(*context_, frame); }

  /// Lets the devices of a pool share full searches; null: only the device of the context searches.
  /// Call it before prepare() and next(). Throws Error::failed if the device refuses memory.
  void share(std::unique_ptr<DevicePool> pool);

  /// Builds the engines for the block size of these settings, and waits for them. Without this call
  /// the first next() does so. Later ones build in the background, and meanwhile keep blocks,
  /// method and range of the last frame.
  void prepare(const Settings &settings);
  /// True if the engines for these settings are built; otherwise builds them in the background.
  /// Throws the error of a failed build once.
  bool ready(const Settings &settings);

  /// Enqueues the search of `in` in the previous frame, and its prediction. Returns false for a
  /// first frame, which has zero vectors and predicts itself. Only `queue` reads `in`; use the
  /// outputs on the queue results(). `shown`: they are drawn over `in`. Throws Error::settings as
  /// Search::run().
  bool next(Queue &queue, const Settings &requested, const Picture &in, bool shown = false);
  /// The queue for the results of next(). It is `queue` with one device, for a frame that is shown,
  /// and when profiling. Otherwise it is a second queue, so that `queue` can process the next
  /// frames meanwhile; its users flush it.
  Queue &results(Queue &queue) {
    return side_queue_ && !shown_ && !queue.profiles() ? *side_queue_ : queue;
  }
  /// Makes the next frame a first one.
  void reset();

  /// The field of the last frame.
  const VectorField &field() const { return field_; }
  /// The error of the last search if several devices shared it; else null. After a failure all
  /// vectors are 0.
  std::shared_ptr<const DeferredError> deferred_error() const { return deferred_error_; }
  /// Enqueues a copy of the last frame's field to a buffer of field().bytes.
  void copy_field(Queue &queue, const cl::Buffer &to);
  /// Enqueues the sums of the last frame for MotionSummary; the next call overwrites them.
  const cl::Buffer &sum_up(Queue &queue);
  /// Sums of 256 groups; then noise and range.
  static constexpr size_t sums_bytes = 257 * SUM_VALUES * sizeof(cl_long);

  /// The luma and the prediction of the last frame, and the arrays of its field that the renderer
  /// needs.
  const LumaPlane &current() const { return plane(number_); }
  const LumaPlane &predicted() const { return predicted_; }
  const cl::Buffer &vectors() const { return blocks().vectors; }
  const cl::Buffer &shapes() const { return blocks().shapes; }
  /// The noise of the frames, from the second frame on.
  const noise::Noise &noise() const { return noise_; }

 private:
  /// The engines for one block size.
  struct BlockEngines {
    Search search;
    Hierarchy hierarchy;
    Hexagon hexagon;
    Subpel subpel;
    NoiseGate noise_gate;
    cl::Buffer keys, gated_keys, vectors, costs, shapes;  // gated_keys: after noise_gate
    std::unique_ptr<MultiDeviceSearch> pool;
  };

  /// The parts of a search with adaptive range, for one block size.
  struct AdaptiveSearch {
    Search search;
    Range range;
  };

  AdaptiveSearch build_adaptive(int block) const;
  void choose_range(Settings &settings);
  double largest_error(const Settings &settings) const;
  BlockEngines build(const Settings &settings) const;
  const BlockEngines &blocks() const { return *blocks_.at(block_).value(); }
  BlockEngines &blocks() { return *blocks_.at(block_).value(); }
  const LumaPlane &plane(uint64_t number) const { return planes_[number % planes_.size()]; }
  const LumaPlane &reference() const { return plane(frames_ > 1 ? number_ - 1 : number_); }
  void wait_for_plane(Queue &queue);
  void search(Queue &queue, Queue &results, const Settings &settings);

  Context *context_;
  int width_, height_;
  LumaConverter luma_;
  Kernel field_kernel_, choose_, predict_, sums_kernel_;

  std::vector<LumaPlane> planes_;  // of the last frames, in turn
  LumaPlane predicted_;
  cl::Buffer halves_, sums_;
  noise::Noise noise_;
  std::unique_ptr<DevicePool> pool_;
  std::shared_ptr<const DeferredError> deferred_error_;
  std::shared_ptr<Queue> side_queue_;  // for the results of a pool
  bool shown_ = false;                 // the last frame is drawn
  std::shared_ptr<Queue> last_queue_;  // results() of the last frame, with a pool
  std::vector<cl::Event> plane_ends_;  // of the use of planes_ on that queue, with a pool

  std::map<int, Lazy<BlockEngines>> blocks_;  // by block size
  std::map<int, Lazy<AdaptiveSearch>> adaptive_;
  AdaptiveSearch *adaptive_search_ = nullptr;  // of the last search; null if it did not adapt
  MultiDeviceSearch::PreliminarySearch preliminary_;  // of the last search on several devices
  bool adapted_before_ = false;                       // the previous frame adapted too
  bool has_sums_ = false;                             // sums_ is of the previous frame
  Settings last_settings_;                            // of the last search
  int block_ = 0;        // of the last frame, as for Search; 0 before the first
  uint64_t frames_ = 0;  // since the last reset
  uint64_t number_ = 0;  // of the last frame, never reset
  VectorField field_;
};

}  // namespace glcl::motion
