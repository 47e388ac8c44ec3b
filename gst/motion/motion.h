// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <optional>

#include "motionstatistics.h"
#include "searchengines.h"

namespace glcl::motion {

/// Estimates block motion between the frames of a stream: a field of vectors, and the picture that
/// it predicts.
class BlockMotion {
 public:
  using Settings = MotionSettings;
  using Method = Settings::Method;
  using Precision = Settings::Precision;
  /// Maximum frames in flight with several devices: next() makes `queue` wait for the results of
  /// older ones.
  static constexpr int most_in_flight = 6;

  /// For frames of width × height px. Throws Error::failed if the device refuses kernels or memory.
  BlockMotion(Context &context, int width, int height, const FrameFormat &frame);
  /// Waits for searches on several devices.
  ~BlockMotion();
  /// Sets another pixel format or colorimetry for the next frames. The state of earlier frames
  /// stays.
  void set_format(const FrameFormat &frame) { history_.set_format(*context_, frame); }

  /// Lets the devices of a pool share full searches; null: only the device of the context searches.
  /// Call it before prepare() and next(). Throws Error::failed if the device refuses memory.
  void share(std::unique_ptr<DevicePool> pool);

  /// Builds the engines for the block size of these settings, and waits for them. Without this call
  /// the first next() does so. Later ones build in the background, and meanwhile keep blocks,
  /// method and range of the last frame.
  void prepare(const Settings &settings) { engines_.prepare(settings); }
  /// True if the engines for these settings are built; otherwise builds them in the background.
  /// Throws the error of a failed build once.
  bool ready(const Settings &settings) { return engines_.ready(settings); }

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
  void copy_field(Queue &queue, const cl::Buffer &to) { blocks().field().copy(queue, field_, to); }
  /// Enqueues the sums of the last frame for MotionSummary; the next call overwrites them.
  const cl::Buffer &sum_up(Queue &queue);
  static constexpr size_t sums_bytes = MotionStatistics::bytes;

  /// The luma and the prediction of the last frame, and the arrays of its field that the renderer
  /// needs.
  const LumaPlane &current() const { return history_.current(); }
  /// The luma of the frame in which the last search searched.
  const LumaPlane &reference() const { return history_.reference(); }
  const LumaPlane &predicted() const { return compensation_.predicted(); }
  const cl::Buffer &vectors() const { return blocks().field().vectors; }
  const cl::Buffer &shapes() const { return blocks().field().shapes; }
  /// The noise of the frames, from the second frame on.
  const noise::Noise &noise() const { return noise_; }

 private:
  const BlockSearch &blocks() const { return engines_.blocks(last_settings_->search_block()); }
  SearchPlanes planes() const { return {history_.current(), history_.reference()}; }
  void search(Queue &queue, Queue &results, const Settings &settings);
  void adapt_range(Queue &queue, const Settings &settings);

  Context *context_;
  LumaHistory history_;
  SearchEngines engines_;
  FieldConverter converter_;
  MotionCompensation compensation_;
  MotionStatistics statistics_;
  noise::Noise noise_;
  std::shared_ptr<Queue> side_queue_;  // for the results of a pool
  bool shown_ = false;                 // the last frame is drawn

  std::optional<Settings> last_settings_;  // of the last search; null before the first
  SearchRange range_;                      // of the last search
  bool has_sums_ = false;                  // statistics_ has the sums of the previous frame
  std::shared_ptr<const DeferredError> deferred_error_;
  VectorField field_;
};

}  // namespace glcl::motion
