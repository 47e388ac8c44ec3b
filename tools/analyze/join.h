// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "task.h"

namespace glcl::analyze {

/// What parts of a file are parts of, from the first one's begin to the last one's end: the task
/// whose results they make together, without a folder. Orders them. Throws Failure where they are
/// of different files or elements, overlap or leave something out.
Task joined_task(std::vector<std::string> &parts);

/// Writes the results of parts, in their order, to the task's folder as one run over all would: the
/// same rows and shots, bit for bit. Objects that cross a border go on under the number that they
/// had, where their boxes meet; all are numbered anew. Throws Failure.
void join(const Task &task, const std::vector<std::string> &parts);

}  // namespace glcl::analyze
