// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/context.h"

namespace glcl::bench {

/// Prints what an addition to local memory costs a team of 32 by how its lanes meet: in one word,
/// in one bank, at a stride, and by how many teams there are (Gómez Luna, PhD thesis 2012, section
/// 4.3); the cost without, and what each further lane adds, or that the device shows none. Throws.
void print_conflicts(Context &context);

}  // namespace glcl::bench
