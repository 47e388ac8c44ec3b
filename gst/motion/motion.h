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

/// Block motion between the frames of a stream: a field of vectors and the picture that it
/// predicts. Nothing waits.
class BlockMotion {
 public:
  enum class Method { full, hierarchical, hexagon };
  enum class Precision { full, half, quarter };
  /// Frames of whose results some may still be under way, with several devices: `queue` waits in
  /// next() for those of the frame so many before.
  static constexpr int most_under_way = 6;

  struct Settings {
    Method method = Method::full;
    int range = 0;  ///< px, 0 … max_range: candidates −range … +range on both axes; 0: as
                    ///< far as each area needs (Range)
    int min_range = 16, max_range = 0;  ///< px, … max_range: with range = 0; a full search by one
                                        ///< device adapts, one by several may have the least with
                                        ///< a target, others have max_range; 0: largest_range()
    double target_psnr = 0;             ///< dB: with range = 0, as far as this asks for; 0: none
    int block = 16;                     ///< px: 4, 8, 16 or 32
    bool partitions = false;  ///< macroblocks of 16 px divided as costs least, in place of `block`
    Precision precision = Precision::full;
    int lambda = 4;  ///< 0 … Search::max_lambda
    double noise =
        0;  ///< as noise::Noise::set() takes it; below 0: measured; 0: the vectors of least cost
  };

  /// Three arrays in a row, each from a multiple of 64 bytes on: a Vector for each cell; for each
  /// block its cost, 32 bits; and its shape, 16 bits: 0 undivided, else bits 0–1 the division of
  /// the macroblock (1: 16×8, 2: 8×16, 3: quarters), bits 2 + 2q and 3 + 2q that of quarter q.
  struct VectorField {
    VectorField() = default;
    VectorField(const Settings &settings, int width, int height);

    int cell = 0, columns = 0, rows = 0;  ///< px between vectors, vectors in a row, rows of them
    int block = 0, block_columns = 0, block_rows = 0;
    int range = 0;                 ///< of the search, px; 0: Summary has it
    size_t costs = 0, shapes = 0;  ///< where they begin, bytes
    size_t bytes = 0;
  };

  /// The statistics of a frame.
  struct MotionSummary {
    double mse = 0;                 ///< of the prediction, levels²
    double zero = 0;                ///< part of the cells with the vector 0
    double mean_x = 0, mean_y = 0;  ///< of the vectors, px
    double noise = 0;               ///< of the frames, standard deviation in levels
    int range = 0;  ///< of the search, px; where it adapts the root mean square of its areas

    MotionSummary() = default;
    /// From sums_bytes bytes of the buffer that sum_up() returned for a frame with this field.
    MotionSummary(const VectorField &field, int width, int height, const void *sums);
    double psnr() const;  ///< dB, to 255; infinite where mse is 0
  };

  /// The range that max_range = 0 stands for: a 30th of the longer side, but at least 64 px.
  static int largest_range(int width, int height);

  /// For frames of width × height px in pictures of a layout. Throws Error::failed where the device
  /// refuses kernels or memory.
  BlockMotion(Context &context, int width, int height, const FrameFormat &frame);
  /// Waits for searches that devices share.
  ~BlockMotion();
  /// The next frames have another pixel format or colorimetry. The state of earlier ones stays.
  void set_format(const FrameFormat &frame) { luma_ = LumaConverter(*context_, frame); }

  /// Lets these devices share full searches; none: the one of the context has them alone. Before
  /// anything is prepared. Throws Error::failed where the device refuses memory.
  void share(std::unique_ptr<DevicePool> pool);

  /// Builds what the settings' kind of blocks needs, and waits for it. Without this call next() has
  /// it built in the background and divides frames as it did the last one meanwhile.
  void prepare(const Settings &settings);
  /// True if what the settings need is built; else it is built in the background. A failure is
  /// thrown once.
  bool ready(const Settings &settings);

  /// Enqueues the search of `in` in the previous frame, and its prediction. False for a first
  /// frame, which has zero vectors and predicts itself. `queue` no longer needs `in` afterwards;
  /// results are used on results(). `shown`: they are drawn over `in`.
  bool next(Queue &queue, const Settings &wanted, const Picture &in, bool shown = false);
  /// The queue for the results of next(). Searches on several devices have their own queue, so that
  /// `queue` can take the next frames meanwhile; its users flush it. With one device, for a frame
  /// that is shown, and while kernels are timed, it is `queue`.
  Queue &results(Queue &queue) { return own_ && !shown_ && !queue.profiles() ? *own_ : queue; }
  /// Makes the next frame a first one.
  void reset();

  /// For the last frame.
  const VectorField &field() const { return field_; }
  /// How the search of the devices that share it turned out: without them null, after a failure
  /// all vectors are 0.
  std::shared_ptr<const DeferredError> deferred_error() const { return deferred_error_; }
  /// Enqueues a copy of the last frame's field to a buffer of field().bytes.
  void copy_field(Queue &queue, const cl::Buffer &to);
  /// Enqueues the sums of the last frame, for Summary; they are good until the next call.
  const cl::Buffer &sum_up(Queue &queue);
  static constexpr size_t sums_bytes = 257 * 4 * sizeof(cl_long);  // with the noise behind

  /// For the last frame: its luma, its prediction, and the arrays of its field that the renderer
  /// draws.
  const LumaPlane &current() const { return plane(number_); }
  const LumaPlane &predicted() const { return predicted_; }
  const cl::Buffer &vectors() const { return blocks().vectors; }
  const cl::Buffer &shapes() const { return blocks().shapes; }
  /// The noise of its frames, once two followed each other.
  const noise::Noise &noise() const { return noise_; }

 private:
  /// The engines for one block size.
  struct BlockEngines {
    Search search;
    Hierarchy hierarchy;
    Hexagon hexagon;
    Subpel subpel;
    NoiseGate noise_gate;
    cl::Buffer keys, kept, vectors, costs, shapes;  // kept: by Still
    std::unique_ptr<MultiDeviceSearch> pool;
  };

  /// The parts of a search with adaptive range, for one block size.
  struct Adaptive {
    Search search;
    Range range;
  };

  Adaptive build_adaptive(int kind) const;
  void choose_range(Settings &settings);
  double errors(const Settings &settings) const;
  BlockEngines build(const Settings &settings) const;
  const BlockEngines &blocks() const { return *blocks_.at(kind_).value(); }
  BlockEngines &blocks() { return *blocks_.at(kind_).value(); }
  const LumaPlane &plane(uint64_t number) const { return planes_[number % planes_.size()]; }
  const LumaPlane &reference() const { return plane(frames_ > 1 ? number_ - 1 : number_); }
  void make_room(Queue &queue);
  void search(Queue &queue, Queue &results, const Settings &settings);

  Context *context_;
  int width_, height_;
  LumaConverter luma_;
  Kernel field_kernel_, choose_, predict_, sums_kernel_;

  std::vector<LumaPlane> planes_;  // of frames in turn
  LumaPlane predicted_;
  cl::Buffer halves_, sums_;
  noise::Noise noise_;
  std::unique_ptr<DevicePool> pool_;
  std::shared_ptr<const DeferredError> deferred_error_;
  std::shared_ptr<Queue> own_;   // of what a pool finds
  bool shown_ = false;           // the last frame
  std::shared_ptr<Queue> last_;  // results() of the last frame, with a pool
  std::vector<cl::Event> ends_;  // of that queue's use of frames, like planes_, with a pool

  std::map<int, Lazy<BlockEngines>> blocks_;  // by block size
  std::map<int, Lazy<Adaptive>> adaptive_;
  Adaptive *adapts_ = nullptr;      // the ranges of the last search; null without any
  MultiDeviceSearch::Ahead ahead_;  // likewise of devices that share it
  bool adapted_ = false;            // the previous frame had a range of its own
  bool summed_ = false;             // sums_ is of the previous frame
  Settings searched_;               // those that the last frame was searched with
  int kind_ = 0;                    // of the last frame
  uint64_t frames_ = 0;             // since the last reset
  uint64_t number_ = 0;             // of the last frame, never reset
  VectorField field_;
};

}  // namespace glcl::motion
