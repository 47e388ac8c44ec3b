// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "subject.h"

namespace glcl::bench {

/// The chain of a file as work to tune. A result must equal that of one kernel per filter and, if
/// all filters are the plugin's own, the reference. Throws Error::settings with file and line.
Task chain_task(const std::string &path);

}  // namespace glcl::bench
