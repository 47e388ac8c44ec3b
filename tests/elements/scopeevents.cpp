// SPDX-License-Identifier: LGPL-2.1-or-later
// The marks of glclscope in the picture, and its events.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "planarchain.h"
#include "reference/scopes/scopes.h"
#include "tests/support/command.h"
#include "tests/support/result.h"

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

constexpr guint64 frame_time = 40 * GST_MSECOND;  // of frames in a Chain

ScopeFrame counted(const Frame &frame) {
  FrameFormat format(Layout::buffer);
  format.colorimetry = {0.2126, 0.0722, true};  // of RGBA frames without further caps
  return {frame, ScopeValues(format, ScopeMode::luma)};
}

Frame expected(const Frame &frame, const ScopeSettings &settings) {
  return reference::draw_scopes(frame, counted(frame), settings, ScopeTransfer::sdr,
                                {0, 0, frame.width, frame.height}, frame.width);
}

/// A frame with an even colour.
Frame grey(int level) {
  Frame frame(64, 48);
  for (size_t i = 0; i < frame.rgba.size(); i++)
    frame.rgba[i] = static_cast<uint8_t>(i % 4 == 3 ? 255 : level);
  return frame;
}

struct Event {
  std::string name;
  guint64 time, lasted;
  bool operator==(const Event &other) const {
    return name == other.name && time == other.time && lasted == other.lasted;
  }
};

/// The events that have arrived, in order.
std::vector<Event> events_of(Chain &chain) {
  std::vector<Event> events;
  chain.drain();
  while (GstStructure *message = chain.messages().structure()) {
    const std::string name = gst_structure_get_name(message);
    const size_t dash = name.find('-');
    if (dash != std::string::npos) {
      Event event{name, 0, 0};
      gst_structure_get_clock_time(message, "running-time", &event.time);
      gst_structure_get_uint64(message, (name.substr(0, dash) + "-duration").c_str(),
                               &event.lasted);
      events.push_back(event);
    }
    gst_structure_free(message);
  }
  return events;
}

void expect_events(Chain &chain, const std::vector<Event> &wanted, const char *what) {
  const std::vector<Event> events = events_of(chain);
  std::string text;
  for (const Event &event : events)
    text += event.name + " " + std::to_string(event.time / frame_time) + " " +
            std::to_string(event.lasted / frame_time) + "; ";
  fail_unless(events == wanted, "%s: %s", what, text.c_str());
}

}  // namespace

// All marks, alone and over each other, in RGBA.
TEST(marks) {
  const Frame frame = reference::natural_frame(160, 120);
  Chain chain(
      "glclscope display=false-color zebra-low=20 zebra-high=60 peaking-threshold=9.5 "
      "peaking-color=0xff00ff40 post-messages=false "
      "false-color-bands=\"0xff0000ff 10 0 40.5 0x80ff8000 60 0xffff0000\"");
  ScopeSettings settings;
  settings.zebra_low = 20, settings.zebra_high = 60;
  settings.peaking_threshold = 9.5, settings.peaking_color = 0xff00ff40;
  settings.bands = {{10, 40.5, 60}, {0xff0000ff, 0, 0x80ff8000, 0xffff0000}};
  for (const char *display :
       {"false-color", "peaking", "peaking+zebra", "false-color+peaking+gamut+zebra+waveform"}) {
    gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "display", display);
    g_object_get(chain["glclscope"], "display", &settings.display, nullptr);
    const Frame got = chain.filter(frame);
    // The next frame equals this one, so the noise stays as it was.
    test::expect_near(expected(frame, settings), got, 1, display);
    expect(!test::near(frame, got, 1), "there are marks");
  }
  g_object_set(chain["glclscope"], "display", glcl::scopes::false_color, nullptr);
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "false-color-bands", "");
  settings.display = glcl::scopes::false_color;
  settings.bands = glcl::scopes::exposure_bands();
  test::expect_near(expected(frame, settings), chain.filter(frame), 1, "the default bands");
  expect_none(chain.messages().errors());
}

// The noise is measured between frames that follow each other, not from before a pause of
// `peaking`.
TEST(peaking_pauses) {
  const Frame first = reference::natural_frame(160, 120), noise = reference::random_frame(160, 120);
  Frame other = first;
  for (size_t i = 0; i < other.rgba.size(); i++)
    if (i % 4 < 3)
      other.rgba[i] =
          static_cast<uint8_t>(std::clamp(other.rgba[i] + noise.rgba[i / 4 * 4] % 41 - 20, 0, 255));
  Chain chain("glclscope display=peaking width=0 height=0 opacity=0 post-messages=false");
  GObject *scope = G_OBJECT(chain["glclscope"]);
  ScopeSettings settings;
  settings.display = glcl::scopes::peaking;
  for (const auto &[name, pause] : {std::pair{"display", "none"}, {"display", "zebra+histogram"}}) {
    gst_util_set_object_arg(scope, "display", "peaking");
    chain.filter(first);
    gst_util_set_object_arg(scope, name, pause);
    chain.filter(first);
    gst_util_set_object_arg(scope, "display", "peaking");
    test::expect_near(expected(other, settings), chain.filter(other), 1, pause);
    gst_util_set_object_arg(scope, "display", "none");
    chain.filter(first);
  }
  // With layout=replace peaking is not shown either.
  gst_util_set_object_arg(scope, "display", "peaking");
  chain.filter(first);
  g_object_set(scope, "display", glcl::scopes::peaking | glcl::scopes::waveform, "layout", 1,
               nullptr);
  chain.filter(first);
  g_object_set(scope, "display", glcl::scopes::peaking, "layout", 0, nullptr);
  test::expect_near(expected(other, settings), chain.filter(other), 1, "layout=replace");
}

// Frames of a source that marks every one DISCONT have noise too.
TEST(peaking_across_breaks) {
  Frame results[2];
  const auto frame = [](int i) {
    return reference::noisy(reference::natural_frame(160, 120), 9, uint32_t(i));
  };
  for (const bool marked : {false, true}) {
    Chain chain("glclscope display=peaking post-messages=false");
    for (int i = 0; i < 4; i++) {
      GstBuffer *buffer = chain.buffer_of(frame(i));
      if (marked) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
      expect(chain.push(buffer, 160, 120) == GST_FLOW_OK, "a frame");
      results[marked] = chain.pull();
    }
  }
  test::expect_near(results[0], results[1], 0, "marked DISCONT");
  ScopeSettings settings;
  settings.display = glcl::scopes::peaking;
  expect(!test::near(expected(frame(3), settings), results[0], 1), "the noise is measured");
}

// Colours that RGB can't show exist in planes only; the tolerance decides.
TEST(gamut) {
  const PixelFormat &nv12 = *PixelFormat::find("NV12");
  PlanarChain chain("glclscope display=gamut interval=0", nv12, "bt709");
  for (const auto &[y, cb, illegal] : {std::tuple{128, 128, false},
                                       {235, 128, false},
                                       {16, 128, false},
                                       {200, 200, true},
                                       {30, 60, true}}) {
    PlanarFrame frame(nv12, 64, 48);
    for (uint16_t &value : frame.planes[0].values) value = static_cast<uint16_t>(y);
    for (size_t i = 0; i < frame.planes[1].values.size(); i++)
      frame.planes[1].values[i] = static_cast<uint16_t>(i % 2 ? 128 : cb);
    const PlanarFrame got = chain.pass(frame);
    expect((got.planes[0].values == frame.planes[0].values) != illegal, "marked if illegal");
    chain.chain().drain();
    GstStructure *message = chain.chain().messages().structure("glclscope");
    expect(test::number(message, "out-of-gamut") == illegal, "counted if illegal");
    expect(test::number(message, "out-of-range") == 0, "all code values are legal");
    gst_structure_free(message);
  }
  g_object_set(chain.chain()["glclscope"], "gamut-tolerance", 100.0, nullptr);
  PlanarFrame frame(nv12, 64, 48);
  for (size_t i = 0; i < 2; i++)
    for (uint16_t &value : frame.planes[i].values) value = 200;
  const PlanarFrame got = chain.filter(frame);
  expect(got.planes[0].values == frame.planes[0].values, "a tolerance of the whole range");
}

// A wrong value is ignored with a warning; a valid one is returned as it was given.
TEST(bands) {
  Chain chain("glclscope display=false-color post-messages=false");
  GObject *scope = G_OBJECT(chain["glclscope"]);
  const auto text = [&] {
    gchar *bands = nullptr;
    g_object_get(scope, "false-color-bands", &bands, nullptr);
    const std::string copy = bands;
    g_free(bands);
    return copy;
  };
  const std::string initial = text();
  std::string many = "0";
  for (int i = 1; i <= 17; i++) many += " " + std::to_string(i) + " 0";
  for (const std::string &wrong :
       {std::string("0xff0000ff 10"), std::string("0 20 0 10 0"), std::string("0 20 0 20 0"),
        std::string("0 nothing 0"), std::string("red"), std::string("-1"), std::string("0 nan 0"),
        std::string("0 1e9 0"), std::string("0x1ffffffff"), std::string("0 5x 0"), many}) {
    g_test_expect_message(nullptr, G_LOG_LEVEL_WARNING, "false-color-bands=*is ignored*");
    g_object_set(scope, "false-color-bands", wrong.c_str(), nullptr);
    g_test_assert_expected_messages();
    fail_unless(text() == initial, "%s is ignored", wrong.c_str());
  }
  g_object_set(scope, "false-color-bands", " 0xffff0000  50.5 0x1 ", nullptr);
  expect(text() == "0xffff0000 50.5 0x00000001", "valid bands");
  g_object_set(scope, "false-color-bands", nullptr, nullptr);
  expect(text() == initial, "no text sets the default");
}

// Begin and end of black and frozen pictures, by the times of the frames.
TEST(events) {
  Chain chain("glclscope display=none events=black+freeze event-duration=0.2");
  const auto push = [&](const Frame &frame, int count) {
    for (int i = 0; i < count; i++) chain.filter(frame);
  };
  for (int i = 0; i < 5; i++) push(reference::random_frame(64, 48, unsigned(i)), 1);
  push(grey(0), 4);  // too short
  for (int i = 0; i < 5; i++) push(reference::random_frame(64, 48, unsigned(i)), 1);
  expect_events(chain, {}, "a short black picture");
  push(grey(0), 10);  // frames 14 to 23
  expect_events(chain, {{"black-begin", 14 * frame_time, 0}, {"freeze-begin", 14 * frame_time, 0}},
                "while it lasts");
  push(reference::random_frame(64, 48), 1);
  expect_events(chain,
                {{"black-end", 24 * frame_time, 10 * frame_time},
                 {"freeze-end", 24 * frame_time, 10 * frame_time}},
                "a black picture");
  push(grey(200), 8);  // frames 25 to 32
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  expect_events(
      chain,
      {{"freeze-begin", 25 * frame_time, 0}, {"freeze-end", 33 * frame_time, 8 * frame_time}},
      "the end of the stream");
}

// Without messages, or once the property is off, nothing lasts.
TEST(events_off) {
  Chain chain("glclscope display=none events=freeze event-duration=0.1");
  for (int i = 0; i < 6; i++) chain.filter(grey(100));
  expect_events(chain, {{"freeze-begin", 0, 0}}, "a frozen picture");
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "events", "none");
  for (int i = 0; i < 6; i++) chain.filter(grey(100));
  g_object_set(chain["glclscope"], "post-messages", FALSE, nullptr);
  gst_util_set_object_arg(G_OBJECT(chain["glclscope"]), "events", "black+freeze");
  for (int i = 0; i < 6; i++) chain.filter(grey(0));
  g_object_set(chain["glclscope"], "post-messages", TRUE, nullptr);
  for (int i = 0; i < 2; i++) chain.filter(reference::random_frame(64, 48, unsigned(i)));
  for (const Event &event : events_of(chain))
    fail_unless(event.name == "freeze-end", "%s after its end", event.name.c_str());
}

// A flush forgets what lasts.
TEST(events_flush) {
  Chain chain("glclscope display=none events=black+freeze event-duration=0.1");
  for (int i = 0; i < 6; i++) chain.filter(grey(0));
  events_of(chain);
  gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  // The first two pictures differ from that before the flush: by less than the threshold, and more.
  const auto brighter = [](size_t pixels) {
    Frame frame = grey(0);
    for (size_t i = 0; i < 4 * pixels; i++) frame.rgba[i] = i % 4 == 3 ? 255 : 1;
    return frame;
  };
  chain.filter(brighter(600));
  for (int i = 0; i < 4; i++) chain.filter(brighter(1200));
  expect_events(chain, {{"black-begin", 6 * frame_time, 0}, {"freeze-begin", 6 * frame_time, 0}},
                "after a flush");
}

// A frozen picture lasts over frames marked DISCONT, gaps and a new segment, as a black one does.
TEST(events_across_breaks) {
  Chain chain("glclscope display=none events=black+freeze event-duration=0.1");
  for (int i = 0; i < 12; i++) {
    GstBuffer *buffer = chain.buffer_of(grey(0));
    if (i == 3 || i == 6) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    if (i >= 6) GST_BUFFER_PTS(buffer) += 20 * frame_time;
    if (i == 9) {
      GstSegment segment;
      gst_segment_init(&segment, GST_FORMAT_TIME);
      gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
    }
    expect(chain.push(buffer, 64, 48) == GST_FLOW_OK, "a frame");
    gst_buffer_unref(chain.pull_buffer());
  }
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  expect_events(chain,
                {{"black-begin", 0, 0},
                 {"freeze-begin", 0, 0},
                 {"black-end", 32 * frame_time, 32 * frame_time},
                 {"freeze-end", 32 * frame_time, 32 * frame_time}},
                "breaks");
}

// Planes, and a region: outside of it nothing counts.
TEST(events_in_planes) {
  const PixelFormat &p010 = *PixelFormat::find("P010_10LE");
  PlanarChain chain("glclscope display=none events=black event-duration=0.1 roi=<0,0,32,48>", p010,
                    "bt709");
  PlanarFrame frame(p010, 64, 48);
  for (size_t i = 0; i < 2; i++)
    for (uint16_t &value : frame.planes[i].values)
      value = static_cast<uint16_t>((i ? 512 : 70) << p010.padding);
  for (int y = 0; y < 48; y++)
    for (int x = 32; x < 64; x++)
      frame.planes[0].values[size_t(y) * 64 + x] = static_cast<uint16_t>(700 << p010.padding);
  for (int i = 0; i < 6; i++) chain.pass(frame);
  expect_events(chain.chain(), {{"black-begin", 0, 0}}, "half of the picture");
}

namespace {

/// Grey frames: noise, then black with a few white pixels, then a picture that changes slowly.
std::vector<PlanarFrame> lasting_frames() {
  const PixelFormat &gray = *PixelFormat::find("GRAY8");
  std::vector<PlanarFrame> frames;
  for (int i = 0; i < 90; i++) {
    PlanarFrame frame(gray, 64, 48);
    std::vector<uint16_t> &values = frame.planes[0].values;
    const Frame noise = reference::random_frame(64, 48, unsigned(i));
    for (size_t k = 0; k < values.size(); k++) {
      if (i < 10 || (i >= 50 && i < 55))
        values[k] = noise.rgba[4 * k];
      else if (i < 30)
        values[k] = k % 100 ? noise.rgba[4 * k] % 38 : 235;  // changes, but is black
      else if (i < 50)
        values[k] = i < 35 ? 37 : 38;  // the largest black, then one more
      else
        values[k] = static_cast<uint16_t>(100 + k % 40 + (k < size_t(i - 55) ? 8 : 0));
    }
    frames.push_back(frame);
  }
  return frames;
}

/// The seconds that FFmpeg prints under a name, in order.
std::vector<double> seconds_of(const std::string &text, const std::string &name) {
  std::vector<double> all;
  const std::string key = "." + name + "=";
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    all.push_back(std::atof(text.c_str() + at + key.size()));
  return all;
}

std::vector<double> seconds_of(const std::vector<Event> &events, const std::string &name) {
  std::vector<double> all;
  for (const Event &event : events)
    if (event.name == name) all.push_back(double(event.time) / GST_SECOND);
  return all;
}

}  // namespace

// The same frames by FFmpeg: the times of blackdetect and freezedetect.
TEST(events_equal_ffmpeg) {
  if (!test::has_command("ffmpeg")) return;
  const std::vector<PlanarFrame> frames = lasting_frames();
  PlanarChain chain("glclscope display=none events=black+freeze event-duration=0.4",
                    *PixelFormat::find("GRAY8"), "2:4:0:0");
  const std::string path = "scopeevents-" + std::to_string(getpid()) + ".gray";
  FILE *file = std::fopen(path.c_str(), "wb");
  for (const PlanarFrame &frame : frames) {
    chain.pass(frame);
    for (const uint16_t value : frame.planes[0].values) std::fputc(value, file);
  }
  std::fclose(file);
  const std::vector<Event> events = events_of(chain.chain());
  const auto bytes =
      test::output_of("ffmpeg -v error -f rawvideo -pix_fmt gray -s 64x48 -r 25 -i " + path +
                      " -vf blackdetect=d=0.4,freezedetect=d=0.4,"
                      "metadata=print:file=- -f null -");
  std::remove(path.c_str());
  const std::string text(bytes.begin(), bytes.end());
  // It reports a black picture at its end, with both times.
  for (const auto &[ours, theirs] : {std::pair{"black-begin", "black_start"},
                                     {"black-end", "black_end"},
                                     {"freeze-begin", "freeze_start"},
                                     {"freeze-end", "freeze_end"}}) {
    const std::vector<double> got = seconds_of(events, ours), wanted = seconds_of(text, theirs);
    expect(!wanted.empty() && got.size() == wanted.size(),
           std::string(ours) + ": " + std::to_string(got.size()) + " events, of FFmpeg " +
               std::to_string(wanted.size()));
    for (size_t i = 0; i < got.size(); i++)
      fail_unless(std::fabs(got[i] - wanted[i]) < 1e-3, "%s at %f s, by FFmpeg at %f s", ours,
                  got[i], wanted[i]);
  }
}
