// SPDX-License-Identifier: LGPL-2.1-or-later
// The counts of scopes, and their numbers, equal the scalar reference in all formats.
#include "scopes/counts.h"

#include <unistd.h>

#include "kernels/buffers.h"
#include "kernels/planes.h"
#include "opencl/buffer.h"
#include "reference/scopes/scopes.h"
#include "scopes/graticule.h"
#include "scopes/numbers.h"
#include "scopes/survey.h"
#include "tests/support/command.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::Rect;
using glcl::scopes::ScopeCounts;
using glcl::scopes::ScopeMode;
using glcl::scopes::ScopeValues;
using reference::ScopeFrame;

namespace {

constexpr ScopeMode modes[] = {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr};
constexpr Colorimetry colorimetries[] = {{0.299, 0.114, false},
                                         {0.2126, 0.0722, false},
                                         {0.2126, 0.0722, true},
                                         {0.2627, 0.0593, true},
                                         {0.2627, 0.0593, false}};

std::vector<uint32_t> read(Bench &bench, const cl::Buffer &from, size_t count) {
  return download<uint32_t>(bench, from, count);
}

void check_counts(const std::vector<uint32_t> &got, const std::vector<uint32_t> &expected,
                  const std::string &what) {
  const auto at = std::mismatch(expected.begin(), expected.end(), got.begin()).first;
  fail_unless(got.size() == expected.size() && at == expected.end(), "%s: count %d", what.c_str(),
              int(at - expected.begin()));
}

/// Counts an area and compares everything with the reference.
void check(Bench &bench, ScopeCounts &counts, const Picture &in, const ScopeFrame &frame,
           const Rect &area, const std::string &what) {
  const int columns = counts.columns(area);
  const std::vector<uint32_t> expected = reference::scope_counts(frame, area, columns);
  // Both parts at once, or one after the other.
  const bool at_once = (area.width + area.height) % 2;
  if (at_once) counts.count(*bench.queue, in, area);
  if (!at_once) counts.count(*bench.queue, in, area, glcl::scopes::COUNT_CHROMA);
  if (!at_once) counts.count(*bench.queue, in, area, glcl::scopes::COUNT_COLUMNS);
  check_counts(read(bench, counts.counts(), expected.size()), expected, what + ", counts");
  check_counts(read(bench, counts.cells(), 65536), reference::scope_cells(frame, area),
               what + ", chroma");
  check_counts(read(bench, counts.numbers(*bench.queue, area), counts.number_count(area)),
               reference::scope_numbers(frame, area, columns), what + ", numbers");
  const std::vector<uint32_t> of_lines = reference::scope_lines(frame, area);
  const cl::Buffer lines = glcl::make_buffer(bench.context->cl(), 4 * (of_lines.size() + 1));
  counts.lines(*bench.queue, in, area, lines, 1);
  std::vector<uint32_t> got = read(bench, lines, of_lines.size() + 1);
  got.erase(got.begin());
  check_counts(got, of_lines, what + ", lines");
}

std::string text_of(const FrameFormat &format, ScopeMode mode, int width, int height, int group) {
  return std::string(format.pixels->name) + (format.colorimetry.full_range ? " full " : " ") +
         mode_name(mode) + " " + std::to_string(width) + "×" + std::to_string(height) + " group " +
         std::to_string(group);
}

std::vector<Rect> areas(int width, int height) {
  std::vector<Rect> all{{0, 0, width, height}};
  if (width > 8 && height > 8) all.push_back({3, 4, width - 7, height - 4});
  if (width > 1) all.push_back({width - 1, height - 1, 1, 1});
  return all;
}

}  // namespace

TEST_EACH(test_rgb, 0, 2) {
  Bench bench;
  const Layout layout = __i__ ? Layout::image : Layout::buffer;
  struct Case {
    Colorimetry colorimetry;
    ScopeMode mode;
    int group;
  };
  const Case cases[] = {
      {colorimetries[0], ScopeMode::luma, 1},    {colorimetries[0], ScopeMode::luma, 256},
      {colorimetries[0], ScopeMode::rgb, 1},     {colorimetries[0], ScopeMode::rgb, 32},
      {colorimetries[0], ScopeMode::ycbcr, 1},   {colorimetries[0], ScopeMode::ycbcr, 64},
      {colorimetries[2], ScopeMode::ycbcr, 128}, {colorimetries[3], ScopeMode::luma, 1}};
  for (const auto &[width, height] : {std::pair{1, 1}, {7, 3}, {161, 90}, {700, 20}})
    for (const auto &[colorimetry, mode, group] : cases) {
      FrameFormat format(layout);
      format.colorimetry = colorimetry;
      const ScopeValues values(format, mode);
      ScopeCounts counts(*bench.context, width, height, values, 0, group);
      for (const Frame &frame :
           {reference::random_frame(width, height), reference::flat_frame(width, height),
            reference::gradient_frame(width, height), reference::natural_frame(width, height),
            reference::noisy(reference::flat_frame(width, height), 4, 1)}) {
        const Picture in = bench.upload(frame, layout, 3);
        for (const Rect &area : areas(width, height))
          check(bench, counts, in, ScopeFrame(frame, values), area,
                text_of(format, mode, width, height, group));
      }
    }
}

namespace {

/// Frames of several sizes, with any values, also illegal ones and those of colours that RGB can't
/// show.
void check_planes(Bench &bench, const FrameFormat &format, ScopeMode mode, int group) {
  const ScopeValues values(format, mode);
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 1}, {33, 7}, {64, 48}}) {
    ScopeCounts counts(*bench.context, width, height, values, 0, group);
    const PlanarFrame frame = random_planes(*format.pixels, width, height, width == 33);
    const Picture in = upload(bench, frame, format.layout);
    for (const Rect &area : areas(width, height))
      check(bench, counts, in, ScopeFrame(frame, values), area,
            text_of(format, mode, width, height, group));
  }
}

}  // namespace

// The matrix matters for R, G and B only.
TEST(test_planes) {
  Bench bench;
  size_t number = 0;
  for_luma(bench, [&](const PixelFormat &pixels, Layout layout) {
    for (const ScopeMode mode : modes)
      for (const int group : {1, 64})
        check_planes(bench, {layout, pixels, colorimetries[number++ % std::size(colorimetries)]},
                     mode, group);
  });
  for (const char *name : {"NV12", "P010_10LE"})
    for (const Colorimetry &colorimetry : colorimetries)
      check_planes(bench, {Layout::buffer, *PixelFormat::find(name), colorimetry}, ScopeMode::rgb,
                   1);
}

namespace {

/// A frame whose luma and chroma are functions of the pixel.
template <class Luma, class Chroma>
PlanarFrame planes_of(const PixelFormat &format, int width, int height, const Luma &luma,
                      const Chroma &chroma) {
  PlanarFrame frame(format, width, height);
  const auto store = [&](int value) { return static_cast<uint16_t>(value << format.padding); };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      frame.planes[0].values[size_t(y) * width + x] = store(luma(x, y));
  PlanarFrame::Plane &plane = frame.planes[1];
  for (int y = 0; y < plane.height; y++)
    for (int x = 0; x < plane.width; x++)
      for (int i = 0; i < 2; i++)
        plane.values[(size_t(y) * plane.width + x) * 2 + i] = store(chroma(2 * x, 2 * y)[i]);
  return frame;
}

/// Counts a frame in all modes.
void check_modes(Bench &bench, const PlanarFrame &frame, const Colorimetry &colorimetry,
                 const std::string &what) {
  for (const ScopeMode mode : modes) {
    const ScopeValues values({Layout::buffer, *frame.format, colorimetry}, mode);
    ScopeCounts counts(*bench.context, frame.width, frame.height, values);
    check(bench, counts, upload(bench, frame, Layout::buffer), ScopeFrame(frame, values),
          {0, 0, frame.width, frame.height}, what + " " + mode_name(mode));
  }
}

}  // namespace

// Ramps over all code values, of 8 and of 10 bits: each has as many samples as the others.
TEST(test_ramps) {
  Bench bench;
  for (const char *name : {"NV12", "P010_10LE"}) {
    const PixelFormat &format = *PixelFormat::find(name);
    const int levels = 1 << format.bits;
    const PlanarFrame ramp = planes_of(
        format, levels, 16, [](int x, int y) { return x; },
        [=](int x, int y) {
          return std::array<int, 2>{x, levels - 1 - x};
        });
    check_modes(bench, ramp, colorimetries[1], std::string("ramp in ") + name);
    const Rect all{0, 0, levels, 16};
    ScopeCounts counts(*bench.context, levels, 16,
                       ScopeValues({Layout::buffer, format, colorimetries[1]}, ScopeMode::luma));
    counts.count(*bench.queue, upload(bench, ramp, Layout::buffer), all);
    for (const uint32_t total : read(bench, counts.totals(*bench.queue, all), levels))
      fail_unless(total == 16, "%s: %u samples of a value", name, total);
  }
}

// SMPTE bars: the chroma of each is one cell, on the target of its colour.
TEST(test_bars) {
  Bench bench;
  const PixelFormat &nv12 = *PixelFormat::find("NV12");
  for (const Colorimetry &colorimetry : {colorimetries[0], colorimetries[1]})
    for (const double part : {0.75, 1.0}) {
      const auto rgb_of = [=](int x) {  // white, yellow, cyan, green, magenta, red, blue, black
        const int bar = 7 - x / 16;
        return std::array<double, 3>{bar & 2 ? part : 0, bar & 4 ? part : 0, bar & 1 ? part : 0};
      };
      const auto chroma_at = [&](int x) {
        const auto [red, green, blue] = rgb_of(x);
        return glcl::scopes::chroma_of(colorimetry, red, green, blue);
      };
      const PlanarFrame bars = planes_of(
          nv12, 128, 32,
          [&](int x, int y) {
            const auto [red, green, blue] = rgb_of(x);
            return int(std::lround(16 + 219 * (colorimetry.kr * red + colorimetry.kb * blue +
                                               (1 - colorimetry.kr - colorimetry.kb) * green)));
          },
          [&](int x, int y) {
            return std::array<int, 2>{int(std::lround(128 + chroma_at(x).cb)),
                                      int(std::lround(128 + chroma_at(x).cr))};
          });
      check_modes(bench, bars, colorimetry, "bars");
      ScopeCounts counts(*bench.context, 128, 32,
                         ScopeValues({Layout::buffer, nv12, colorimetry}, ScopeMode::luma));
      counts.count(*bench.queue, upload(bench, bars, Layout::buffer), {0, 0, 128, 32});
      std::vector<uint32_t> cells = read(bench, counts.cells(), 65536);
      for (int x = 0; x < 128; x += 16) {
        const auto [cb, cr] = chroma_at(x);
        uint32_t &cell = cells[size_t(std::lround(128 + cr) * 256 + std::lround(128 + cb))];
        fail_unless(cell == 128 || (cell == 256 && std::fabs(cb) < 0.5) || cell == 0,
                    "bar %d: %u samples", x / 16, cell);
        cell = 0;
      }
      fail_unless(std::count(cells.begin(), cells.end(), 0u) == 65536, "no other chroma");
    }
}

// A zone plate, and real pictures.
TEST(test_pictures) {
  Bench bench;
  std::vector<Frame> frames = reference::pictures();
  Frame plate(256, 256);
  for (int y = 0; y < 256; y++)
    for (int x = 0; x < 256; x++)
      for (int i = 0; i < 4; i++)
        plate.at(x, y)[i] = uint8_t(std::lround(127.5 + 127.5 * std::cos((x * x + y * y) / 163.0)));
  frames.push_back(plate);
  for (const Frame &frame : frames)
    for (const ScopeMode mode : modes) {
      const ScopeValues values(FrameFormat(Layout::buffer), mode);
      ScopeCounts counts(*bench.context, frame.width, frame.height, values);
      check(bench, counts, bench.upload(frame, Layout::buffer), ScopeFrame(frame, values),
            {0, 0, frame.width, frame.height}, "a picture");
    }
}

// More than MOST_COLUMNS pixels share columns.
TEST(test_wide_frames) {
  Bench bench;
  const PixelFormat &nv12 = *PixelFormat::find("NV12");
  for (const int width : {640, 641, 1283, 16384})
    for (const ScopeMode mode : modes) {
      const FrameFormat format(Layout::buffer, nv12, {});
      const ScopeValues values(format, mode);
      const PlanarFrame frame = random_planes(nv12, width, 6, false);
      const Picture in = upload(bench, frame, Layout::buffer);
      for (const int group : {1, 128}) {
        ScopeCounts counts(*bench.context, width, 6, values, 0, group);
        check(bench, counts, in, ScopeFrame(frame, values), {0, 0, width, 6},
              text_of(format, mode, width, 6, group));
        check(bench, counts, in, ScopeFrame(frame, values), {5, 1, width - 9, 4},
              text_of(format, mode, width, 6, group) + " part");
      }
    }
}

// Fixed point is within a hundredth of a step of the exact matrix, for all legal values.
TEST(test_matrix) {
  for (const char *name : {"NV12", "P010_10LE"})
    for (const Colorimetry &colorimetry : colorimetries) {
      const PixelFormat &pixels = *PixelFormat::find(name);
      const FrameFormat format(Layout::buffer, pixels, colorimetry);
      const ScopeValues values(format, ScopeMode::rgb);
      const PlanarFrame frame = random_planes(pixels, 64, 64, false);
      const ScopeFrame counted(frame, values);
      for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) {
          const auto [cb, cr] = counted.chroma_at(x, y);
          const auto exact = reference::scope_rgb(format, luma_code_at(frame, x, y), cb, cr);
          for (int i = 0; i < 3; i++) {
            const double wanted = std::clamp(exact[i], 0.0, 1.0) * (values.levels - 1);
            fail_unless(std::fabs(counted.values_at(x, y)[i] - wanted) < 0.52, "%s channel %d",
                        name, i);
          }
        }
    }
}

// Bars of heights in proportion to the samples of all columns, or to their logarithm.
TEST(test_heights) {
  Bench bench;
  const Frame frame = reference::natural_frame(161, 90);
  const ScopeValues values(Layout::buffer, ScopeMode::rgb);
  ScopeCounts counts(*bench.context, 161, 90, values);
  const Rect all{0, 0, 161, 90};
  counts.count(*bench.queue, bench.upload(frame, Layout::buffer), all);
  const std::vector<uint32_t> totals = read(bench, counts.totals(*bench.queue, all), 768);
  uint32_t sum = 0, most = 0;
  for (const uint32_t total : totals) sum += total, most = std::max(most, total);
  fail_unless(sum == 3 * 161 * 90);
  for (const bool logarithmic : {false, true}) {
    const auto heights = read(bench, counts.heights(*bench.queue, all, logarithmic), 768);
    for (int i = 0; i < 768; i++) {
      const double wanted =
          logarithmic ? std::log1p(totals[i]) / std::log1p(most) : double(totals[i]) / most;
      fail_unless(std::fabs(heights[i] - 65535 * wanted) <= 1.5, "height %d", i);
    }
  }
}

namespace {

/// The number that FFmpeg's signalstats prints under a name.
double stat_of(const std::string &text, const std::string &name) {
  const size_t at = text.find("." + name + "=");
  fail_unless(at != std::string::npos, "there is no %s", name.c_str());
  return std::atof(text.c_str() + at + name.size() + 2);
}

}  // namespace

// The same frame by FFmpeg: its waveform and its vectorscope have equal counts, and signalstats
// equal extremes and means.
TEST(test_equals_ffmpeg) {
  if (!test::has_command("ffmpeg")) return;
  Bench bench;
  const int width = 64, height = 48;
  const PixelFormat &i420 = *PixelFormat::find("I420");
  const PlanarFrame frame = random_planes(i420, width, height, false);
  const std::string path = "scope-" + std::to_string(getpid()) + ".yuv";
  FILE *file = std::fopen(path.c_str(), "wb");
  for (const PlanarFrame::Plane &plane : frame.planes)
    for (const uint16_t value : plane.values) std::fputc(value, file);
  std::fclose(file);
  const auto filtered = [&](const std::string &filter, const std::string &to) {
    return test::output_of("ffmpeg -v error -f rawvideo -pix_fmt yuv420p -s 64x48 -i " + path +
                           " -vf " + filter + " " + to);
  };

  const Rect all{0, 0, width, height};
  const ScopeValues values({Layout::buffer, i420, {}}, ScopeMode::ycbcr);
  const ScopeValues luma({Layout::buffer, i420, {}}, ScopeMode::luma);
  ScopeCounts of_luma(*bench.context, width, height, luma),
      counts(*bench.context, width, height, values);
  const Picture in = upload(bench, frame, Layout::buffer);
  of_luma.count(*bench.queue, in, all);
  const auto columns = read(bench, of_luma.counts(), size_t(256) * width);
  const auto waveform =
      filtered("waveform=mode=column:mirror=0:intensity=0.004:components=1:display=overlay",
               "-f rawvideo -");
  for (size_t i = 0; i < columns.size(); i++)
    fail_unless(waveform.at(i) == columns[i], "waveform at %zu", i);

  counts.count(*bench.queue, in, all);
  const auto cells = read(bench, counts.cells(), 65536);
  const auto vectors = filtered("vectorscope=mode=gray:intensity=0.004", "-f rawvideo -");
  for (int cr = 0; cr < 256; cr++)
    for (int cb = 0; cb < 256; cb++)
      fail_unless(vectors.at((255 - cr) * 256 + cb) == cells[cr * 256 + cb], "vectorscope");

  const auto numbers = read(bench, counts.numbers(*bench.queue, all), counts.number_count(all));
  const glcl::scopes::ScopeNumbers of_frame(values, all, counts.columns(all), numbers.data());
  const auto bytes = filtered("signalstats=stat=brng,metadata=print:file=-", "-f null -");
  const std::string stats(bytes.begin(), bytes.end());
  std::remove(path.c_str());
  const char *const names[] = {"Y", "U", "V"};
  for (int i = 0; i < 3; i++) {
    const auto &channel = of_frame.channels[i];
    fail_unless(stat_of(stats, names[i] + std::string("MIN")) == channel.minimum);
    fail_unless(stat_of(stats, names[i] + std::string("MAX")) == channel.maximum);
    fail_unless(std::fabs(stat_of(stats, names[i] + std::string("AVG")) - channel.mean) < 1e-3);
  }
  glcl::scopes::ScopeSurvey survey(*bench.context, width, height, values.frame);
  const auto surveyed = download<uint64_t>(bench, survey.run(*bench.queue, in, all, {}, false),
                                           glcl::scopes::SURVEY_VALUES);
  fail_unless(std::fabs(stat_of(stats, "BRNG") -
                        glcl::scopes::SurveyNumbers(all, surveyed.data()).out_of_range) < 1e-5);
  // It cuts saturations off instead of rounding.
  fail_unless(std::fabs(stat_of(stats, "SATMAX") - of_frame.saturation->maximum) <= 1);
  fail_unless(std::fabs(stat_of(stats, "SATAVG") + 0.5 - of_frame.saturation->mean) < 0.1);
}
