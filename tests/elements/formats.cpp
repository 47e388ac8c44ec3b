// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element accepts and outputs frames of every format in the table.
#include "opencl/format.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>

#include "base/gstglclfilter.h"
#include "messagelog.h"
#include "pipeline.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::expect;
using test::expect_none;
using test::Frame;

namespace {

/// Analysers that change no pixel, and filters.
const char *const analysers[] = {"glopenclflow display=none post-messages=true",
                                 "glclhistogram mode=rgb",
                                 "glclmotion detect=true",
                                 "glclklt",
                                 "glclhough",
                                 "glclscope display=none mode=ycbcr"};
const char *const filters[] = {"glclinvert",
                               "glclchain filters=\"gauss(sigma=1)\"",
                               "glclbilateral",
                               "glclmotion display=vectors",
                               "glclhistogram display=overlay",
                               "glclscope display=waveform+vectorscope"};

std::string textures_of(const std::string &format) {
  return "capsfilter caps=\"video/x-raw(memory:GLMemory),format=" + format + "\"";
}

/// A chain that converts RGBA to a format for the elements, and back to RGBA.
std::unique_ptr<Chain> converting(const std::string &format, const std::string &elements) {
  return Chain::plain("videoconvert ! capsfilter caps=\"video/x-raw,format=" + format +
                      "\" ! glupload ! " + textures_of(format) + elements + " ! " +
                      textures_of(format) +
                      " ! gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
}

/// Parts of slow ramps, in which neighbours have similar colours.
std::vector<Frame> frames_of(int width, int height) {
  const Frame ramps = reference::gradient_frame(320, 320);
  std::vector<Frame> frames;
  for (int i = 0; i < 4; i++)
    frames.push_back(reference::crop(ramps, 60 * i + 20, 70 * i + 30, width, height));
  return frames;
}

template <class Work>
void for_all_formats(const Work &work) {
  for (const glcl::PixelFormat *format : glcl::PixelFormat::all()) work(format->name);
}

}  // namespace

TEST(analysers_pass_frames_unchanged) {
  const test::SharedPrograms shared;
  for_all_formats([](const std::string &format) {
    const auto plain = converting(format, "");
    for (const auto &[width, height, elements] :
         {std::tuple{33, 7, std::vector(std::begin(analysers), std::end(analysers))},
          {1, 1, {"glclklt"}}}) {
      const std::vector<Frame> frames = frames_of(width, height);
      std::vector<Frame> expected;
      for (const Frame &frame : frames) expected.push_back(plain->filter(frame));
      for (const char *element : elements) {
        const auto chain = converting(format, std::string(" ! ") + element);
        for (size_t i = 0; i < frames.size(); i++)
          test::expect_same(expected[i], chain->filter(frames[i]), element + (" on " + format));
        expect_none(chain->messages().errors());
      }
    }
  });
}

// Results from planes of luma equal those from RGBA, also with ten bits or limited range.
TEST(analysers_find_the_same_motion_in_every_format) {
  const test::SharedPrograms shared;
  for_all_formats([](const std::string &format) {
    const auto chain = converting(format, " ! " + test::analyzers);
    for (int i = 0; i < 5; i++) chain->filter(test::scene(i));
    chain->drain();
    test::read_log(chain->messages()).expect_vectors(2, 1);
    expect_none(chain->messages().errors());
  });
}

// The histogram of luma needs one plane and that of colours all planes. Both count every pixel of a
// frame.
TEST(histograms_change_between_luma_and_colours) {
  const auto chain = converting("NV12", " ! glclhistogram interval=0");
  const auto pixels_of = [&](const char *mode) {
    gst_util_set_object_arg(G_OBJECT((*chain)["glclhistogram"]), "mode", mode);
    for (int i = 0; i < 500; i++) {
      chain->filter(test::scene(i));
      chain->drain();
      GstStructure *message = chain->messages().structure("glclhistogram");
      expect(message, "a message for each frame");
      const bool changed = std::string(mode) == gst_structure_get_string(message, "mode");
      guint64 pixels = 0;
      gst_structure_get_uint64(message, "pixels", &pixels);
      gst_structure_free(message);
      if (changed) return pixels;
      g_usleep(10000);
    }
    return guint64(0);
  };
  for (const char *mode : {"luma", "rgb", "luma", "color-8", "luma"})
    expect(pixels_of(mode) == guint64(64) * 48, std::string("counts in mode=") + mode);
  expect_none(chain->messages().errors());
}

// Edges need only luma; a template that is cut out of the frame needs all planes.
TEST(objects_are_found_in_luma) {
  const auto chain = converting("NV12", " ! glclhough");
  GstElement *element = (*chain)["glclhough"];
  auto *filter = reinterpret_cast<GstGLCLFilter *>(element);
  auto *klass = reinterpret_cast<GstGLCLFilterClass *>(G_OBJECT_GET_CLASS(element));
  chain->filter(test::scene(0));
  expect(klass->reads_luma && klass->reads_luma(filter), "no chroma is acquired");
  gboolean accepted = FALSE;
  g_signal_emit_by_name(element, "learn", "box", 4, 4, 40, 30, &accepted);
  expect(accepted && !klass->reads_luma(filter), "a template has colours");
  chain->filter(test::scene(1));
  expect(klass->reads_luma(filter), "the next frame needs luma only");
  expect_none(chain->messages().errors());
}

// Templates are RGBA pictures, cut from frames of any format.
TEST(templates_are_learned_from_any_format) {
  const test::SharedPrograms shared;
  Frame frame = reference::flat_frame(96, 72);
  for (int y = 20; y < 52; y++)
    for (int x = 24; x < 64; x++)
      if (x > y - 10) std::fill_n(frame.at(x, y), 3, 250);
  for (const char *format : {"NV12", "GRAY8", "BGRA"}) {
    const auto chain = converting(format, " ! glclhough interval=0 scale-min=0.9 scale-max=1.1");
    chain->filter(frame);
    gboolean accepted = FALSE;
    g_signal_emit_by_name((*chain)["glclhough"], "learn", "corner", 16, 12, 56, 48, &accepted);
    bool found = false;
    for (int i = 0; i < 500 && !found; i++) {
      chain->filter(frame);
      chain->drain();
      while (GstStructure *message = chain->messages().structure("glclhough")) {
        const GValue *objects = gst_structure_get_value(message, "objects");
        found |= objects && test::values(objects)->n_values > 0;
        gst_structure_free(message);
      }
      g_usleep(10000);
    }
    expect(accepted && found, std::string("found in ") + format);
    expect_none(chain->messages().errors());
  }
}

TEST(filters_keep_the_format) {
  const test::SharedPrograms shared;
  // The end of a pipeline without gst-glcl elements terminates EGL for all others.
  std::vector<std::unique_ptr<Chain>> plains;
  std::map<std::string, std::unique_ptr<Chain>> on_rgba;
  for_all_formats([&](const std::string &format) {
    plains.push_back(converting(format, ""));
    const std::unique_ptr<Chain> &plain = plains.back();
    const auto check = [&](const std::string &element, int width, int height) {
      const auto chain = converting(format, " ! " + element);
      std::unique_ptr<Chain> &rgba = on_rgba[element + std::to_string(width)];
      if (!rgba) rgba = std::make_unique<Chain>(element);
      for (const Frame &frame : frames_of(width, height)) {
        const Frame got = chain->filter(frame),
                    expected = plain->filter(rgba->filter(plain->filter(frame)));
        // videoconvert interpolates chroma between samples, the elements don't.
        size_t far = 0;
        for (size_t i = 0; i < got.rgba.size(); i++)
          far += i % 4 != 3 && std::abs(got.rgba[i] - expected.rgba[i]) > 6;
        expect(far <= got.rgba.size() / 8, element + " on " + format + ": " + std::to_string(far) +
                                               " of " + std::to_string(got.rgba.size()) +
                                               " differ");
      }
      expect_none(chain->messages().errors());
    };
    for (const char *element : filters) check(element, 33, 8);
    check("glclinvert", 8, 4);  // videoconvert is wrong on smaller frames
  });
}

// Frames with a luma plane are filtered without a conversion. Only glclchain converts those of 8
// bits.
TEST(filters_read_and_write_planes) {
  const std::pair<const char *, const char *> native[] = {
      {"glclinvert", "invert-mean"},
      {"glclchain filters=\"gauss(sigma=1) ! gamma\"", "glcl_pass_0-mean"},
      {"glclmotion display=vectors", "planes_blend-mean"},
      {"glopenclflow display=color", "planes_blend-mean"},
      {"glclklt display=points", "planes_blend-mean"},
      {"glclhough display=edges", "planes_blend-mean"},
      {"glclhistogram display=overlay", "planes_blend-mean"},
      {"glclscope display=waveform+vectorscope", "planes_blend-mean"}};
  for (const char *format : {"NV12", "P010_10LE", "I420", "GRAY8", "GRAY16_LE"})
    for (const auto &[element, kernel] : native) {
      const auto chain =
          converting(format, " ! " + std::string(element) + " name=filter profile=true");
      for (const Frame &frame : frames_of(16, 8)) chain->filter(frame);
      GstStructure *stats = nullptr;
      g_object_get((*chain)["filter"], "stats", &stats, nullptr);
      const bool converts = gst_structure_has_field(stats, "planes_to_rgba-mean") ||
                            gst_structure_has_field(stats, "planes_from_rgba-mean"),
                 may_convert = std::string(element).rfind("glclchain", 0) == 0 &&
                               glcl::PixelFormat::find(format)->bits == 8;
      expect(gst_structure_has_field(stats, kernel), "the kernel of " + std::string(element));
      expect(converts == may_convert, std::string(element) + " on " + format);
      gst_structure_free(stats);
    }
}

/// The luma of a frame in P010, in rows of 1024 px, after an element. Grey chroma remains grey.
std::vector<guint16> filtered_luma(const std::string &element, std::vector<guint16> values) {
  constexpr int width = 1024;
  const size_t pixels = values.size(), height = pixels / width;
  GstHarness *harness = gst_harness_new_parse(("glupload ! " + element + " ! gldownload").c_str());
  gst_harness_set_src_caps_str(
      harness, ("video/x-raw,format=P010_10LE,width=1024,height=" + std::to_string(height) +
                ",framerate=25/1,colorimetry=bt709")
                   .c_str());
  values.resize(pixels + pixels / 2, 512);
  for (guint16 &value : values) value = static_cast<guint16>(value << 6);
  GstBuffer *in = gst_buffer_new_allocate(nullptr, 2 * values.size(), nullptr);
  gst_buffer_fill(in, 0, values.data(), 2 * values.size());
  gst_harness_push(harness, in);
  GstBuffer *out = gst_harness_pull(harness);
  expect(out && gst_buffer_extract(out, 0, values.data(), 2 * values.size()) == 2 * values.size(),
         "a frame of " + element);
  for (size_t i = pixels; i < values.size(); i++)
    expect(values[i] == 512 << 6, element + " changes grey chroma");
  gst_buffer_unref(out);
  gst_harness_teardown(harness);
  values.resize(pixels);
  for (guint16 &value : values) value = static_cast<guint16>(value >> 6);
  return values;
}

TEST(ten_bits_remain) {
  std::vector<guint16> ramp(2 * 1024);
  for (size_t i = 0; i < ramp.size(); i++) ramp[i] = static_cast<guint16>(i % 1024);
  for (const std::string element :
       {"glclinvert", "glclchain filters=\"invert ! gamma(value=1)\""}) {
    const std::vector<guint16> inverted = filtered_luma(element, ramp);
    for (int i = 64; i <= 940; i++)
      expect(inverted[i] == 64 + 940 - i, element + ": the inverse of " + std::to_string(i));
  }
}

// Noise of a quarter of a level around a value between two levels: only ten bits show its mean.
TEST(ten_bits_are_filtered) {
  std::vector<guint16> noise(32 * 1024);
  for (size_t i = 0; i < noise.size(); i++)
    noise[i] = static_cast<guint16>((i % 1024 + i / 1024) % 2 ? 514 : 512);
  for (const std::string method : {"brute-force", "grid"}) {
    const std::string element = "glclbilateral sigma-space=4 weight=intensity method=" + method;
    const std::vector<guint16> smooth = filtered_luma(element, noise);
    for (size_t i = 0; i < smooth.size(); i++)
      expect(smooth[i] == 513, element + ": " + std::to_string(smooth[i]));
  }
}

namespace {

/// Changes the format that the capsfilter `raw` of a chain requires.
void set_format(const Chain &chain, const std::string &format) {
  GstCaps *caps = gst_caps_from_string(("video/x-raw,format=" + format).c_str());
  g_object_set(chain["raw"], "caps", caps, nullptr);
  gst_caps_unref(caps);
}

/// Pushes frames of a pan, `count` in each format, and returns their number.
int push_pan(Chain &chain, const std::vector<const char *> &formats, int count, int speed) {
  const Frame background = reference::textured_frame(320, 200, {});
  int frames = 0;
  for (const char *format : formats) {
    set_format(chain, format);
    for (int i = 0; i < count; i++, frames++) {
      const Frame frame = reference::crop(background, 20 + speed * frames, 20, 160, 120);
      expect(chain.push(frame) == GST_FLOW_OK, "push failed");
      gst_buffer_unref(chain.pull_buffer());
    }
  }
  chain.drain();
  return frames;
}

}  // namespace

TEST(formats_change_while_playing) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter name=raw ! glupload ! glclmotion detect=true ! glclinvert ! "
      "gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
  const Frame frame = reference::flat_frame(64, 48);
  Frame expected = test::inverted(frame);
  for (size_t i = 3; i < expected.rgba.size(); i += 4) expected.rgba[i] = 255;
  for (int turn = 0; turn < 2; turn++)
    for_all_formats([&](const std::string &format) {
      if (format.rfind("GRAY", 0) == 0) return;
      set_format(*chain, format);
      Frame got = chain->filter(frame);
      for (size_t i = 3; i < got.rgba.size(); i += 4) got.rgba[i] = 255;
      test::expect_near(expected, got, 6, format);
    });
  expect_none(chain->messages().errors());
}

// The histogram of colours and the edges are the same in any format. So a cut is found even at a
// change of format, and the change itself is no cut.
TEST(shots_go_on_when_the_format_changes) {
  for (const std::string method : {"histogram", "shape"}) {
    const auto chain = Chain::plain(
        "videoconvert ! capsfilter name=raw ! glupload ! glclhistogram shot-detection=true "
        "post-messages=false shot-method=" +
        method + " ! gldownload");
    const auto push = [&](const char *format, unsigned scene) {
      set_format(*chain, format);
      const Frame frame = reference::clutter_frame(160, 90, scene);
      for (int i = 0; i < 20; i++) {
        expect(chain->push(frame) == GST_FLOW_OK, "push failed");
        gst_buffer_unref(chain->pull_buffer());
      }
    };
    push("NV12", 1), push("RGBA", 2), push("P010_10LE", 2), push("BGRA", 2), push("NV12", 1);
    gst_harness_push_event(chain->harness(), gst_event_new_eos());
    for (const guint64 cut : {20, 80}) {
      GstStructure *shot = chain->messages().structure("shot");
      expect(shot, method + ": a message for each shot");
      guint64 frame = 0;
      gst_structure_get_uint64(shot, "frame", &frame);
      gst_structure_free(shot);
      expect(frame == cut, method + ": a cut at frame " + std::to_string(frame));
    }
    expect(!chain->messages().structure("shot"), method + ": and no more");
    expect_none(chain->messages().errors());
  }
}

namespace {

/// The messages of a moving object in frames whose format changes: their names and times, and the
/// numbers of objects. Lists of objects are omitted, because positions depend on rounding.
std::vector<std::string> reports_on_an_object(const std::vector<const char *> &formats) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter name=raw ! glupload ! glclmotion detect=true interval=0 ! "
      "gldownload");
  const Frame background = reference::textured_frame(160, 120, {}),
              object = reference::textured_frame(28, 28, {}, 9);
  int frames = 0;
  for (const char *format : formats) {
    set_format(*chain, format);
    for (int i = 0; i < 10; i++, frames++) {
      Frame frame = background;
      for (int y = 0; y < 28; y++)
        for (int x = 0; x < 28; x++)
          for (int c = 0; c < 3; c++)
            frame.at(4 + 3 * frames + x, 50 + y)[c] = uint8_t(object.at(x, y)[c] / 2 + 120);
      expect(chain->push(frame) == GST_FLOW_OK, "push failed");
      gst_buffer_unref(chain->pull_buffer());
    }
  }
  chain->drain();
  std::vector<std::string> reports;
  while (GstStructure *message = chain->messages().structure()) {
    GstClockTime time = 0;
    guint64 id = 0;
    gst_structure_get_clock_time(message, "timestamp", &time);
    gst_structure_get_uint64(message, "id", &id);
    if (!gst_structure_has_name(message, "objects"))
      reports.push_back(gst_structure_get_name(message) + (" " + std::to_string(time)) + " " +
                        std::to_string(id));
    gst_structure_free(message);
  }
  expect_none(chain->messages().errors());
  return reports;
}

}  // namespace

// The background model and the objects stay, and the first frame of a format has vectors.
TEST(objects_go_on_when_the_format_changes) {
  const auto expected = reports_on_an_object({"NV12", "NV12", "NV12", "NV12"}),
             got = reports_on_an_object({"NV12", "RGBA", "P010_10LE", "BGRA"});
  const auto is_begin = [](const std::string &report) {
    return report.rfind("motion-begin", 0) == 0;
  };
  expect(std::any_of(expected.begin(), expected.end(), is_begin), "an object is found");
  const size_t same =
      std::mismatch(expected.begin(), expected.end(), got.begin(), got.end()).first -
      expected.begin();
  expect(expected == got, "report " + std::to_string(same) + " is " +
                              (same < got.size() ? got[same] : "missing") + " instead of " +
                              (same < expected.size() ? expected[same] : "nothing"));
}

// Points keep their ids.
TEST(points_go_on_when_the_format_changes) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter name=raw ! glupload ! glclklt interval=0 ! gldownload");
  const int frames = push_pan(*chain, {"NV12", "P010_10LE", "NV12", "RGBA", "BGRA", "I420"}, 5, 1);
  for (int frame = 0; frame < frames; frame++) {
    GstStructure *message = chain->messages().structure();
    expect(message, "a message for frame " + std::to_string(frame));
    guint tracked = 0, lost = 0;
    gdouble age = 0;
    gst_structure_get(message, "tracked", G_TYPE_UINT, &tracked, "lost", G_TYPE_UINT, &lost,
                      nullptr);
    gst_structure_get_double(message, "mean-age", &age);
    gst_structure_free(message);
    const std::string found = "frame " + std::to_string(frame) + ": " + std::to_string(tracked) +
                              " tracked, " + std::to_string(lost) + " lost, age " +
                              std::to_string(age);
    if (frame == 0) continue;
    // Grey is the mean of R, G and B, or luma, so some points are lost between them.
    expect(tracked > 40 && lost < tracked, found);
    // Points that were all selected in this format are younger.
    expect(frame < 5 || age > frame % 5 + 0.5, found);
  }
  expect_none(chain->messages().errors());
}

// Each frame has vectors from the previous one, also the first of a format. But the grey of RGB,
// the mean of its channels, is not compared with luma.
TEST(flow_goes_on_when_the_format_changes) {
  constexpr int first_of_rgb = 9, first_of_luma = 15;
  // Lucas and Kanade's method underestimates the motion of this texture.
  for (const auto &[method, motion] : std::vector<std::pair<std::string, double>>{
           {"lucas-kanade", -0.73}, {"pyramidal", -1}, {"census", -1}}) {
    const auto chain = Chain::plain(
        "videoconvert ! capsfilter name=raw ! glupload ! glopenclflow interval=0 method=" + method +
        " ! gldownload");
    const int frames =
        push_pan(*chain, {"NV12", "P010_10LE", "I420", "RGBA", "BGRA", "NV12"}, 3, 1);
    for (int frame = 1; frame < frames; frame++) {
      if (frame == first_of_rgb || frame == first_of_luma) continue;
      GstStructure *message = chain->messages().structure();
      expect(message, method + ": a message for frame " + std::to_string(frame));
      const double x = test::number(message, "mean-x"), y = test::number(message, "mean-y");
      gst_structure_free(message);
      expect(std::abs(x - motion) < 0.01 && std::abs(y) < 0.01,
             method + ": frame " + std::to_string(frame) + " moves by (" + std::to_string(x) +
                 ", " + std::to_string(y) + ") px");
    }
    expect_none(chain->messages().errors());
  }
}

// Edges are compared with those of the previous frame, also in the first frame of a format.
TEST(global_motion_goes_on_when_the_format_changes) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter name=raw ! glupload ! glclhough interval=0 ! gldownload");
  const int frames = push_pan(*chain, {"NV12", "P010_10LE", "RGBA", "I420"}, 2, 3);
  for (int frame = 0; frame < frames; frame++) {
    GstStructure *message = chain->messages().structure();
    expect(message, "a message for frame " + std::to_string(frame));
    expect(gst_structure_has_field(message, "shift-x") == (frame > 0),
           "a motion in frame " + std::to_string(frame));
    if (frame > 0)
      expect(std::abs(test::number(message, "shift-x") + 3) < 0.5,
             "frame " + std::to_string(frame) + " moves by " +
                 std::to_string(test::number(message, "shift-x")) + " px");
    gst_structure_free(message);
  }
  expect_none(chain->messages().errors());
}

// With smoothing=0 the picture stays in its first position after the camera has moved. If it began
// again with a format, it would jump to the camera's position.
TEST(a_stabilized_picture_stays_when_the_format_changes) {
  const auto chain = Chain::plain(
      "videoconvert ! capsfilter name=raw ! glupload ! glclklt stabilize=true smoothing=0 ! "
      "gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
  const Frame background = reference::textured_frame(240, 160, {});
  const auto show = [&](const char *format, int x) {
    set_format(*chain, format);
    return reference::crop(chain->filter(reference::crop(background, x, 20, 160, 120)), 40, 30, 80,
                           60);
  };
  const auto difference = [](const Frame &a, const Frame &b) {
    double sum = 0;
    for (size_t i = 0; i < a.rgba.size(); i++) sum += std::abs(a.rgba[i] - b.rgba[i]);
    return sum / double(a.rgba.size());
  };
  show("NV12", 30);
  const Frame first = show("NV12", 30);
  Frame moved = first;
  for (int x = 31; x <= 36; x++) moved = show("NV12", x);
  expect(difference(first, moved) < 1, "the picture is stabilized");
  for (const char *format : {"P010_10LE", "I420", "RGBA", "NV12"}) {
    const double jump = difference(moved, show(format, 36));
    expect(jump < 8, format + (": the picture moves, difference " + std::to_string(jump)));
  }
  expect_none(chain->messages().errors());
}

// A frame counts once per transfer, with any number of planes.
TEST(a_frame_counts_once) {
  const test::SharedPrograms shared;
  for_all_formats([](const std::string &format) {
    const auto chain = converting(format, " ! glclinvert");
    for (const Frame &frame : frames_of(16, 8)) chain->filter(frame);
    expect(test::stat((*chain)["glclinvert"], "copies") == (test::copies_frames() ? 8 : 0),
           format + ": " + std::to_string(test::stat((*chain)["glclinvert"], "copies")) +
               " copies of four frames");
  });
}

TEST(other_textures_are_refused) {
  GstElement *element = gst_element_factory_make("glclinvert", nullptr);
  GstCaps *caps = gst_caps_from_string(
      "video/x-raw(memory:GLMemory),format=NV12,width=64,height=48,texture-target=external-oes");
  GstPad *pad = gst_element_get_static_pad(element, "sink");
  expect(!gst_pad_query_accept_caps(pad, caps), "an external texture");
  gst_object_unref(pad);
  gst_caps_unref(caps);
  gst_object_unref(element);
}
