// SPDX-License-Identifier: LGPL-2.1-or-later
// Shot detection of glclhistogram: from frames to messages.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/gstglclanalyzer.h"
#include "histogram/framehistograms.h"
#include "histogram/shapeshots.h"
#include "histogram/sharpestframes.h"
#include "histogram/shots.h"
#include "histogram/shotvalues.h"
#include "hough/edgepairs.h"
#include "opencl/lazy.h"

namespace glcl::histogram {

/// Finds shot boundaries and posts a message `shot` for each. Announces the sharpest frame of each
/// shot downstream as `shot-sharpest`. May be called from several threads.
class ShotMessages {
 public:
  enum class Method { histogram, shape };
  struct Settings {
    bool shot_detection = false;
    Method shot_method = Method::histogram;
    double shot_threshold = Shots::default_threshold;
    double shot_sharpest = 1;  // s
  };

  /// Adds a frame with the `values` for Shots or ShapeShots. `first`: it does not continue the
  /// previous frame, or the method changed.
  void add_frame(GstGLCLAnalyzer *self, const Settings &settings, uint64_t frame, bool first,
                 const FrameTimes &times, const uint32_t *values);
  /// Ends the stream: posts the pending boundaries.
  void finish(GstGLCLAnalyzer *self);
  /// Announces the sharpest frames of the shots so far. Detection goes on.
  void settle(GstGLCLAnalyzer *self);
  /// Sends downstream how late `shot-sharpest` may come.
  void announce_delay(GstGLCLAnalyzer *self, const Settings &settings);
  /// Discards all frames.
  void drop();

 private:
  struct Messages {
    std::vector<GstStructure *> shots, sharpest;
    void send(GstGLCLAnalyzer *self);
  };

  /// These require `mutex_`; sending happens after it is released.
  const FrameTimes *times_of(uint64_t frame) const;
  void add_messages(const std::vector<Shots::Shot> &shots, Messages &messages);
  void add_messages(const std::vector<SharpestFrames::ShotFrame> &choices,
                    Messages &messages) const;
  void finish_locked(Messages &messages);

  std::mutex mutex_;
  Shots shots_;
  ShapeShots shape_shots_;
  SharpestFrames sharpest_;
  std::deque<std::pair<uint64_t, FrameTimes>>
      times_;  // times of the frames at which a shot may begin, or that may be the sharpest
  std::atomic<guint64> announced_within_ = GST_CLOCK_TIME_NONE;
};

/// Detects shots in the frames of an element. GL thread, except start(), drop() and finish().
class ShotDetection {
 public:
  using Method = ShotMessages::Method;
  using Settings = ShotMessages::Settings;
  /// The most bytes that a frame downloads.
  static constexpr size_t most_bytes = ShapeShots::values * sizeof(cl_uint);

  /// True if these settings need the colours of frames, not just their luma.
  static bool reads_colours(const Settings &settings) {
    return settings.shot_detection && settings.shot_method == Method::histogram;
  }

  /// Call it before the stream starts.
  void start();
  /// For frames of width × height px. Builds what the settings need; throws Error::failed if the
  /// device refuses. `histograms` must outlive the frames.
  void prepare(Context &context, int width, int height, const FrameFormat &format,
               const Settings &settings, FrameHistograms &histograms);
  /// Changes the pixel format of the next frames, and their histograms. Detection continues.
  void set_format(const FrameFormat &format, const Settings &settings, FrameHistograms &histograms);
  /// Call it for each frame. Missing engines are built in the background; a failure causes one
  /// warning.
  void add(GstGLCLAnalyzer *element, Queue &queue, const Settings &settings,
           const FrameTimes &times, const Picture &in);
  /// Call it if the next frame does not follow the previous one.
  void reset() { previous_.reset(); }
  void unprepare();

  /// Discards all frames whose results have arrived.
  void drop() { messages_.drop(); }
  /// Ends the stream: posts the pending boundaries.
  void finish(GstGLCLAnalyzer *element) { messages_.finish(element); }
  /// Call it before an event after which frames held downstream can't be chosen any more.
  void settle(GstGLCLAnalyzer *element) { messages_.settle(element); }
  /// Call it before the first frame, if `shot-detection` is set.
  void announce_delay(GstGLCLAnalyzer *element, const Settings &settings) {
    messages_.announce_delay(element, settings);
  }

 private:
  std::unique_ptr<ShotValues> make_values(Method method) const;
  std::unique_ptr<hough::FrameEdgePairs> make_edge_pairs() const;
  cl::Buffer histogram_values(GstElement *element, Queue &queue, const Picture &in);
  cl::Buffer shape_values(GstElement *element, Queue &queue, const Picture &in);

  Context *context_ = nullptr;
  int width_ = 0, height_ = 0;
  FrameFormat format_;
  FrameHistograms *histograms_ = nullptr;
  Lazy<std::unique_ptr<hough::FrameEdgePairs>> edge_pairs_;
  Lazy<std::unique_ptr<ShotValues>> histogram_values_, shape_values_;
  std::optional<Method> previous_;  // the method that has seen the previous frame
  uint64_t frames_ = 0;             // since the start
  ShotMessages messages_;
};

}  // namespace glcl::histogram
