// SPDX-License-Identifier: LGPL-2.1-or-later
// Parameters of tests that need real pictures and video (reference::data_folder), or optional parts
// of GStreamer; these are skipped if missing.
#pragma once

#include <string>
#include <vector>

#include "reference/frames.h"

namespace film {

/// Prints that rows are skipped, and why.
void leave_out(const std::string &why);

/// The exit status of a test: 77, which counts as skipped, if rows were skipped and all others are
/// good.
int exit_status(bool good);

/// reference::pictures(); without them rows are skipped.
std::vector<reference::Frame> pictures();

}  // namespace film
