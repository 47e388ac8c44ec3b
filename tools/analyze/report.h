// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "task.h"

namespace glcl::analyze {

/// Reads frames.csv, events.jsonl, summary.json and, if it exists, shots.rgb in a task's folder,
/// creates
///
///   shots.jpg  the contact sheet: the picture of each shot, `sheet_columns` in a row, in the order
///              of the shots; with more than `most_pictures` shots as many of them, evenly chosen
///   index.html a page with all of it, which needs no other file
///
/// and removes shots.rgb. Throws Failure.
void report(const Task &task);

constexpr int sheet_columns = 8;
constexpr size_t most_pictures = 600;

}  // namespace glcl::analyze
