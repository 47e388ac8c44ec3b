// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fit.h"

#include <algorithm>
#include <cmath>

namespace glcl::bench {

std::vector<double> fitted_costs(const std::vector<std::vector<double>> &amounts,
                                 const std::vector<double> &times, double *error) {
  const size_t count = amounts.front().size();
  // Divide rows by their times, so that all sums should be 1, and columns by their largest value.
  std::vector<std::vector<double>> rows = amounts;
  std::vector<double> largest(count, 1e-300), found(count);
  for (size_t i = 0; i < rows.size(); i++)
    for (size_t k = 0; k < count; k++) largest[k] = std::max(largest[k], rows[i][k] /= times[i]);
  for (auto &row : rows)
    for (size_t k = 0; k < count; k++) row[k] /= largest[k];
  const auto rest = [&](const std::vector<double> &row) {
    double sum = 1;
    for (size_t k = 0; k < count; k++) sum -= row[k] * found[k];
    return sum;
  };
  // Coordinate descent: set one cost after the other to its best value of at least 0, until none
  // changes.
  constexpr int rounds = 20000;
  for (int round = 0; round < rounds; round++)
    for (size_t k = 0; k < count; k++) {
      double slope = 0, square = 0;
      for (const auto &row : rows) {
        slope += row[k] * rest(row);
        square += row[k] * row[k];
      }
      if (square > 0) found[k] = std::max(found[k] + slope / square, 0.0);
    }
  double squares = 0;
  for (const auto &row : rows) squares += rest(row) * rest(row);
  if (error) *error = std::sqrt(squares / double(rows.size()));
  for (size_t k = 0; k < count; k++) found[k] /= largest[k];
  return found;
}

}  // namespace glcl::bench
