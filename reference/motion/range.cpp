// SPDX-License-Identifier: LGPL-2.1-or-later
#include "range.h"

#include "motion/range.h"

namespace reference {

Range range_of(const Plane &current, const Plane &before, int least, int most, int lambda,
               double target, int64_t errors, uint64_t last) {
  const std::vector<int> ranges = glcl::motion::Range::ranges(least, most);
  const Plane small = halved(current), small_before = halved(before);
  std::vector<Range> all;
  for (const int range : ranges) {
    uint64_t sum = 0;
    for (const auto key :
         full_search(small, small_before, 8, glcl::motion::Window::of_range(range / 2),
                     std::max(lambda, glcl::motion::Range::least_lambda)))
      sum += glcl::motion::cost_of(key);
    all.push_back({range, sum});
  }
  for (const Range &one : all) {
    const auto known = static_cast<float>(last), sum = static_cast<float>(one.sum);
    const bool good = target >= 0 && static_cast<float>(errors) * sum * sum <=
                                         static_cast<float>(target) * known * known;
    if (good || one.sum * 32 <= all.back().sum * 33) return one;
  }
  return all.back();
}

}  // namespace reference
