// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the numbers of a kernel by what it does, for tests of the tables kernels/*/tuned.clh.
#pragma once

#include <cmath>

#include "cases.h"

/// The value at which `holds` changes between `low` and `high`; NaN if it does not.
template <class Holds>
double limit(double low, double high, Holds holds) {
  const bool below = holds(float(low));
  if (holds(float(high)) == below) return NAN;
  for (int i = 0; i < 14; i++) {
    const double middle = (low + high) / 2;
    (holds(float(middle)) == below ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Fails if a number differs from the expected one by more than 2 %.
inline void expect_number(double found, double expected, const char *what) {
  fail_unless(std::abs(found - expected) <= 0.02 * std::abs(expected), "%s: %g, expected %g", what,
              found, expected);
}
