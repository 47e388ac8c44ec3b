// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.h"

#include <algorithm>
#include <numeric>

namespace reference {

Numbers scan(const Numbers &values) {
  Numbers sums(values.size() + 1);
  std::partial_sum(values.begin(), values.end(), sums.begin() + 1);
  return sums;
}

Compacted compact(const Numbers &keys, const Numbers &a, const Numbers &b, size_t capacity,
                  size_t bins) {
  Compacted to;
  to.histogram.resize(bins);
  for (size_t i = 0; i < keys.size(); i++) {
    if (keys[i] == UINT32_MAX || to.keys.size() >= capacity) continue;
    to.keys.push_back(keys[i]);
    to.a.push_back(a[i]);
    to.b.push_back(b[i]);
    if (keys[i] < bins) to.histogram[keys[i]]++;
  }
  return to;
}

void sort(Numbers &keys, Numbers &values, int bits) {
  const uint32_t mask = bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t j) { return (keys[i] & mask) < (keys[j] & mask); });
  const Numbers old_keys = keys, old_values = values;
  for (size_t i = 0; i < order.size(); i++) {
    keys[i] = old_keys[order[i]];
    values[i] = old_values[order[i]];
  }
}

std::pair<uint32_t, uint32_t> largest(const Numbers &values) {
  const auto at = std::max_element(values.begin(), values.end());
  if (at == values.end()) return {0, UINT32_MAX};
  return {*at, static_cast<uint32_t>(at - values.begin())};
}

}  // namespace reference
