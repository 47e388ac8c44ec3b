// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "flow.h"

namespace reference::opticalflow {

Field lucas_kanade(const Frame &before, const Frame &after,
                   const glcl::opticalflow::LucasKanade::Settings &settings) {
  const int width = before.width, height = before.height, radius = settings.window / 2;
  const auto grey = [](const Frame &frame, int x, int y) {
    const uint8_t *p = frame.at(std::min(x, frame.width - 1), std::min(y, frame.height - 1));
    return (p[0] + p[1] + p[2]) / 3.0;
  };
  struct Derivatives {
    double x, y, t;
  };
  std::vector<Derivatives> derivatives;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double a[2][2], change = 0;
      for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
          a[j][i] = grey(before, x + i, y + j);
          change += grey(after, x + i, y + j) - a[j][i];
        }
      derivatives.push_back({0.5 * (a[0][1] - a[0][0] + a[1][1] - a[1][0]),
                             0.5 * (a[1][0] - a[0][0] + a[1][1] - a[0][1]), change / 4});
    }

  Field field{width, height, std::vector<float>(size_t(width) * height * 2),
              std::vector<float>(size_t(width) * height)};
  for (int y = radius; y < height - radius; y++)
    for (int x = radius; x < width - radius; x++) {
      double xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;
      for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
          const Derivatives &d = derivatives[size_t(y + j) * width + x + i];
          xx += d.x * d.x, xy += d.x * d.y, yy += d.y * d.y, xt += d.x * d.t, yt += d.y * d.t;
        }
      const size_t at = size_t(y) * width + x;
      const double least =
          std::max((xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2, 0.0) /
          (settings.window * settings.window);
      field.confidence[at] = static_cast<float>(least / (least + 16));
      xx += settings.alpha, yy += settings.alpha;
      const double scale = 1 / (xx * yy - xy * xy);
      field.vectors[2 * at] = static_cast<float>(scale * (xy * yt - yy * xt));
      field.vectors[2 * at + 1] = static_cast<float>(scale * (xy * xt - xx * yt));
    }
  return field;
}

}  // namespace reference::opticalflow
