// SPDX-License-Identifier: LGPL-2.1-or-later
// The option --set: properties of the elements.
#pragma once

#include <gst/gst.h>

#include <string>

#include "task.h"

namespace glcl::analyze {

/// Why element.property=value can't be set for the elements of a task; empty if it can.
std::string setting_fault(const Task &task, const std::string &setting);
/// Sets the properties of a task on the elements of its pipeline, which are named after their type.
void apply_settings(const Task &task, GstElement *pipeline);

}  // namespace glcl::analyze
