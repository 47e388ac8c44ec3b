// SPDX-License-Identifier: LGPL-2.1-or-later
#include "marks.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::scopes {

namespace {

constexpr double first_noise = 2;  // levels, until it is measured
/// Standard deviations of the noise that an edge exceeds, and those of a second difference.
constexpr double sigmas = 5, sigma_of_difference = 2.4494897427831781;  // √(1 + 4 + 1)

}  // namespace

ScopeMarks::ScopeMarks(Context &context, int width, int height, const FrameFormat &frame)
    : values_(frame, ScopeMode::luma),
      width_(width),
      height_(height),
      pitch_(width + 2),
      noise_(context, noise::Noise::Texels::luma, width, height) {
  try {
    const Program program =
        context.program("scopes/marks.cl", frame_options(frame) + values_.options());
    mark_ = Kernel(context, program, "scope_marks", {16, 16});
    store_luma_ = Kernel(context, program, "scope_store_luma", {32, 4});
  } catch (const cl::Error &error) {
    throw Error("Marks in the picture can't be drawn by " + context.device().name + ".", error);
  }
}

Marks ScopeMarks::marks_of(const ScopeSettings &settings, bool overlay) const {
  const int black = values_.black(0), white = values_.white(0), unit = values_.levels / 256;
  const auto code = [&](double percent) {
    return static_cast<int>(std::lround(black + percent / 100 * (white - black)));
  };
  Marks marks{};
  marks.size = {{width_, height_}};
  marks.overlay = overlay;
  const std::pair<ScopeKind, int> bits[] = {{false_color, MARK_FALSE_COLOR},
                                            {peaking, MARK_PEAKING},
                                            {gamut, MARK_GAMUT},
                                            {zebra, MARK_ZEBRA}};
  for (const auto &[kind, bit] : bits)
    if (settings.display & kind) marks.marks |= bit;
  marks.black = black;
  marks.level_of_luma = static_cast<int>(std::lround(std::ldexp(255.0 / (white - black), 16)));
  marks.bands = std::min<int>(static_cast<int>(settings.bands.colors.size()), MOST_BANDS);
  for (int i = 0; i < marks.bands; i++) {
    marks.colours[i] = drawing::bytes_of(settings.bands.colors[i]);
    if (i + 1 < marks.bands) marks.limits[i] = code(settings.bands.limits[i]);
  }
  marks.edge = static_cast<int>(std::lround(settings.peaking_threshold * unit));
  marks.edge_of_noise = static_cast<cl_float>(sigmas * sigma_of_difference * unit);
  marks.peaking_color = drawing::bytes_of(settings.peaking_color);
  marks.gamut_color = drawing::bytes_of(settings.gamut_color);
  std::tie(marks.gamut_low, marks.gamut_high) = values_.rgb_limits(settings.gamut_tolerance);
  marks.zebra_low = code(settings.zebra_low);
  marks.zebra_high = code(settings.zebra_high);
  marks.stripe = 2 * drawing::dot(width_, height_);
  return marks;
}

void ScopeMarks::measure_noise(Queue &queue, const Picture &frame) {
  if (!luma_[0]()) {
    for (cl::Buffer &luma : luma_)
      luma = make_buffer(queue.context().cl(), size_t(pitch_) * (height_ + 2));
    noise_.set(queue, first_noise);
  }
  current_ = 1 - current_;
  const Plane now = plane(current_);
  store_luma_(queue, {size_t(width_) + 2, size_t(height_) + 2}, frame, now.texels, now.pitch,
              cl_int2{{width_, height_}});
  if (has_luma_) noise_.measure(queue, plane(1 - current_), now, true);
  has_luma_ = true;
}

void ScopeMarks::reset() {
  has_luma_ = false;
  noise_.reset();
}

void ScopeMarks::run(Queue &queue, const ScopeSettings &settings, const Picture &frame,
                     const drawing::Canvas &canvas) {
  if (settings.peaks()) measure_noise(queue, frame);
  mark_(queue, {size_t(width_), size_t(height_)}, frame, canvas.in, canvas.out, noise_.variances(),
        marks_of(settings, canvas.overlay));
}

}  // namespace glcl::scopes
