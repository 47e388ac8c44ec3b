// SPDX-License-Identifier: LGPL-2.1-or-later
// glclscope in chains and pipelines: its messages, metas and drawings, and wrong input.
#include <cmath>
#include <random>

#include "planarchain.h"
#include "reference/scopes/scopes.h"
#include "tests/support/result.h"

using glcl::Colorimetry;
using glcl::FrameFormat;
using glcl::Layout;
using glcl::PixelFormat;
using glcl::Rect;
using glcl::scopes::ScopeMode;
using glcl::scopes::ScopeSettings;
using glcl::scopes::ScopeTransfer;
using glcl::scopes::ScopeValues;
using reference::PlanarFrame;
using reference::ScopeFrame;
using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;
using test::PlanarChain;

namespace {

/// The colorimetry of RGBA frames without further caps: sRGB.
const Colorimetry srgb{0.2126, 0.0722, true};

ScopeValues rgba_values(ScopeMode mode) {
  FrameFormat format(Layout::buffer);
  format.colorimetry = srgb;
  return {format, mode};
}

/// The columns in which frames are counted.
int columns_of(const ScopeValues &values, int width) {
  const int shift = values.mode == ScopeMode::ycbcr ? values.chroma_shift() : 0;
  return std::clamp(width >> shift, 1, 640);
}

double item(const GstStructure *message, const char *field, int channel) {
  const GValueArray *array = test::values(gst_structure_get_value(message, field));
  expect(array && guint(channel) < array->n_values, std::string(field) + " has the channel");
  const GValue *value = array->values + channel;
  return G_VALUE_HOLDS_INT(value) ? g_value_get_int(value) : g_value_get_double(value);
}

/// Compares a message with numbers of the reference.
void check_message(const GstStructure *message, const ScopeFrame &frame, const Rect &area) {
  const int columns = columns_of(frame.values, area.width);
  const ScopeValues &values = frame.values;
  const auto counts = reference::scope_counts(frame, area, columns);
  fail_unless_equals_string(gst_structure_get_string(message, "mode"), mode_name(values.mode));
  expect(test::number(message, "bits") == values.bits, "bits");
  expect(test::number(message, "pixels") == double(area.width) * area.height, "pixels");
  for (int channel = 0; channel < values.channels; channel++) {
    double least = values.levels, most = 0, sum = 0, all = 0, below = 0, above = 0;
    std::vector<double> sums(columns), samples(columns);
    for (int level = 0; level < values.levels; level++)
      for (int column = 0; column < columns; column++) {
        const double count = counts[(size_t(channel) * values.levels + level) * columns + column];
        if (count > 0) least = std::min(least, double(level)), most = level;
        sums[column] += level * count, samples[column] += count;
        sum += level * count, all += count;
        below += level < values.black(channel) ? count : 0;
        above += level > values.white(channel) ? count : 0;
      }
    expect(item(message, "minimum", channel) == least, "minimum");
    expect(item(message, "maximum", channel) == most, "maximum");
    expect(item(message, "mean", channel) == sum / all, "mean");
    expect(item(message, "below", channel) == below / all, "below");
    expect(item(message, "above", channel) == above / all, "above");
    const GValue *means =
        test::values(gst_structure_get_value(message, "column-mean"))->values + channel;
    expect(int(test::values(means)->n_values) == columns, "a mean for each column");
    for (int column = 0; column < columns; column++)
      expect(g_value_get_double(test::values(means)->values + column) ==
                 sums[column] / samples[column],
             "mean of a column");
  }
}

/// Compares the shares of illegal and black pixels.
void check_survey(const GstStructure *message, const ScopeFrame &frame, const Rect &area) {
  const auto expected = reference::scope_survey(frame, nullptr, area, {});
  const double pixels = double(area.width) * area.height;
  const char *const fields[] = {"out-of-range", "out-of-gamut", "black"};
  for (int i = 0; i < 3; i++)
    expect(test::number(message, fields[i]) == double(expected[i]) / pixels, fields[i]);
}

/// Compares saturation and hue.
void check_colours(const GstStructure *message, const ScopeFrame &frame, const Rect &area) {
  const auto cells = reference::scope_cells(frame, area);
  double sum = 0, all = 0, most = 0, coloured = 0;
  std::vector<double> hues(360);
  for (int cr = 0; cr < 256; cr++)
    for (int cb = 0; cb < 256; cb++) {
      const double count = cells[cr * 256 + cb], saturation = std::hypot(cb - 128, cr - 128);
      if (count == 0) continue;
      sum += count * std::round(saturation), all += count;
      most = std::max(most, std::round(saturation));
      if (saturation >= 8)
        hues[(std::lround(std::atan2(cr - 128, cb - 128) * 180 / M_PI) + 360) % 360] += count;
    }
  fail_unless(std::fabs(test::number(message, "saturation-mean") - sum / all) < 1e-9,
              "%s: saturation %f, expected %f", frame.values.frame.pixels->name,
              test::number(message, "saturation-mean"), sum / all);
  expect(test::number(message, "saturation-maximum") == most, "the largest saturation");
  expect(test::number(message, "saturation-median") <= test::number(message, "saturation-p95"),
         "percentiles");
  const auto hue = std::max_element(hues.begin(), hues.end());
  for (const double count : hues) coloured += count;
  if (coloured == 0) {
    for (const char *field : {"hue", "hue-p5", "hue-median", "hue-p95", "loudest-hue"})
      expect(!gst_structure_has_field(message, field), "grey has no hue");
    return;
  }
  const auto first = hue - hues.begin();
  expect(test::number(message, "hue") == double(first), "hue");
  for (const auto &[field, part] :
       {std::pair{"hue-p5", 0.05}, {"hue-median", 0.5}, {"hue-p95", 0.95}}) {
    double below = 0;
    for (int i = 0; i < 360; i++) {
      const auto here = size_t(first + 180 + i) % 360;
      const double next = below + hues[here];
      if (double(here) == test::number(message, field))
        expect(below < part * coloured && part * coloured <= next, field);
      below = next;
    }
  }
  expect(hues[size_t(test::number(message, "loudest-hue"))] > 0, "the hue of the most saturated");
}

GstStructure *message_of(Chain &chain) {
  chain.drain();
  GstStructure *message = chain.messages().structure("glclscope");
  expect(message, "a message");
  return message;
}

PlanarFrame random_frame(const PixelFormat &format, int width, int height) {
  PlanarFrame frame(format, width, height);
  std::mt19937 random(width);
  for (PlanarFrame::Plane &plane : frame.planes)
    for (uint16_t &value : plane.values)
      value = static_cast<uint16_t>(random() % (format.bits == 10 ? 1024 : 256) << format.padding);
  return frame;
}

/// Frames in planes of one value each: luma, Cb, Cr.
PlanarFrame flat_planes(const PixelFormat &format, int width, int height, int y, int cb, int cr) {
  PlanarFrame frame(format, width, height);
  for (size_t i = 0; i < frame.planes.size(); i++)
    for (size_t k = 0; k < frame.planes[i].values.size(); k++) {
      const bool second = i == 2 || (i == 1 && format.plane_count == 2 && k % 2);
      frame.planes[i].values[k] = static_cast<uint16_t>((i == 0   ? y
                                                         : second ? cr
                                                                  : cb)
                                                        << format.padding);
    }
  return frame;
}

std::vector<test::Message> warnings_of(Chain &chain, const char *words) {
  std::vector<test::Message> found;
  for (const test::Message &warning : chain.messages().warnings())
    if (warning.names(words) && !warning.names("sharing=")) found.push_back(warning);
  return found;
}

}  // namespace

TEST(messages) {
  for (const ScopeMode mode : {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr}) {
    Chain chain(std::string("glclscope interval=0 display=none mode=") + mode_name(mode));
    for (int i = 0; i < 4; i++) {
      const Frame frame = i % 2 ? reference::natural_frame(67, 45) : reference::flat_frame(67, 45);
      test::expect_same(frame, chain.filter(frame), "the frame");
    }
    chain.drain();
    for (int i = 0; i < 4; i++) {
      const Frame frame = i % 2 ? reference::natural_frame(67, 45) : reference::flat_frame(67, 45);
      GstStructure *message = chain.messages().structure("glclscope");
      expect(message, "a message for every frame");
      GstClockTime time = 0;
      gst_structure_get_clock_time(message, "timestamp", &time);
      expect(time == guint64(i) * 40 * GST_MSECOND, "with its own time");
      const ScopeFrame counted(frame, rgba_values(mode));
      check_message(message, counted, {0, 0, 67, 45});
      check_survey(message, counted, {0, 0, 67, 45});
      check_colours(message, counted, {0, 0, 67, 45});
      gst_structure_free(message);
    }
    expect(!chain.messages().structure("glclscope"), "and no more");
    expect(warnings_of(chain, "").empty(), "no warning");
  }
}

// Each format is counted as it is, also illegal values. GstGL misplaces chroma of odd heights.
TEST(formats) {
  const struct {
    const char *caps;
    Colorimetry colorimetry;
  } colorimetries[] = {{"bt601", {0.299, 0.114, false}},
                       {"bt709", {0.2126, 0.0722, false}},
                       {"bt2100-pq", {0.2627, 0.0593, false}},
                       {"1:3:5:1", {0.2126, 0.0722, true}}};
  size_t number = 0;
  for (const PixelFormat *format : PixelFormat::all()) {
    if (!format->has_luma()) continue;
    for (const ScopeMode mode : {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr}) {
      const bool grey = format->model == PixelFormat::Model::grey;
      const auto &[caps, colorimetry] = colorimetries[number++ % std::size(colorimetries)];
      PlanarChain chain(std::string("glclscope interval=0 display=none mode=") + mode_name(mode),
                        *format, grey ? colorimetry.full_range ? "1:4:0:0" : "2:4:0:0" : caps);
      const PlanarFrame frame = random_frame(*format, 67, 46);
      const PlanarFrame got = chain.pass(frame);
      for (size_t i = 0; i < got.planes.size(); i++)
        expect(got.planes[i].values == frame.planes[i].values, "the frame passes unchanged");
      GstStructure *message = message_of(chain.chain());
      const ScopeFrame counted(frame, ScopeValues({Layout::buffer, *format, colorimetry}, mode));
      check_message(message, counted, {0, 0, 67, 46});
      check_survey(message, counted, {0, 0, 67, 46});
      expect(gst_structure_has_field(message, "saturation-mean") != grey, "grey has no saturation");
      if (!grey) check_colours(message, counted, {0, 0, 67, 46});
      gst_structure_free(message);
    }
  }
}

TEST(region_and_meta) {
  const Frame frame = reference::natural_frame(80, 60);
  Chain chain(
      "glclscope interval=0 mode=ycbcr display=none attach-meta=true roi=\"<10, 20, 30, 40>\"");
  expect(chain.push(frame) == GST_FLOW_OK, "push failed");
  GstBuffer *buffer = chain.pull_buffer();
  const Rect area{10, 20, 30, 40};
  const ScopeFrame counted(frame, rgba_values(ScopeMode::ycbcr));
  const std::vector<uint32_t> expected = reference::scope_numbers(counted, area, 30);
  const GstStructure *result = gst_buffer_get_glcl_result(buffer, "glclscope");
  expect(result, "a result");
  expect(test::result_int(result, "x") == 10 && test::result_int(result, "height") == 40,
         "its region");
  fail_unless_equals_string(gst_structure_get_string(result, "mode"), "ycbcr");
  {
    const test::ResultArray columns(result, "columns"), saturations(result, "saturations"),
        hues(result, "hues");
    expect(columns.is("uint32", {3, 5, 30}) && saturations.is("uint32", {182}) &&
               hues.is("uint32", {360}),
           "arrays");
    std::vector<uint32_t> all = columns.numbers<uint32_t>();
    for (const auto *more : {&saturations, &hues})
      for (const uint32_t value : more->numbers<uint32_t>()) all.push_back(value);
    expect(std::equal(all.begin(), all.end(), expected.begin(), expected.end() - 1),
           "their values");
    const test::ResultArray lines(result, "lines");
    expect(lines.is("uint32", {3, 5, 40}), "an array of lines");
    expect(lines.numbers<uint32_t>() == reference::scope_lines(counted, area), "its values");
  }
  gst_buffer_unref(buffer);
  GstStructure *message = message_of(chain);
  check_message(message, counted, area);
  gst_structure_free(message);
}

TEST(drawn) {
  const Frame frame = reference::natural_frame(320, 180);
  Chain chain("glclscope post-messages=false mode=rgb");
  for (const char *display : {"waveform", "parade", "vectorscope", "waveform+vectorscope", "none"})
    for (const char *layout : {"overlay", "replace"}) {
      ScopeSettings settings;
      const std::string text = display;
      settings.display = text == "waveform"               ? 1
                         : text == "parade"               ? 2
                         : text == "vectorscope"          ? 4
                         : text == "waveform+vectorscope" ? 5
                                                          : 0;
      settings.mode = ScopeMode::rgb;
      settings.replace = std::string(layout) == "replace";
      gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "display", display);
      gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "layout", layout);
      test::expect_near(
          settings.display
              ? reference::draw_scopes(frame, ScopeFrame(frame, rgba_values(ScopeMode::rgb)),
                                       settings, ScopeTransfer::sdr, {0, 0, 320, 180}, 320)
              : frame,
          chain.filter(frame), settings.display ? 1 : 0, text + ", " + layout);
    }
  expect_none(chain.messages().errors());
}

// All properties may change while playing; the next frames follow them.
TEST(changes_while_playing) {
  const Frame frame = reference::natural_frame(200, 120);
  Chain chain("glclscope interval=0 display=waveform");
  chain.filter(frame);
  for (const char *mode : {"rgb", "ycbcr", "luma"}) {
    gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "mode", mode);
    std::string got;
    for (int i = 0; i < 3000 && got != mode; i++) {  // once its kernels are compiled
      chain.filter(frame);
      GstStructure *message = message_of(chain);
      got = gst_structure_get_string(message, "mode");
      gst_structure_free(message);
      if (got != mode) g_usleep(20000);
    }
    fail_unless_equals_string(got.c_str(), mode);
  }
  ScopeSettings settings;
  settings.display = 15;
  settings.gain = 1.5, settings.opacity = 0.5;
  settings.logarithmic = false;
  settings.x = 0.1, settings.y = 0.2, settings.width = 0.7, settings.height = 0.6;
  settings.foreground_color = 0xff40ff40, settings.background_color = 0x80000000;
  settings.levels = glcl::scopes::ScopeUnits::ire;
  g_object_set(chain["glclscope"], "display", 15, "gain", 1.5, "opacity", 0.5, "x", 0.1, "y", 0.2,
               "width", 0.7, "height", 0.6, "foreground-color", 0xff40ff40u, "background-color",
               0x80000000u, nullptr);
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "scale", "linear");
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "levels", "ire");
  test::expect_near(reference::draw_scopes(frame, ScopeFrame(frame, rgba_values(ScopeMode::luma)),
                                           settings, ScopeTransfer::sdr, {0, 0, 200, 120}, 200),
                    chain.filter(frame), 1, "new settings");
}

// Bars of 75 % by the caps' matrix and range, as their colours lie on the targets.
TEST(bars_lie_on_targets) {
  const struct {
    const char *caps;
    Colorimetry colorimetry;
    int y, cb, cr;  // red of 75 %
  } cases[] = {{"bt601", {0.299, 0.114, false}, 65, 100, 212},
               {"bt709", {0.2126, 0.0722, false}, 51, 109, 212}};
  for (const auto &one : cases) {
    PlanarChain chain("glclscope interval=0 display=none mode=ycbcr", *PixelFormat::find("NV12"),
                      one.caps);
    chain.pass(flat_planes(*PixelFormat::find("NV12"), 64, 48, one.y, one.cb, one.cr));
    GstStructure *message = message_of(chain.chain());
    const auto target = glcl::scopes::chroma_of(one.colorimetry, 0.75, 0, 0);
    expect(std::fabs(item(message, "mean", 1) - 128 - target.cb) <= 0.5 &&
               std::fabs(item(message, "mean", 2) - 128 - target.cr) <= 0.5,
           std::string("red of ") + one.caps);
    expect(test::number(message, "hue") ==
               std::lround(std::atan2(one.cr - 128, one.cb - 128) * 180 / M_PI),
           "its hue");
    expect(item(message, "below", 0) == 0 && item(message, "above", 0) == 0, "legal values");
    gst_structure_free(message);
  }
}

// Black, white and clipped frames, of one pixel and of 16384 px, and regions outside.
TEST(extremes) {
  const PixelFormat &nv12 = *PixelFormat::find("NV12");
  for (const auto &[width, height] : {std::pair{1, 2}, {16384, 4}, {3, 2}})
    for (const int value : {0, 16, 235, 255}) {
      PlanarChain chain(
          "glclscope interval=0 display=waveform+parade+vectorscope+histogram mode=ycbcr", nv12,
          "bt709");
      chain.pass(flat_planes(nv12, width, height, value, 128, 128));
      GstStructure *message = message_of(chain.chain());
      expect(item(message, "minimum", 0) == value && item(message, "maximum", 0) == value &&
                 item(message, "mean", 0) == value,
             "one value");
      expect(
          item(message, "below", 0) == (value < 16) && item(message, "above", 0) == (value > 235),
          "illegal shares");
      fail_unless(!gst_structure_has_field(message, "hue") &&
                      test::number(message, "saturation-maximum") == 0,
                  "%d×%d: saturation %f", width, height,
                  test::number(message, "saturation-maximum"));
      gst_structure_free(message);
      expect(warnings_of(chain.chain(), "").empty(), "no warning");
    }
  for (const char *layout : {"overlay", "replace"}) {
    Chain tiny(std::string("glclscope display=15 mode=rgb layout=") + layout);
    tiny.filter(reference::random_frame(1, 1));
    tiny.filter(reference::random_frame(2, 1));
    expect(warnings_of(tiny, "").empty(), "small frames are drawn on");
  }
  Chain chain("glclscope interval=0 display=waveform roi=<500,500,10,10>");
  chain.filter(reference::natural_frame(40, 30));
  chain.filter(reference::natural_frame(40, 30));
  GstStructure *message = message_of(chain);
  expect(test::number(message, "pixels") == 1, "the nearest pixel counts");
  gst_structure_free(message);
  expect(warnings_of(chain, "roi=").size() == 1, "a region outside causes one warning");
}

// Stripes over what is too bright or too dark, alone and below a scope, in planes too.
TEST(zebra) {
  const Frame frame = reference::natural_frame(160, 120);
  Chain chain("glclscope display=zebra zebra-low=20 zebra-high=60 post-messages=false");
  for (const unsigned display : {16u, 17u}) {
    ScopeSettings settings;
    settings.display = display;
    settings.zebra_low = 20, settings.zebra_high = 60;
    g_object_set(chain["glclscope"], "display", display, nullptr);
    const Frame got = chain.filter(frame);
    test::expect_near(reference::draw_scopes(frame, ScopeFrame(frame, rgba_values(ScopeMode::luma)),
                                             settings, ScopeTransfer::sdr, {0, 0, 160, 120}, 160),
                      got, 1, "stripes, display " + std::to_string(display));
    expect(!test::near(frame, got, 1), "there are stripes");
  }
  const PixelFormat &gray = *PixelFormat::find("GRAY8");
  PlanarChain grey("glclscope display=zebra post-messages=false", gray, "2:4:0:0");
  for (const int value : {10, 16, 100, 235, 240}) {
    const PlanarFrame in = flat_planes(gray, 64, 48, value, 0, 0), out = grey.filter(in);
    expect((in.planes[0].values == out.planes[0].values) == (value >= 16 && value <= 235),
           "only illegal values get stripes");
  }
}

// Alpha stays, or is opaque in a replaced frame.
TEST(alpha) {
  Frame frame = reference::random_frame(64, 48);
  Chain chain("glclscope display=waveform post-messages=false");
  const Frame over = chain.filter(frame);
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "layout", "replace");
  const Frame alone = chain.filter(frame);
  for (size_t i = 3; i < frame.rgba.size(); i += 4) {
    expect(over.rgba[i] == frame.rgba[i], "alpha stays");
    fail_unless(alone.rgba[i] == 255, "a scope alone is opaque: value %zu is %d, was %d; %d %d", i,
                alone.rgba[i], frame.rgba[i], alone.rgba[i - 1], frame.rgba[i - 1]);
  }
}

// Grey frames have no chroma; nits need PQ or HLG. Each is said once.
TEST(warnings) {
  const PixelFormat &gray = *PixelFormat::find("GRAY8"), &p010 = *PixelFormat::find("P010_10LE");
  PlanarChain grey("glclscope display=vectorscope post-messages=false", gray, "1:4:0:0");
  for (int i = 0; i < 3; i++) grey.filter(flat_planes(gray, 64, 48, 100, 0, 0));
  expect(warnings_of(grey.chain(), "have no colour").size() == 1, "one warning of grey frames");

  for (const char *colorimetry : {"bt709", "bt2100-pq", "bt2100-hlg"}) {
    PlanarChain nits("glclscope display=waveform levels=nits post-messages=false", p010,
                     colorimetry);
    for (int i = 0; i < 3; i++) nits.filter(flat_planes(p010, 64, 48, 400, 512, 512));
    expect(warnings_of(nits.chain(), "levels=nits").size() == (std::string(colorimetry) == "bt709"),
           std::string("warnings for ") + colorimetry);
  }
  // GStreamer assumes a colorimetry by size.
  PlanarChain unknown("glclscope display=vectorscope post-messages=false", p010, "2:0:5:1");
  unknown.filter(flat_planes(p010, 64, 48, 400, 512, 512));
  expect(warnings_of(unknown.chain(), "").empty(), "no warning of an unknown matrix");
}

TEST(stop_and_start) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=5 ! glupload ! glcolorconvert ! glclscope "
      "display=waveform+vectorscope ! fakesink");
  for (int i = 0; i < 3; i++) {
    expect(pipeline.run(), "the pipeline failed");
    expect(pipeline.reach(GST_STATE_NULL), "it can't be stopped");
  }
  expect_none(pipeline.messages().errors());
}
