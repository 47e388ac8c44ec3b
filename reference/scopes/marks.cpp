// SPDX-License-Identifier: LGPL-2.1-or-later
#include "marks.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace reference {

using glcl::scopes::ScopeMode;
using glcl::scopes::ScopeSettings;
using glcl::scopes::ScopeValues;

namespace {

using Colour = std::array<int, 3>;

/// Marks the pixels of a frame.
class MarkReference {
 public:
  MarkReference(const ScopeFrame &frame, const ScopeSettings &settings, const ScopeNoise &noise)
      : frame_(frame),
        settings_(settings),
        noise_(noise),
        luma_(frame.values.frame, ScopeMode::luma),
        unit_(luma_.levels / 256.0) {}

  std::optional<Colour> colour(int x, int y) const {
    std::optional<Colour> colour;
    if (settings_.display & glcl::scopes::false_color) colour = band(frame_.luma_at(x, y));
    if (settings_.display & glcl::scopes::peaking && in_focus(x, y))
      colour = opaque(settings_.peaking_color);
    if (settings_.display & glcl::scopes::gamut && illegal(x, y))
      colour = opaque(settings_.gamut_color);
    if (settings_.display & glcl::scopes::zebra)
      if (const auto level = stripe(x, y)) colour = Colour{*level, *level, *level};
    return colour;
  }

 private:
  /// The code value of a percentage.
  double code(double percent) const {
    return std::round(luma_.black(0) + percent / 100 * (luma_.white(0) - luma_.black(0)));
  }
  static Colour opaque(uint32_t argb) {
    return {int(argb >> 16 & 255), int(argb >> 8 & 255), int(argb & 255)};
  }
  Colour band(int luma) const {
    size_t band = 0;
    for (const double limit : settings_.bands.limits) band += luma >= code(limit);
    const uint32_t argb = settings_.bands.colors[band];
    const double range = luma_.white(0) - luma_.black(0),
                 step = std::round(255 / range * 65536) / 65536,
                 grey = std::clamp(std::floor((luma - luma_.black(0)) * step + 0.5), 0.0, 255.0);
    const int alpha = static_cast<int>(argb >> 24);
    Colour colour = opaque(argb);
    for (int &part : colour)
      part = static_cast<int>((part * alpha + grey * (255 - alpha) + 127) / 255);
    return colour;
  }
  bool in_focus(int x, int y) const {
    const auto luma = [&](int dx, int dy) {
      return frame_.luma_at(std::clamp(x + dx, 0, frame_.width - 1),
                            std::clamp(y + dy, 0, frame_.height - 1));
    };
    const int twice = 2 * luma(0, 0),
              difference = std::max(std::abs(twice - luma(-1, 0) - luma(1, 0)),
                                    std::abs(twice - luma(0, -1) - luma(0, 1)));
    // A second difference of white noise has six times its variance.
    const double noise = 5 * std::sqrt(6 * noise_(luma(0, 0) / unit_)) * unit_;
    return difference > std::round(settings_.peaking_threshold * unit_) && difference > noise;
  }
  bool illegal(int x, int y) const {
    const auto [least, most] = frame_.values.rgb_limits(settings_.gamut_tolerance);
    const auto &rgb = frame_.rgb_at(x, y);
    return std::any_of(rgb.begin(), rgb.end(),
                       [least = least, most = most](int v) { return v < least || v > most; });
  }
  /// Diagonal stripes of black and white over luma outside of the limits.
  std::optional<int> stripe(int x, int y) const {
    const int luma = frame_.luma_at(x, y);
    const bool low = luma<code(settings_.zebra_low), high = luma> code(settings_.zebra_high);
    if (!low && !high) return {};
    const int width = 2 * std::max(2, (std::min(frame_.width, frame_.height) + 135) / 270);
    const int along = high ? x + y : x - y + frame_.height;
    return along / width % 2 ? 255 : 0;
  }

  const ScopeFrame &frame_;
  const ScopeSettings &settings_;
  const ScopeNoise &noise_;
  ScopeValues luma_;
  double unit_;  // code values per level
};

}  // namespace

void draw_marks(Frame &out, const ScopeFrame &frame, const ScopeSettings &settings, bool overlay,
                const ScopeNoise &noise) {
  const MarkReference marks(frame, settings, noise);
  for (int y = 0; y < out.height; y++)
    for (int x = 0; x < out.width; x++) {
      const std::optional<Colour> colour = marks.colour(x, y);
      if (!colour) continue;
      for (int i = 0; i < 3; i++)
        out.at(x, y)[i] = static_cast<uint8_t>((*colour)[overlay ? 2 - i : i]);
      if (overlay) out.at(x, y)[3] = 255;
    }
}

std::vector<uint32_t> scope_lines(const ScopeFrame &frame, const glcl::Rect &area) {
  const ScopeValues &values = frame.values;
  const int lines = area.height;
  std::vector<uint32_t> numbers(size_t(values.channels) * 5 * lines);
  for (int channel = 0; channel < values.channels; channel++) {
    const int shared = values.is_chroma(channel) ? 1 << values.chroma_shift() : 1;
    for (int line = 0; line < lines; line++) {
      uint32_t of_line[5] = {uint32_t(values.levels - 1)};
      for (int x = area.x; x < area.right(); x++) {
        if (x != area.x && x % shared) continue;
        const int value = frame.values_at(x, area.y + line)[channel];
        of_line[0] = std::min(of_line[0], uint32_t(value));
        of_line[1] = std::max(of_line[1], uint32_t(value));
        of_line[2] += value;
        of_line[3] += value < values.black(channel);
        of_line[4] += value > values.white(channel);
      }
      for (int i = 0; i < 5; i++) numbers[(size_t(channel) * 5 + i) * lines + line] = of_line[i];
    }
  }
  return numbers;
}

std::array<uint64_t, 4> scope_survey(const ScopeFrame &frame, const ScopeFrame *kept,
                                     const glcl::Rect &area,
                                     const glcl::scopes::SurveyLimits &limits) {
  const bool rgb = !frame.values.frame.pixels->has_luma();
  const ScopeValues luma(frame.values.frame, ScopeMode::luma),
      stored(frame.values.frame, rgb ? ScopeMode::rgb : ScopeMode::ycbcr);
  const auto [least, most] = frame.values.rgb_limits(limits.gamut_tolerance);
  const double black = luma.black(0) + limits.black / 100 * (luma.white(0) - luma.black(0));
  std::array<uint64_t, 4> numbers{};
  for (int y = area.y; y < area.bottom(); y++)
    for (int x = area.x; x < area.right(); x++) {
      std::array<int, 3> codes = frame.rgb_at(x, y);
      if (!rgb) codes = {frame.luma_at(x, y), frame.chroma_at(x, y)[0], frame.chroma_at(x, y)[1]};
      bool illegal = false, outside = false;
      for (int i = 0; i < 3; i++) {
        if (i < stored.channels)
          illegal |= codes[i] < stored.black(i) || codes[i] > stored.white(i);
        outside |= frame.rgb_at(x, y)[i] < least || frame.rgb_at(x, y)[i] > most;
      }
      numbers[0] += illegal;
      numbers[1] += outside;
      numbers[2] += frame.luma_at(x, y) <= black;
      if (kept) numbers[3] += std::abs(frame.luma_at(x, y) - kept->luma_at(x, y));
    }
  return numbers;
}

}  // namespace reference
