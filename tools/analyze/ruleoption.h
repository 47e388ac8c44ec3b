// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace glcl::analyze {

/// Reads rules from a file as JSON in one line. Throws Failure if they are wrong, or if they need a
/// live stream.
std::string rules_in(const std::string &path);
/// True if rules stay on the ground, so that they depend on the first frame.
bool is_on_ground(const std::string &rules);

}  // namespace glcl::analyze
