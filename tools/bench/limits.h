// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "opencl/context.h"

namespace glcl::bench {

/// The demand of some work, in bytes and in operations of one lane.
struct Amounts {
  double bytes = 0;  ///< read from or written to global memory
  double fma = 0;    ///< float multiply-adds, or other float operations
  double exp2 = 0;
  double local_atomics = 0;  ///< additions to counters in local memory
  double differences = 0;    ///< absolute differences of bytes, added up
  int launches = 1;
};

/// The measured best rates of a device.
struct Limits {
  Amounts per_second;  ///< `launches` is not used here
  double launch = 0;   ///< s from one empty kernel to the next

  /// The shortest time, s, in which a device could do the work; `name` receives the limiting
  /// resource.
  double shortest(const Amounts &work, std::string *name = nullptr) const;
};

/// Measures the limits in about a second. Throws Error::failed.
Limits measure_limits(Context &context);

}  // namespace glcl::bench
