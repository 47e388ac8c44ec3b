// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "points.h"

namespace glcl::klt {

/// Writes the points of each frame to a file. NAME.csv has a line for each point of each frame:
/// frame, timestamp, id, x, y, vx, vy, age, residue, as its first line says. NAME.json has an array
/// of frames: {"frame": 0, "timestamp": 0, "points": [{"id": 0, …}, …]}. Timestamps are in ns; an
/// unknown one is empty or null. Numbers have a decimal point in every locale. After each frame the
/// file is complete, even if the process is killed or the disk is full later.
class TrackWriter {
 public:
  /// Creates or empties the file. Throws Error::settings with the path, the reason and the remedy:
  /// another suffix, or a folder that exists and can be written to. It replaces only ordinary files
  /// and does not follow links.
  explicit TrackWriter(const std::string &path);
  /// Ends the file.
  ~TrackWriter();
  TrackWriter(const TrackWriter &) = delete;

  /// Appends a frame. Throws Error with the path and the reason; then the file ends with the frame
  /// before, and later calls do nothing.
  void write(uint64_t frame, std::optional<uint64_t> timestamp, const Points::PointRecord *points,
             size_t count);

 private:
  void append(const std::string &text);
  bool put(const std::string &text);

  std::string path_;
  int file_ = -1;
  off_t end_ = 0;  // of the last frame
  bool json_ = false, first_ = true, failed_ = false;
};

}  // namespace glcl::klt
