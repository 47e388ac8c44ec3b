// SPDX-License-Identifier: LGPL-2.1-or-later
#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace accuracy {

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double distance(reference::Point a, reference::Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

FieldSummary summarize(const reference::opticalflow::Field &field, const reference::Motion &truth) {
  FieldSummary summary;
  std::vector<double> errors;
  const double count = double(field.width) * field.height;
  for (int y = 0; y < field.height; y++)
    for (int x = 0; x < field.width; x++) {
      const double length = std::hypot(field.x(x, y), field.y(x, y));
      summary.magnitude += length / count;
      summary.moving += (length > 0.5) / count;
      errors.push_back(std::hypot(field.x(x, y) - truth.x, field.y(x, y) - truth.y));
    }
  summary.error = median(errors);
  return summary;
}

}  // namespace accuracy
