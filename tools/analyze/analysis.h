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
///   frames.csv   a row a frame (Table)
///   events.jsonl shots, motion begin and end, in the order of their times
///   objects.csv  with objects: a row for each object of each frame
///   shots.rgb    with shots: a small picture of each (Pictures)
///   summary.json what it is of
///
/// A range begins to be analysed some frames before it and ends some after it, so that what is
/// found in it is what is found in the whole file: as many as shots reach, and on where those
/// frames begin or end without a picture. Throws Failure. `report` is called about four times a
/// second.
void analyze(const Task &task, const std::function<void(const Progress &)> &report);

/// How long a file's pictures are, ns, and whether one can begin anywhere in it. Throws Failure.
struct Extent {
  GstClockTime duration;
  bool seekable;
};
Extent extent_of(const std::string &file);

/// What --resume compares: the file's path, its size and when it was changed. Throws Failure.
Json identity_of(const std::string &file);

}  // namespace glcl::analyze
