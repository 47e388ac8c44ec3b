// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables of glcl-bench --pipeline.
#pragma once

#include <cstddef>

#include "options.h"

namespace glcl::bench {

/// What a frame costs in whole pipelines. `line`: columns of the output. Throws.
void print_pipelines(const Options &options, size_t line);

/// A file decoded, alone and with four elements behind: ms a frame as fast as it goes; dropped
/// frames and the latency of each element where it plays at its own rate. Throws.
void print_decoding(const Options &options, size_t line);

}  // namespace glcl::bench
