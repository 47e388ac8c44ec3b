// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis.h"
#include "pipeline.h"
#include "results.h"
#include "scene.h"
#include "thumbnails.h"

namespace glcl::analyze {

/// One run over a task's range and the frames around it: `back` before it and `on` after it, ns.
class Run {
 public:
  Run(const Task &task, GstClockTime back, GstClockTime on, bool with_thumbnails);
  ~Run();

  void play(const std::function<void(const Progress &)> &report);
  /// True if the results of the range depend on frames before or after the played ones.
  bool needs_more_before() const;
  bool needs_more_after() const;
  bool changed_size() const { return pipeline_.format_changes() > 1; }
  /// Writes the remaining rows. Throws Failure.
  void finish();

 private:
  /// The format of the frames.
  struct Format {
    double rate = 0;
    int width = 0, height = 0;
  };

  void watch_messages();
  void watch_frames();
  void choose_planes(GstEvent *event);
  bool seek();
  void on_frame(GstPad *pad, GstBuffer *buffer);
  void on_caps(GstEvent *event);
  void on_message(GstMessage *message);
  void forget();
  /// Runs work that may throw on a thread of GStreamer.
  template <class Function>
  void guarded(const Function &function) {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    try {
      function();
    } catch (const std::exception &error) {
      failure_ = error.what();
    }
  }

  Task task_;
  Pipeline pipeline_;
  std::unique_ptr<Thumbnails> thumbnails_;
  Scene scene_;
  GstClockTime begin_ = 0, end_ = GST_CLOCK_TIME_NONE;  // the played range
  GstClockTime duration_ = GST_CLOCK_TIME_NONE;
  std::mutex mutex_;  // guards the members below
  Results results_;
  std::optional<std::string> failure_;
  guint64 frames_ = 0, reported_frames_ = 0;
  GstClockTime position_ = 0, last_timestamp_ = GST_CLOCK_TIME_NONE;
  Format format_;
};

}  // namespace glcl::analyze
