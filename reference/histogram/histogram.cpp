// SPDX-License-Identifier: LGPL-2.1-or-later
#include "histogram.h"

#include <algorithm>
#include <cmath>

namespace reference {

using glcl::Rect;
using glcl::histogram::Histogram;

std::vector<uint32_t> histogram(const Frame &frame, const Histogram::Format &format,
                                const Rect &area) {
  using Mode = Histogram::Mode;
  const Rect part = area.empty() ? Rect{0, 0, frame.width, frame.height} : area;
  const int levels = format.levels();
  const auto bin = [&](int level) { return level * levels / 256; };
  std::vector<uint32_t> counts(format.counters());
  for (int y = part.y; y < part.y + part.height; y++)
    for (int x = part.x; x < part.x + part.width; x++) {
      const uint8_t *p = frame.at(x, y);
      switch (format.mode) {
        case Mode::luma:
          counts[bin((77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256)]++;
          break;
        case Mode::rgb:
        case Mode::rgba:
          for (int c = 0; c < format.channels(); c++) counts[c * levels + bin(p[c])]++;
          break;
        default:
          counts[(bin(p[0]) * levels + bin(p[1])) * levels + bin(p[2])]++;
      }
    }
  return counts;
}

std::vector<uint32_t> histogram(const PlanarFrame &frame, const glcl::Colorimetry &colorimetry,
                                const Histogram::Format &format, const Rect &area) {
  const Rect part = area.empty() ? Rect{0, 0, frame.width, frame.height} : area;
  const double unit = std::ldexp(1, frame.format->bits - 8);
  std::vector<uint32_t> counts(format.bins + (colorimetry.full_range ? 0 : 2));
  for (int y = part.y; y < part.y + part.height; y++)
    for (int x = part.x; x < part.x + part.width; x++) {
      const double code = luma_code_at(frame, x, y) / unit;
      const double level = format.values == Histogram::Levels::code
                               ? code
                               : luma_level_at(frame, colorimetry, x, y) + 0.5;
      counts[static_cast<int>(level) * format.bins / 256]++;
      if (colorimetry.full_range) continue;
      counts[format.bins] += code < 16;
      counts[format.bins + 1] += code > 235;
    }
  return counts;
}

std::vector<uint32_t> histogram(const std::vector<uint16_t> &samples,
                                const Histogram::Format &format) {
  const int depth = format.mode == Histogram::Mode::grey_16 ? format.depth : 8;
  std::vector<uint32_t> counts(format.bins);
  for (const uint16_t sample : samples)
    counts[std::min((uint64_t(sample) * format.bins) >> depth, uint64_t(format.bins - 1))]++;
  return counts;
}

}  // namespace reference
