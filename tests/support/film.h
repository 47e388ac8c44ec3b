// SPDX-License-Identifier: LGPL-2.1-or-later
// Parameters of tests that need real pictures and video (reference::data_folder), or optional parts
// of GStreamer; these are skipped if missing.
#pragma once

#include <string>
#include <vector>

#include "reference/frames.h"

namespace film {

/// Says that rows are left out, and why.
void leave_out(const std::string &why);

/// The exit status of a test: 77, so that it counts as skipped, where rows were left out and all
/// others are good.
int exit_status(bool good);

/// reference::pictures(), without which rows are left out.
std::vector<reference::Frame> pictures();

}  // namespace film
