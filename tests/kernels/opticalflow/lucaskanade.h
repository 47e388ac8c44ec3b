// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of Lucas and Kanade's method.
#pragma once

#include "opticalflow/lucaskanade.h"

#include "kernels/engine.h"
#include "reference/opticalflow/flow.h"
#include "reference/textured.h"

using glcl::opticalflow::LucasKanade;
using reference::opticalflow::Field;

/// Within 0.01 px, or a thousandth of longer vectors (noise gives any), on 99.9 % of the pixels.
inline void compare(const Field &result, const Field &expected, const std::string &what) {
  size_t off = 0;
  for (size_t i = 0; i < expected.confidence.size(); i++) {
    const double x = expected.vectors[2 * i], y = expected.vectors[2 * i + 1];
    const double error = std::hypot(result.vectors[2 * i] - x, result.vectors[2 * i + 1] - y);
    fail_unless(std::isfinite(error), "%s: no number at %zu", what.c_str(), i);
    off += error > 0.01 + 0.001 * std::hypot(x, y) ||
           std::abs(result.confidence[i] - expected.confidence[i]) > 0.01;
  }
  fail_unless(off * 1000 <= expected.confidence.size(), "%s: %zu of %zu vectors are off",
              what.c_str(), off, expected.confidence.size());
}

/// Black and white on either side of a line through the centre with direction (right, down) px,
/// moved along +x.
inline Frame edge_frame(int width, int height, int right, int down, int moved = 0) {
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const bool white = (x - moved - width / 2) * down > (y - height / 2) * right;
      std::fill_n(frame.at(x, y), 4, white ? 255 : 0);
    }
  return frame;
}

/// Pairs of frames: noise, nothing, ramps, a picture, single edges.
inline std::vector<std::pair<Frame, Frame>> contents() {
  std::vector<std::pair<Frame, Frame>> pairs{
      {reference::random_frame(65, 49), reference::random_frame(65, 49, 2)},
      {reference::flat_frame(65, 49), reference::flat_frame(65, 49)},
      {reference::gradient_frame(65, 49), reference::gradient_frame(65, 49)},
      {reference::natural_frame(97, 53),
       reference::crop(reference::natural_frame(98, 53), 1, 0, 97, 53)}};
  for (const auto &[right, down] : {std::pair{0, 1}, {1, 0}, {1, 1}, {-1, 1}, {2, 1}})
    pairs.push_back({edge_frame(65, 49, right, down), edge_frame(65, 49, right, down, 1)});
  return pairs;
}
