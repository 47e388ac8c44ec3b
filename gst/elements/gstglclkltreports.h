// SPDX-License-Identifier: LGPL-2.1-or-later
// The points of glclklt as messages, as results of frames and in a file.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/gstglclanalyzer.h"
#include "klt/klt.h"
#include "klt/stabilizer.h"
#include "klt/trackwriter.h"

namespace glcl::klt {

/// The requested reports of a frame, without how it is stabilized.
struct PendingReport {
  PendingReport() = default;
  PendingReport(PendingReport &&other) noexcept
      : times(other.times),
        summary(std::move(other.summary)),
        result(std::exchange(other.result, nullptr)),
        moved(other.moved) {}
  PendingReport &operator=(PendingReport &&other) noexcept {
    times = other.times;
    std::swap(summary, other.summary);
    std::swap(result, other.result);
    moved = other.moved;
    return *this;
  }
  ~PendingReport() { gst_clear_buffer(&result); }

  FrameTimes times{};
  cl::Buffer summary;           ///< PointSummary, for the message; without one no message is due
  GstBuffer *result = nullptr;  ///< buffer of the meta's arrays, or null
  size_t moved = 0;             ///< offset of `moved` in it, bytes
};

/// Publishes the points of an element: its message, its metas and its file.
class PointReports {
 public:
  /// Call it before the stream starts: creates the file if the path is not empty. Throws Error.
  void start(const std::string &path);
  /// Call it after the last frame: closes the file.
  void stop() { file_.reset(); }

  /// For frames of width × height px. GL thread, as below.
  void prepare(Context &context, int width, int height);
  /// The most bytes that a frame's report downloads.
  size_t bytes(int features) const {
    return file_ ? Points::bytes(features) : sizeof(Points::PointSummary);
  }
  /// Enqueues the requested reports of a frame. They are valid until the next frame, or, if the
  /// frame waits, as long as its own `summary`, which is created if it has no memory.
  PendingReport begin(GstGLCLAnalyzer *element, Queue &queue, Klt &klt, GstBuffer *inbuf,
                      GstBuffer *outbuf, cl::Buffer *summary = nullptr);
  /// Enqueues the rest. `state`: StabilizerState of the frame, null if the picture is not moved.
  void finish(GstGLCLAnalyzer *element, Queue &queue, const PendingReport &report,
              const cl::Buffer *state);

 private:
  /// The totals of the messages so far.
  struct PostedTotals {
    guint lost = 0, selected = 0, cuts = 0, blank = 0;
  };

  static void post(GstGLCLAnalyzer *element, const FrameTimes &times,
                   const Points::PointSummary &summary, PostedTotals &posted);
  GstBuffer *attach(GstGLCLAnalyzer *element, Queue &queue, const Klt &klt,
                    GstBuffer *outbuf) const;
  void write(GstElement *element, guint64 frame, GstClockTime timestamp, const void *bytes);

  int width_ = 0, height_ = 0;
  cl::Buffer identity_rows_;              // StabilizerState::rows of a picture that is not moved
  std::shared_ptr<PostedTotals> posted_;  // since prepare()
  std::unique_ptr<TrackWriter> file_;
  guint64 frames_ = 0;  // since the start
};

}  // namespace glcl::klt
