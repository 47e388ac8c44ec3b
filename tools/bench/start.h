// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "options.h"

namespace glcl::bench {

/// Prints how long pipelines take from PLAYING to their first frames, each in its own process,
/// first with empty driver caches and then with filled ones. Call it before GStreamer or OpenCL is
/// used. Throws Error::failed if a pipeline does not play.
void print_starts(const Options &options, size_t line);

}  // namespace glcl::bench
