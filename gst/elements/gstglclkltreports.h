// SPDX-License-Identifier: LGPL-2.1-or-later
// The points of glclklt as messages, as results of frames and in a file.
#pragma once

#include <memory>
#include <string>

#include "base/gstglclanalyzer.h"
#include "klt/klt.h"
#include "klt/stabilizer.h"
#include "klt/trackwriter.h"

namespace glcl::klt {

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
  /// Enqueues the requested reports of a frame. `stabilizer` is null if the picture is not moved.
  void add(GstGLCLAnalyzer *element, Queue &queue, Klt &klt, const Stabilizer *stabilizer,
           GstBuffer *inbuf, GstBuffer *outbuf);

 private:
  /// The totals of the messages so far.
  struct PostedTotals {
    guint lost = 0, selected = 0, cuts = 0, blank = 0;
  };

  static void post(GstGLCLAnalyzer *element, const FrameTimes &times,
                   const Points::PointSummary &summary, PostedTotals &posted);
  void attach(GstGLCLAnalyzer *element, Queue &queue, const Klt &klt, const Stabilizer *stabilizer,
              GstBuffer *outbuf) const;
  void write(GstElement *element, guint64 frame, GstClockTime timestamp, const void *bytes);

  int width_ = 0, height_ = 0;
  cl::Buffer identity_rows_;              // StabilizerState::rows of a picture that is not moved
  std::shared_ptr<PostedTotals> posted_;  // since prepare()
  std::unique_ptr<TrackWriter> file_;
  guint64 frames_ = 0;  // since the start
};

}  // namespace glcl::klt
