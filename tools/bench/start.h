// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "options.h"

namespace glcl::bench {

/// Prints how long pipelines take from PLAYING to their first frames, each in a process of its own,
/// with nothing in the drivers' caches and again with what that left there. Call it before
/// GStreamer or OpenCL is used. Throws Error::failed where a pipeline does not play.
void print_starts(const Options &options, size_t line);

}  // namespace glcl::bench
