// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"

namespace glcl::bench {

/// Prints frames per second of the histograms of 4096 grey frames from host memory, in chunks of
/// 32, the first half with levels evenly spread, the second half flat: in one stream, and in as
/// many as the adaptive loop takes (Gómez Luna, PhD thesis 2012, table 6.5). Throws.
void print_streams(Context &context);

}  // namespace glcl::bench
