// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "table.h"
#include "task.h"
#include "thumbnails.h"

namespace glcl::analyze {

/// Collects the messages about the frames of a task's range. Writes the files of its folder, except
/// for the page and the contact sheet. One thread at a time.
class Results {
 public:
  /// Creates the files. With `thumbnails`, the thumbnails of shots are saved too. Throws Failure,
  /// like all functions below.
  Results(const Task &task, Thumbnails *thumbnails);

  /// Adds the next frame: its timestamp, which identifies it in messages, and its stream time.
  void add_frame(GstClockTime timestamp, GstClockTime time) { table_.frame(timestamp, time); }
  /// Adds a message of an element.
  void add_message(const GstStructure *message);
  /// Results from before a seek no longer count.
  void forget();
  /// True if shots may depend on more frames before the range, or after it, or if a black or frozen
  /// part of it may begin earlier than the first frame.
  bool needs_more_before() const {
    return table_.before() < reach_back || begins_blank_ || !cut_off_.empty();
  }
  bool needs_more_after() const { return table_.after() < reach_on || ends_blank_; }
  /// Writes the remaining rows, and `summary` with a summary of the results.
  void finish(Json summary, double rate);

 private:
  // Number of frames before and after the range that shot detection may depend on, with a margin.
  static constexpr size_t reach_back = 160, reach_on = 80;

  void add_event(GstClockTime time, Json event);
  void add_histogram(const GstStructure *message);
  void add_shot(const GstStructure *shot);
  void add_objects(const GstStructure *message);
  void add_begin_or_end(const std::string &name, const GstStructure *message);
  void watch_lasting(const std::string &name, const GstStructure *message);
  void first_picture(const GstStructure *message);
  void first_shot();
  guint64 write_events(Json &summary);
  bool in_range(GstClockTime time) const {
    return time >= task_.from && (!GST_CLOCK_TIME_IS_VALID(task_.to) || time < task_.to);
  }

  Task task_;
  Folder folder_;
  Table table_;
  std::unique_ptr<Writer> objects_, shots_;
  Thumbnails *thumbnails_;
  std::vector<std::pair<GstClockTime, Json>> events_;
  Json crossing_ = Json::array();  // objects of the last frame before the range
  std::set<guint64> ids_;          // numbers of the objects in the range
  std::set<std::string> cut_off_;  // "black" or "freeze": from the first frame into the range
  bool begins_blank_ = false, ends_blank_ = false, seen_ = false;
};

}  // namespace glcl::analyze
