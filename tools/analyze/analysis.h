// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "task.h"

namespace glcl::analyze {

/// Progress of an analysis.
struct Progress {
  guint64 frames = 0;  ///< since the last call
  double part = 0;     ///< of the task, 0 … 1
};

/// Runs a task and writes to its folder
///
///   frames.csv   a row per frame (Table)
///   events.jsonl shots, begin and end of motion, and of black and frozen parts, by time
///   objects.csv  with objects: a row for each object of each frame
///   shots.rgb    with shots: a small picture of each (Thumbnails)
///   summary.json the source file and the settings
///
/// Some frames before and after a range are analysed too, so that its results equal those of the
/// whole file: as many frames as shots depend on, and more if these frames are blank at their ends
/// or frozen from the first on. Throws Failure. `report` is called about four times per second.
void analyze(const Task &task, const std::function<void(const Progress &)> &report);

/// Duration of a file's video, ns, and whether the file is seekable. Throws Failure.
struct Extent {
  GstClockTime duration;
  bool seekable;
};
Extent extent_of(const std::string &file);

/// The identity of a file for --resume: its path, size and modification time. Throws Failure.
Json identity_of(const std::string &file);

}  // namespace glcl::analyze
