// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "points.h"

namespace glcl::klt {

/// Writes the points of each frame to a file. NAME.csv has a header and a line per frame and point:
/// frame, timestamp, id, x, y, vx, vy, age, residue. NAME.json has an array of frames:
/// {"frame": 0, "timestamp": 0, "points": [{"id": 0, …}, …]}. Timestamps are in ns; an
/// unknown one is empty or null. Numbers have a decimal point in every locale. After each frame the
/// file is complete, even if the process is killed or the disk is full later.
class TrackWriter {
 public:
  /// Creates or empties the file. Throws Error::settings with path, reason and remedy: for an
  /// unknown suffix, a missing or read-only folder, a link, or anything but a regular file.
  explicit TrackWriter(const std::string &path);
  /// Closes the file.
  ~TrackWriter();
  TrackWriter(const TrackWriter &) = delete;

  /// Appends a frame. On failure it throws Error::failed with path and reason; then the file ends
  /// with the previous frame, and later calls do nothing.
  void write(uint64_t frame, std::optional<uint64_t> timestamp, const Points::PointRecord *points,
             size_t count);

 private:
  void append(const std::string &text);
  bool write_at_end(const std::string &text);

  std::string path_;
  int file_ = -1;
  off_t end_ = 0;  // of the last frame, bytes
  bool json_ = false, first_ = true, failed_ = false;
};

}  // namespace glcl::klt
