// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "folder.h"
#include "task.h"

namespace glcl::analyze {

/// A column of frames.csv: a number in a message.
struct Column {
  std::string name;
  const char *message, *field;
  int channel = -1;            ///< index in an array with an entry per channel; -1: no array
  int bin = -1;                ///< index of one of count_bins bins of `counts`; -1: no counts
  const char *plot = nullptr;  ///< the plot of the page that shows it; null: none
};

/// The numbers of bins for R, G and B.
constexpr int count_bins = 16;

/// The columns after `time` for the requests of a task.
std::vector<Column> columns_of(const Task &task);

/// Writes a new file piece by piece. Throws errors as Failure. The file is on the disk after
/// close().
class Writer {
 public:
  Writer(const Folder &folder, const std::string &name);
  ~Writer();
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;

  void write(const std::string &text) { write(text.data(), text.size()); }
  void write(const void *bytes, size_t size);
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::FILE *file_;
};

/// Seconds with nine decimal places, which is exact.
std::string seconds(GstClockTime time);
/// The shortest text that parses to this number; empty for NaN.
std::string number(double value);

/// Gaps between the times of frames.
struct FrameGaps {
  size_t lost;    ///< frames that would fill them; 0 if the rate is variable
  bool variable;  ///< there are so many gaps that the frame rate is variable
};

/// Combines the messages of several elements into one row per frame, in the order of frames. Frames
/// outside `from` to `to` are counted but not written.
class Table {
 public:
  Table(const Task &task, const Folder &folder);

  /// Adds the next frame: its timestamp, which identifies it in messages, and its stream time.
  void frame(GstClockTime timestamp, GstClockTime time);
  /// Adds a message; ignores messages without a column.
  void take(const GstStructure *message);
  /// Forgets all frames so far, which must be fewer than 64.
  void forget();
  /// Writes the remaining rows.
  void finish();

  /// The row for this stream time, if there is one.
  std::optional<size_t> row(GstClockTime time) const;
  size_t rows() const { return times_.size(); }  ///< rows written, or still to write
  size_t before() const { return before_; }      ///< frames before `from`
  size_t after() const { return after_; }        ///< frames from `to` on
  /// The timestamp of the first frame, also before `from`; none without frames.
  GstClockTime first() const { return first_; }
  /// The gaps in time at `rate` frames per second.
  FrameGaps gaps(double rate) const;
  GstClockTime time(size_t row) const { return times_[row]; }

 private:
  struct Row {
    GstClockTime timestamp, time;
    std::vector<double> values;
  };
  void write(const Row &row);

  GstClockTime from_, to_;
  std::vector<Column> columns_;
  Writer out_;
  std::deque<Row> open_;             // rows that may still get messages
  std::vector<GstClockTime> times_;  // of the rows in from … to
  size_t before_ = 0, after_ = 0;
  GstClockTime first_ = GST_CLOCK_TIME_NONE;
};

}  // namespace glcl::analyze
