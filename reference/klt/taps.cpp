// SPDX-License-Identifier: LGPL-2.1-or-later
#include "taps.h"

namespace reference::klt {

Plane filtered(const Plane &in, const std::vector<double> &along, const std::vector<double> &down,
               int width, int height, int step) {
  const int rx = static_cast<int>(along.size()) / 2, ry = static_cast<int>(down.size()) / 2;
  Plane rows(width, in.height), out(width, height);
  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < width; x++) {
      double sum = 0;
      for (int i = -rx; i <= rx; i++) sum += along[i + rx] * in.at(step * x + i, y);
      rows(x, y) = static_cast<float>(sum);
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double sum = 0;
      for (int i = -ry; i <= ry; i++) sum += down[i + ry] * rows.at(x, step * y + i);
      out(x, y) = static_cast<float>(sum);
    }
  return out;
}

Taps convolved(const Taps &a, const std::vector<double> &b, int spacing) {
  Taps result;
  const int middle = static_cast<int>(b.size()) / 2;
  for (const auto &[at, value] : a)
    for (int i = 0; i < static_cast<int>(b.size()); i++)
      result[at + (i - middle) * spacing] += value * b[i];
  return result;
}
double energy(const Taps &taps) {
  double sum = 0;
  for (const auto &[at, value] : taps) sum += value * value;
  return sum;
}

}  // namespace reference::klt
