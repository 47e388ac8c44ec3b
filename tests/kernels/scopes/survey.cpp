// SPDX-License-Identifier: LGPL-2.1-or-later
// The survey of frames equals the scalar reference, and peaking follows the noise.
#include "scopes/survey.h"

#include "kernels/buffers.h"
#include "kernels/planes.h"
#include "reference/scopes/marks.h"
#include "scopes/marks.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::Rect;
using glcl::scopes::ScopeMarks;
using glcl::scopes::ScopeMode;
using glcl::scopes::ScopeSettings;
using glcl::scopes::ScopeSurvey;
using glcl::scopes::ScopeValues;
using glcl::scopes::SurveyLimits;
using reference::ScopeFrame;

namespace {

/// Surveys frames one after the other and compares them with the reference.
class Sequence {
 public:
  Sequence(Bench &bench, const FrameFormat &format, int width, int height, int group)
      : bench_(bench), survey_(*bench.context, width, height, format, group) {}

  void check(const Picture &in, const ScopeFrame &frame, const Rect &area,
             const SurveyLimits &limits, bool compares) {
    if (!compares || !(area == area_)) kept_.reset();
    const auto got =
        download<uint64_t>(bench_, survey_.run(*bench_.queue, in, area, limits, compares),
                           glcl::scopes::SURVEY_VALUES);
    const auto expected = reference::scope_survey(frame, kept_ ? &*kept_ : nullptr, area, limits);
    for (size_t i = 0; i < expected.size(); i++)
      fail_unless(got[i] == expected[i], "%s %d×%d: number %zu is %lu, expected %lu",
                  frame.values.frame.pixels->name, frame.width, frame.height, i,
                  static_cast<unsigned long>(got[i]), static_cast<unsigned long>(expected[i]));
    const double mean = double(expected[3]) / (double(area.width) * area.height);
    const bool still = kept_ && mean <= limits.still / 100 * frame.values.levels;
    fail_unless(glcl::scopes::SurveyNumbers(area, got.data()).still == still, "frame %d", number_);
    fail_unless((got[4] == glcl::scopes::SURVEY_UNCOMPARED) == !kept_, "frame %d", number_);
    if (compares && !still) kept_ = frame;
    area_ = area;
    number_++;
  }
  void reset() {
    survey_.reset();
    kept_.reset();
  }

 private:
  Bench &bench_;
  ScopeSurvey survey_;
  std::optional<ScopeFrame> kept_;
  Rect area_;
  int number_ = 0;
};

}  // namespace

TEST_EACH(test_rgb, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::image : Layout::buffer;
  for (const auto &[width, height] : {std::pair{1, 1}, {7, 3}, {161, 90}})
    for (const int group : {1, 32, 256})
      for (const bool full : {true, false}) {
        FrameFormat format(layout);
        format.colorimetry = {0.2126, 0.0722, full};
        const ScopeValues values(format, ScopeMode::luma);
        Sequence sequence(bench, format, width, height, group);
        const SurveyLimits limits{full ? 0.0 : 3.0, 30, 1};
        for (const Frame &frame :
             {reference::random_frame(width, height), reference::flat_frame(width, height),
              reference::flat_frame(width, height), reference::gradient_frame(width, height),
              reference::natural_frame(width, height),
              reference::noisy(reference::natural_frame(width, height), 2, 1),
              reference::noisy(reference::natural_frame(width, height), 9, 1),
              Frame(width, height)})
          sequence.check(bench.upload(frame, layout, 3), ScopeFrame(frame, values),
                         {0, 0, width, height}, limits, true);
      }
}

TEST(test_planes) {
  Bench bench;
  size_t number = 0;
  constexpr Colorimetry colorimetries[] = {
      {0.299, 0.114, false}, {0.2126, 0.0722, true}, {0.2627, 0.0593, false}};
  for_luma(bench, [&](const PixelFormat &pixels, Layout layout) {
    for (const auto &[width, height] : {std::pair{1, 1}, {33, 7}, {64, 48}})
      for (const int group : {1, 64}) {
        const FrameFormat format(layout, pixels, colorimetries[number++ % 3]);
        Sequence sequence(bench, format, width, height, group);
        const PlanarFrame frames[] = {random_planes(pixels, width, height, true),
                                      random_planes(pixels, width, height, false)};
        const Rect all{0, 0, width, height},
            part{width / 2, height / 2, (width + 1) / 2, (height + 1) / 2};
        for (const auto &[which, area] :
             {std::pair{0, all}, {0, all}, {1, all}, {1, part}, {0, part}, {0, part}})
          sequence.check(upload(bench, frames[which], layout),
                         ScopeFrame(frames[which], ScopeValues(format, ScopeMode::luma)), area,
                         {5, 47, 0.1}, true);
      }
  });
}

// Slow changes add up, because frames are compared with the last one that moved. Without a
// comparison, and after a reset, there is no frame to compare with.
TEST(test_kept_frames) {
  Bench bench;
  const FrameFormat format(Layout::buffer);
  const ScopeValues values(format, ScopeMode::luma);
  Sequence sequence(bench, format, 40, 30, 0);
  const Rect all{0, 0, 40, 30};
  Frame frame(40, 30);
  for (int i = 0; i < 12; i++) {
    for (size_t k = 0; k < frame.rgba.size(); k++)
      frame.rgba[k] = uint8_t(k % 4 == 3 ? 255 : i / 2);
    if (i == 8) sequence.reset();
    sequence.check(bench.upload(frame, Layout::buffer), ScopeFrame(frame, values), all, {5, 10, 1},
                   i != 5);
  }
}

// Peaking marks sharp edges, and neither blurred ones nor noise.
TEST(test_peaking) {
  Bench bench;
  const int width = 320, height = 160;
  Frame edges(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const double step = x < 80 ? 0 : 1 - std::clamp((x - 220) / 40.0, 0.0, 1.0);
      for (int i = 0; i < 3; i++) edges.at(x, y)[i] = uint8_t(60 + 120 * step);
    }
  FrameFormat format(Layout::buffer);
  const ScopeValues values(format, ScopeMode::luma);
  ScopeMarks marks(*bench.context, width, height, format);
  ScopeSettings settings;
  settings.display = glcl::scopes::peaking;
  settings.peaking_threshold = 4;
  for (int i = 0; i < 6; i++) {
    const Frame frame = reference::noisy(edges, 6, uint32_t(i));
    const Picture in = bench.upload(frame, Layout::buffer),
                  out = bench.upload(frame, Layout::buffer);
    marks.run(*bench.queue, settings, in, {in, out});
    if (i == 0) continue;  // the noise is not measured yet
    const auto variances =
        download<float>(bench, marks.noise().variances(), glcl::noise::NOISE_VALUES);
    fail_unless(std::fabs(std::sqrt(variances[0]) - 6) < 1, "noise %f", std::sqrt(variances[0]));
    const auto noise = [&](double level) {
      const double place = std::clamp(level / 32 - 0.5, 0.0, 7.0);
      const int band = std::min(int(place), 6);
      return variances[1 + band] + (place - band) * (variances[2 + band] - variances[1 + band]);
    };
    Frame expected = frame;
    reference::draw_marks(expected, ScopeFrame(frame, values), settings, false, noise);
    const Frame got = bench.download(out);
    int of_edge = 0, others = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const uint8_t *pixel = got.at(x, y);
        const bool marked = pixel[0] == 255 && !pixel[1] && !pixel[2];
        (x == 79 || x == 80 ? of_edge : others) += marked;
        fail_unless(std::equal(pixel, pixel + 4, expected.at(x, y)), "pixel %d, %d", x, y);
      }
    fail_unless(of_edge > 1.5 * height && others < 5, "%d px of the edge, %d others", of_edge,
                others);
  }
}
