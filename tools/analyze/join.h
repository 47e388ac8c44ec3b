// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "task.h"

namespace glcl::analyze {

/// The task that parts of a file make up together, from the begin of the first to the end of the
/// last, without a folder. Sorts them. Throws Failure if their files or elements differ, or if they
/// overlap or leave a gap.
Task joined_task(std::vector<std::string> &parts);

/// Writes the results of parts, in order, to the task's folder as a single run would: the same rows
/// and shots, bit for bit. Objects that cross a border keep their number if their boxes meet; all
/// are renumbered. Throws Failure.
void join(const Task &task, const std::vector<std::string> &parts);

}  // namespace glcl::analyze
