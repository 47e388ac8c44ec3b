// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conversion.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reference {

namespace {

using glcl::ChromaSite;
using glcl::Colorimetry;
using glcl::PixelFormat;
using Model = PixelFormat::Model;

/// The values of black, white, grey chroma, and of chroma from one end to the other.
struct Range {
  double black, white, grey, chroma, most;
};

Range range_of(const PixelFormat &format, const Colorimetry &colorimetry) {
  const double unit = std::ldexp(1, format.bits - 8), most = std::ldexp(1, format.bits) - 1;
  if (colorimetry.full_range) return {0, most, 128 * unit, most, most};
  return {16 * unit, 235 * unit, 128 * unit, 224 * unit, most};
}

double clip(double value, double most) { return std::min(std::max(value, 0.0), most); }

/// The stored channel of each of R, G, B and A.
std::array<int, 4> channels_of(const PixelFormat &format) {
  if (std::strncmp(format.channels, "BGR", 3) == 0) return {2, 1, 0, 3};
  return {0, 1, 2, 3};
}

int value_at(const PlanarFrame &frame, int plane, int x, int y, int channel = 0) {
  if (frame.format->bits == 16)
    return frame.planes[plane].at(x, y, 0) + 256 * frame.planes[plane].at(x, y, 1);
  return frame.planes[plane].at(x, y, channel) >> frame.format->padding;
}

/// The level of luma, which the stored value may let out of 0 to 255.
double unclipped_luma(const PlanarFrame &frame, const Range &range, int x, int y) {
  return 255 * (value_at(frame, 0, x, y) - range.black) / (range.white - range.black);
}

std::array<double, 4> unclipped_at(const PlanarFrame &frame, const Colorimetry &colorimetry, int x,
                                   int y) {
  const PixelFormat &format = *frame.format;
  if (format.model == Model::rgb) {
    const std::array<int, 4> channels = channels_of(format);
    std::array<double, 4> levels{};
    for (int i = 0; i < 4; i++) levels[i] = frame.planes[0].at(x, y, channels[i]);
    if (std::strchr(format.channels, 'x')) levels[3] = 255;
    return levels;
  }
  const Range range = range_of(format, colorimetry);
  const double luma = unclipped_luma(frame, range, x, y);
  double u = 0, v = 0;
  if (format.model == Model::yuv) {
    const int cx = x >> format.chroma_shift, cy = y >> format.chroma_shift;
    const bool planar = format.plane_count == 3;
    u = 255 * (value_at(frame, 1, cx, cy) - range.grey) / range.chroma;
    v = 255 * (value_at(frame, planar ? 2 : 1, cx, cy, planar ? 0 : 1) - range.grey) / range.chroma;
  }
  const double kr = colorimetry.kr, kb = colorimetry.kb;
  const double red = luma + 2 * (1 - kr) * v, blue = luma + 2 * (1 - kb) * u;
  const double green = luma - (2 * (1 - kr) * kr * v + 2 * (1 - kb) * kb * u) / (1 - kr - kb);
  return {red, green, blue, 255};
}

}  // namespace

PlanarFrame::PlanarFrame(const PixelFormat &of, int w, int h) : format(&of), width(w), height(h) {
  for (int i = 0; i < of.plane_count; i++) {
    const int shift = i ? of.chroma_shift : 0, channels = of.planes[i]->order == CL_RGBA ? 4
                                                          : of.planes[i]->order == CL_RG ? 2
                                                                                         : 1;
    const int plane_width = (w + (1 << shift) - 1) >> shift,
              plane_height = (h + (1 << shift) - 1) >> shift;
    planes.push_back({plane_width, plane_height, channels,
                      std::vector<uint16_t>(size_t(plane_width) * plane_height * channels)});
  }
}

Colours::Colours(const Frame &frame) : width(frame.width), height(frame.height) {
  for (size_t i = 0; i < frame.rgba.size(); i += 4) {
    const uint8_t *levels = &frame.rgba[i];
    pixels.push_back({double(levels[0]), double(levels[1]), double(levels[2]), double(levels[3])});
  }
}

Colours::Colours(const PlanarFrame &frame, const Colorimetry &colorimetry)
    : width(frame.width), height(frame.height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) pixels.push_back(unclipped_at(frame, colorimetry, x, y));
}

std::array<double, 4> levels_at(const PlanarFrame &frame, const Colorimetry &colorimetry, int x,
                                int y) {
  std::array<double, 4> levels = unclipped_at(frame, colorimetry, x, y);
  for (double &level : levels) level = clip(level, 255);
  return levels;
}

int luma_code_at(const PlanarFrame &frame, int x, int y) { return value_at(frame, 0, x, y); }

double luma_level_at(const PlanarFrame &frame, const Colorimetry &colorimetry, int x, int y) {
  return clip(unclipped_luma(frame, range_of(*frame.format, colorimetry), x, y), 255);
}

namespace {

/// The pixels along an axis that a chroma sample comes from, and their parts.
std::vector<std::pair<int, double>> pixels_of(int sample, int shift, bool cosited, int end) {
  const int first = sample << shift;
  std::vector<std::pair<int, double>> pixels;
  if (shift == 0)
    pixels = {{first, 1}};
  else if (cosited)
    pixels = {{first - 1, 0.25}, {first, 0.5}, {first + 1, 0.25}};
  else
    pixels = {{first, 0.5}, {first + 1, 0.5}};
  for (auto &[at, part] : pixels) at = std::min(std::max(at, 0), end - 1);
  return pixels;
}

/// The mean of the pixels that a pixel of a plane comes from.
std::array<double, 4> mean_at(const Colours &colours, int shift, const ChromaSite &site, int x,
                              int y) {
  std::array<double, 4> mean{};
  for (const auto &[py, down] : pixels_of(y, shift, site.top, colours.height))
    for (const auto &[px, across] : pixels_of(x, shift, site.left, colours.width))
      for (int i = 0; i < 4; i++) mean[i] += down * across * colours.at(px, py)[i];
  return mean;
}

/// How far a colour's values in a plane are from black or from grey chroma.
std::vector<double> steps_of(const std::array<double, 4> &colour, const PixelFormat &format,
                             const Colorimetry &colorimetry, int plane) {
  const double kr = colorimetry.kr, kb = colorimetry.kb;
  const double luma = kr * colour[0] + (1 - kr - kb) * colour[1] + kb * colour[2];
  const Range range = range_of(format, colorimetry);
  if (plane == 0) return {luma * (range.white - range.black) / 255};
  const double u = range.chroma * (colour[2] - luma) / (2 * (1 - kb)) / 255,
               v = range.chroma * (colour[0] - luma) / (2 * (1 - kr)) / 255;
  if (format.plane_count == 2) return {u, v};
  return {plane == 1 ? u : v};
}

}  // namespace

std::vector<double> values_at(const Colours &colours, const PixelFormat &format,
                              const Colorimetry &colorimetry, int plane, int x, int y,
                              const ChromaSite &site) {
  if (format.model == Model::rgb) {
    const std::array<int, 4> channels = channels_of(format);
    std::vector<double> values(4);
    for (int i = 0; i < 4; i++) values[channels[i]] = colours.at(x, y)[i];
    if (std::strchr(format.channels, 'x')) values[3] = 255;
    return values;
  }
  const Range range = range_of(format, colorimetry);
  const std::array<double, 4> mean = mean_at(colours, plane ? format.chroma_shift : 0, site, x, y);
  std::vector<double> values = steps_of(mean, format, colorimetry, plane);
  for (double &value : values) value = clip((plane ? range.grey : range.black) + value, range.most);
  return values;
}

std::vector<double> blended_at(const PlanarFrame &frame, const Colours &drawing,
                               const Colorimetry &colorimetry, int plane, int x, int y,
                               const ChromaSite &site) {
  const PixelFormat &format = *frame.format;
  const Range range = range_of(format, colorimetry);
  const double base = plane ? range.grey : range.black;
  const std::array<double, 4> mean = mean_at(drawing, plane ? format.chroma_shift : 0, site, x, y);
  std::vector<double> values = steps_of(mean, format, colorimetry, plane);
  for (size_t i = 0; i < values.size(); i++) {
    const double below = value_at(frame, plane, x, y, static_cast<int>(i));
    values[i] = mean[3] > 0
                    ? clip(base + (1 - mean[3] / 255) * (below - base) + values[i], range.most)
                    : below;
  }
  return values;
}

}  // namespace reference
