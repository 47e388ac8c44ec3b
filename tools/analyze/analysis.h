// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "task.h"

namespace glcl::analyze {

/// How far an analysis is.
struct Progress {
  guint64 frames = 0;  ///< since the last call
  double part = 0;     ///< of the task, 0 … 1
};

/// Runs a task and leaves in its folder
///
///   frames.csv   a row per frame (Table)
///   events.jsonl shots, motion begin and end, in the order of their times
///   objects.csv  with objects: a row for each object of each frame
///   shots.rgb    with shots: a small picture of each (Pictures)
///   summary.json the source file and the settings
///
/// A range is analysed from some frames before it to some after it, so that its results are those
/// of the whole file: as many frames as shots reach, and more if those frames have no picture at
/// their ends. Throws Failure. `report` is called about four times per second.
void analyze(const Task &task, const std::function<void(const Progress &)> &report);

/// How long a file's pictures are, ns, and whether one can begin anywhere in it. Throws Failure.
struct Extent {
  GstClockTime duration;
  bool seekable;
};
Extent extent_of(const std::string &file);

/// The identity of a file for --resume: its path, size and modification time. Throws Failure.
Json identity_of(const std::string &file);

}  // namespace glcl::analyze
