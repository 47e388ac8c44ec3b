// SPDX-License-Identifier: LGPL-2.1-or-later
#include "maketemplate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "opencl/error.h"
#include "opencl/transfer.h"

namespace glcl::hough {

namespace {

/// The smallest and largest size at which a template's edges are detected, relative to its picture.
/// Sizes are half an octave apart.
constexpr double least_level = 0.25, most_level = 2;
constexpr int least_side = 8;        // px of a scaled template
constexpr double most_pixels = 4e6;  // px of a scaled template; the smallest size may have more

using Pixels = std::vector<uint8_t>;  // RGBA, rows without gaps

Pixels download(Queue &queue, const Picture &from) {
  Pixels pixels(size_t(from.width) * from.height * 4);
  read_picture(queue.cl(), from, pixels.data(), 0, CL_TRUE);
  return pixels;
}

/// Resamples a row of `before` bytes to `length` bytes by a tent filter. Its reach is a px of the
/// coarser row. Strides are in bytes.
void scale_row(const uint8_t *from, int before, size_t stride_from, uint8_t *to, int length,
               size_t stride_to) {
  const double ratio = double(before) / length, reach = std::max(ratio, 1.0);
  for (int i = 0; i < length; i++) {
    const double middle = (i + 0.5) * ratio - 0.5;
    double sum = 0, weights = 0;
    for (int k = int(std::ceil(middle - reach)); k <= int(std::floor(middle + reach)); k++) {
      const double weight = 1 - std::abs(k - middle) / reach;
      sum += weight * from[size_t(std::clamp(k, 0, before - 1)) * stride_from];
      weights += weight;
    }
    to[size_t(i) * stride_to] = static_cast<uint8_t>(std::lround(sum / weights));
  }
}

Pixels scaled(const Pixels &from, int width, int height, int to_width, int to_height) {
  Pixels wide(size_t(to_width) * height * 4), to(size_t(to_width) * to_height * 4);
  for (size_t y = 0; y < size_t(height); y++)
    for (size_t c = 0; c < 4; c++)
      scale_row(&from[y * width * 4 + c], width, 4, &wide[y * to_width * 4 + c], to_width, 4);
  for (size_t i = 0; i < size_t(to_width) * 4; i++)
    scale_row(&wide[i], height, size_t(to_width) * 4, &to[i], to_height, size_t(to_width) * 4);
  return to;
}

EdgeMap edges_of(Queue &queue, const Canny::Settings &settings, const Picture &picture) {
  Canny canny(queue.context(), picture.width, picture.height, picture.layout);
  canny.run(queue, settings, picture);
  EdgeMap map{picture.width, picture.height, {}};
  map.edges.resize(size_t(map.width) * map.height);
  queue.cl().enqueueReadBuffer(canny.edges(), CL_TRUE, 0, map.edges.size() * sizeof map.edges[0],
                               map.edges.data());
  return map;
}

}  // namespace

std::shared_ptr<const Template> make_template(Queue &queue, const std::string &name,
                                              const Canny::Settings &settings,
                                              const Picture &picture) {
  try {
    const Pixels pixels = download(queue, picture);
    std::vector<EdgeMap> maps;
    for (double scale = least_level; scale < most_level * 1.01; scale *= std::sqrt(2)) {
      const int width = static_cast<int>(std::lround(picture.width * scale)),
                height = static_cast<int>(std::lround(picture.height * scale));
      if (std::min(width, height) < std::min({least_side, picture.width, picture.height})) continue;
      if (double(width) * height > most_pixels && !maps.empty()) break;
      const Picture at = make_picture(queue.context().cl(), width, height, picture.layout);
      write_picture(queue.cl(), at,
                    scaled(pixels, picture.width, picture.height, width, height).data(), 0,
                    CL_TRUE);
      maps.push_back(edges_of(queue, settings, at));
    }
    return std::make_shared<Template>(name, picture.width, picture.height, maps);
  } catch (const cl::Error &error) {
    throw Error("Detecting the edges of the template " + name + " failed.", error);
  }
}

}  // namespace glcl::hough
