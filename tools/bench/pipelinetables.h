// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables of glcl-bench --pipeline.
#pragma once

#include <cstddef>

#include "options.h"

namespace glcl::bench {

/// The cost of a frame in whole pipelines. `line`: columns of the output. Throws.
void print_pipelines(const Options &options, size_t line);

/// A decoded file, alone and with four elements after the decoder: ms per frame as fast as
/// possible; dropped frames and the latency of each element at the file's own rate. Throws.
void print_decoding(const Options &options, size_t line);

/// Parallel streams in one process, drawn or from a file: frames per second of all together and
/// processor time per frame as fast as possible; dropped frames and latency at 30 frames/s or the
/// file's own rate. Throws.
void print_parallel(const Options &options, size_t line);

}  // namespace glcl::bench
