// SPDX-License-Identifier: LGPL-2.1-or-later
// The primitives of glcl::hough, by the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace reference {

using Numbers = std::vector<uint32_t>;

/// Sums of the values before each, and of all.
Numbers scan(const Numbers &values);

struct Compacted {
  Numbers keys, a, b, histogram;
};
Compacted compact(const Numbers &keys, const Numbers &a, const Numbers &b, std::size_t capacity,
                  std::size_t bins);

/// Sorts by the low `bits` of the keys, stably.
void sort(Numbers &keys, Numbers &values, int bits);

/// The largest value and the first place of it.
std::pair<uint32_t, uint32_t> largest(const Numbers &values);

}  // namespace reference
