// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "subject.h"

namespace glcl::bench {

/// The chain of a file as work to tune: a result has to be that of a kernel for each filter and,
/// where all filters are the plugin's own, the reference's. Throws Error::settings with file and
/// line.
Task chain_task(const std::string &path);

}  // namespace glcl::bench
