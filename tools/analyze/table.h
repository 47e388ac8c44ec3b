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

/// A number of a message that is a column of frames.csv.
struct Column {
  std::string name;
  const char *message, *field;
  int channel = -1;            ///< of an array with an entry per channel; -1: no array
  int bin = -1;                ///< of `counts`: which of count_bins; -1: no counts
  const char *plot = nullptr;  ///< the plot of the page that shows it; null: none
};

/// The numbers of bins for R, G and B.
constexpr int count_bins = 16;

/// The columns behind `time` for what a task asks for.
std::vector<Column> columns_of(const Task &task);

/// A new file that is written piece by piece; errors are thrown as Failure. It is on the disk after
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

/// Seconds with nine digits behind the point: exact.
std::string seconds(GstClockTime time);
/// The shortest text that reads back as this number; nothing for NaN.
std::string number(double value);

/// Brings the messages of several elements together, a row a frame, in the order of the frames.
/// Frames outside of from … to are counted but not written.
class Table {
 public:
  Table(const Task &task, const Folder &folder);

  /// The next frame: its timestamp, by which messages name it, and its stream time.
  void frame(GstClockTime timestamp, GstClockTime time);
  /// A message; others than those of the columns are ignored.
  void take(const GstStructure *message);
  /// Forgets the frames so far, fewer than 64.
  void forget();
  /// Writes the remaining rows.
  void finish();

  /// The row for this stream time, if there is one.
  std::optional<size_t> row(GstClockTime time) const;
  size_t rows() const { return times_.size(); }  ///< that are, or will be, written
  size_t before() const { return before_; }      ///< frames ahead of `from`
  size_t after() const { return after_; }        ///< frames from `to` on
  /// Frames that are missing between rows, by so many frames a second; 0 where that varies.
  size_t lost(double rate) const;
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
  std::deque<Row> open_;             // whose messages may be pending
  std::vector<GstClockTime> times_;  // of the rows in from … to
  size_t before_ = 0, after_ = 0;
};

}  // namespace glcl::analyze
