// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings: their colours and switches, and overlays that gloverlaycompositor and glimagesink draw.
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video-overlay-composition.h>

#include <cmath>

#include "pipeline.h"
#include "reference/histogram/histogram.h"
#include "reference/histogram/present.h"

using glcl::histogram::Histogram;
using glcl::histogram::HistogramRenderer;
using test::Chain;
using test::expect;
using test::Frame;
using Format = Histogram::Format;

namespace {

constexpr int width = 320, height = 180;

/// Makes a frame opaque, because OpenGL also blends alpha.
Frame opaque(Frame frame) {
  for (size_t i = 3; i < frame.rgba.size(); i += 4) frame.rgba[i] = 255;
  return frame;
}

/// A scene that moves by 3 px right and 2 px down per frame.
Frame scene(int number) {
  static const Frame all = opaque(reference::natural_frame(width + 64, height + 64));
  return reference::crop(all, 32 - 3 * number, 32 - 2 * number, width, height);
}

HistogramRenderer::Settings overlay() {
  HistogramRenderer::Settings settings;
  settings.display = HistogramRenderer::Display::overlay;
  return settings;
}

Frame with_panel(const Frame &below, const Frame &counted,
                 const HistogramRenderer::Settings &settings) {
  const Format format{Histogram::Mode::rgb, 256};
  return reference::present(below, settings, format, reference::histogram(counted, format));
}

bool attaches(GstElement *element) {
  GstPad *pad = gst_element_get_static_pad(element, "src");
  GstCaps *caps = gst_pad_get_current_caps(pad);
  const bool does = gst_caps_features_contains(gst_caps_get_features(caps, 0),
                                               GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
  gst_caps_unref(caps);
  gst_object_unref(pad);
  return does;
}

const std::string histogram = "glclhistogram post-messages=false mode=rgb display=overlay";

}  // namespace

// A drawing rendered downstream equals one rendered by the element.
TEST(drawn_at_the_end) {
  const std::pair<std::string, std::string> elements[] = {
      {"glclhistogram", histogram + " background-color=0x60804020 equalize=luma"},
      {"glclhistogram", "glclhistogram mode=color-8 display=stack"},
      {"glclhough", "glclhough display=edges color=0x80ff8000"},
      {"glclklt", "glclklt display=tracks outline-color=0x80ffffff"},
      {"glclmotion", "glclmotion display=vectors"},
      {"glclmotion", "glclmotion display=residual"},
      {"glopenclflow", "glopenclflow display=color legend=true"},
      {"glopenclflow", "glopenclflow display=overlay gain=4"},
      {"glopenclflow", "glopenclflow display=arrows legend=true outline-color=0x80ffffff"}};
  for (const auto &[name, element] : elements) {
    Chain at_once(element), at_the_end(element + " attach-overlay=true ! gloverlaycompositor");
    for (int i = 0; i < 3; i++) {
      const Frame expected = at_once.filter(scene(i));
      test::expect_near(expected, at_the_end.filter(scene(i)), 3, element);
    }
    expect(attaches(at_the_end[name]) && !attaches(at_once[name]), "caps announce it");
  }
}

// Elements in between do not see the drawing and do not change it.
TEST(unchanged_by_elements_between) {
  Chain chain(histogram + " attach-overlay=true ! glclinvert ! gloverlaycompositor");
  for (int i = 0; i < 10; i++)
    test::expect_near(with_panel(test::inverted(scene(i)), scene(i), overlay()),
                      chain.filter(scene(i)), 3, "the inverted frame below the panel");
}

// Two analysers: each counts the frame, both drawings are drawn.
TEST(two_drawings) {
  Chain chain(histogram + " attach-overlay=true ! " + histogram +
              " x=0.1 y=0.55 attach-overlay=true ! gloverlaycompositor");
  HistogramRenderer::Settings second = overlay();
  second.x = 0.1, second.y = 0.55;
  for (int i = 0; i < 3; i++)
    test::expect_near(with_panel(with_panel(scene(i), scene(i), overlay()), scene(i), second),
                      chain.filter(scene(i)), 3, "both panels");
}

namespace {

/// The output of glimagesink, instead of a window.
struct Drawn {
  guint framebuffer = 0, texture = 0;
  std::vector<Frame> frames;

  /// Reads the previous frame that the sink drew, and redirects the next one to this texture.
  static gboolean next(GstElement *, GstGLContext *context, GstSample *, gpointer data) {
    auto &drawn = *static_cast<Drawn *>(data);
    const GstGLFuncs *gl = context->gl_vtable;
    const bool first = !drawn.framebuffer;
    if (first) {
      gl->GenTextures(1, &drawn.texture);
      gl->BindTexture(GL_TEXTURE_2D, drawn.texture);
      gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     nullptr);
      gl->GenFramebuffers(1, &drawn.framebuffer);
    }
    gl->BindFramebuffer(GL_FRAMEBUFFER, drawn.framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, drawn.texture, 0);
    if (!first) {
      Frame frame(width, height), upright(width, height);
      gl->ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, frame.rgba.data());
      for (int y = 0; y < height; y++)  // the rows of windows begin at the bottom
        std::copy_n(frame.at(0, height - 1 - y), 4 * width, upright.at(0, y));
      drawn.frames.push_back(opaque(upright));
    }
    gl->Viewport(0, 0, width, height);
    return FALSE;
  }
};

}  // namespace

// glimagesink renders the drawing over the frame, and the element leaves the frame unchanged.
TEST(drawn_by_glimagesink) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=4 pattern=smpte75 ! video/x-raw,format=RGBA,width=" +
      std::to_string(width) + ",height=" + std::to_string(height) +
      " ! tee name=t ! queue ! glupload ! glcolorconvert ! " + histogram +
      " attach-overlay=true ! glimagesink name=window sync=false force-aspect-ratio=false "
      "t. ! queue ! fakesink name=plain sync=false");
  const std::vector<Frame> &plain = pipeline.collect("plain");
  Drawn drawn;
  g_signal_connect(pipeline["window"], "client-draw", G_CALLBACK(Drawn::next), &drawn);
  expect(pipeline.reach(GST_STATE_PAUSED), "it starts");
  expect(attaches(pipeline["glclhistogram"]), "the sink takes overlays");
  expect(pipeline.run(), "it plays to its end");
  expect(!drawn.frames.empty() && !plain.empty(), "the sink drew");
  const Frame below = opaque(plain.front());
  for (const Frame &frame : drawn.frames)
    test::expect_near(with_panel(below, below, overlay()), frame, 3, "drawn by the sink");
}

// If no downstream element draws overlays, the element does.
TEST(no_consumer_of_overlays) {
  for (const char *behind : {"", " ! glclinvert name=next ! glclinvert", " ! queue"}) {
    Chain chain(histogram + " attach-overlay=true" + behind);
    const Frame expected = with_panel(scene(0), scene(0), overlay());
    test::expect_near(expected, chain.filter(scene(0)), 1, std::string("drawn into it") + behind);
    expect(!attaches(chain["glclhistogram"]), "caps announce no overlay");
  }
}

// The drawing and the frames' size change while playing; attach-overlay does not.
TEST(changed_while_playing) {
  Chain chain(histogram + " attach-overlay=true ! glclinvert ! gloverlaycompositor");
  GstElement *element = chain["glclhistogram"];
  for (const int display : {1, 0, 1}) {
    g_object_set(element, "display", display, nullptr);
    const Frame frame = scene(display), inverted = test::inverted(frame);
    test::expect_near(display ? with_panel(inverted, frame, overlay()) : inverted,
                      chain.filter(frame), 3, "display " + std::to_string(display));
  }
  const Frame small = opaque(reference::natural_frame(160, 120));
  test::expect_near(with_panel(test::inverted(small), small, overlay()), chain.filter(small), 3,
                    "another size");
  const auto late_warnings = [&] {
    int warnings = 0;
    for (const test::Message &message : chain.messages().warnings())
      warnings += message.names("attach-overlay=false comes too late");
    return warnings;
  };
  expect(!late_warnings(), "no warning yet");
  g_object_set(element, "attach-overlay", FALSE, nullptr);
  expect(late_warnings() == 1, "it is too late for that");
}

// Two pipelines at once, started and stopped.
TEST(started_again) {
  const std::string description =
      "videotestsrc num-buffers=12 horizontal-speed=3 ! "
      "video/x-raw,format=RGBA,width=160,height=120 ! glupload ! glcolorconvert ! "
      "glopenclflow display=arrows attach-overlay=true ! " +
      histogram + " attach-overlay=true ! queue ! gloverlaycompositor ! fakesink";
  test::Pipeline first(description), second(description);
  for (int i = 0; i < 3; i++) {
    expect(second.reach(GST_STATE_PLAYING), "the other one plays");
    expect(first.run(), "EOS comes");
    expect(first.reach(i % 2 ? GST_STATE_NULL : GST_STATE_READY), "it stops");
    expect(second.reach(GST_STATE_READY), "so does the other one");
  }
  test::expect_none(first.messages().errors());
  test::expect_none(second.messages().errors());
}

namespace {

/// Pixels of about this colour: edges are blended.
int count(const Frame &frame, int red, int green, int blue) {
  int pixels = 0;
  for (size_t i = 0; i < frame.rgba.size(); i += 4)
    pixels += std::abs(frame.rgba[i] - red) < 80 && std::abs(frame.rgba[i + 1] - green) < 80 &&
              std::abs(frame.rgba[i + 2] - blue) < 80;
  return pixels;
}

}  // namespace

// Colours of arrows, also while playing.
TEST(colours_of_arrows) {
  for (const std::string &name : {std::string("glclmotion"), std::string("glopenclflow")}) {
    Chain chain(name +
                (name == "glclmotion" ? " display=vectors noise=0" : " display=arrows gain=3"));
    GstElement *element = chain[name];
    chain.filter(scene(0));
    g_object_set(element, "color", 0xff00ff00u, "outline-color", 0xffff00ffu, nullptr);
    Frame out = chain.filter(scene(1));
    expect(count(out, 0, 255, 0) > 50 && count(out, 255, 0, 255) > 50,
           "arrows of " + name + ": " + std::to_string(count(out, 0, 255, 0)) + ", " +
               std::to_string(count(out, 255, 0, 255)));
    g_object_set(element, "color", 0xff0000ffu, "outline-color", 0u, nullptr);
    out = chain.filter(scene(2));
    expect(count(out, 0, 0, 255) > 50 && !count(out, 0, 255, 0) && !count(out, 255, 0, 255),
           "other ones of " + name);
    const int near = count(out, 0, 0, 255);
    g_object_set(element, "arrow-spacing", 80, nullptr);
    expect(count(chain.filter(scene(3)), 0, 0, 255) < near / 4, "fewer arrows of " + name);
    g_object_set(element, "color", 0x000000ffu, nullptr);
    out = chain.filter(scene(4));
    expect(!count(out, 0, 0, 255), "none, or of their directions");
    guint color = 1;
    g_object_get(element, "color", &color, nullptr);
    expect(color == 0xff, "the colour is what was set");
  }
}

// Without a grid and visible arrows the frame does not change.
TEST(grid_of_blocks) {
  Chain chain("glclmotion display=vectors color=0 outline-color=0 block-grid=false");
  chain.filter(scene(0));
  test::expect_same(scene(1), chain.filter(scene(1)), "no grid");
  g_object_set(chain["glclmotion"], "block-grid", TRUE, nullptr);
  const Frame out = chain.filter(scene(2));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const bool edge = x % 16 == 0 || y % 16 == 0;
      fail_unless(edge != std::equal(out.at(x, y), out.at(x, y) + 3, scene(2).at(x, y)),
                  "the grid at (%d, %d)", x, y);
    }
}

TEST(colours_of_panels) {
  Chain chain(histogram);
  HistogramRenderer::Settings settings = overlay();
  test::expect_near(with_panel(scene(0), scene(0), settings), chain.filter(scene(0)), 1, "usual");
  settings.foreground_color = 0xff2040ff, settings.background_color = 0x40ffffff;
  g_object_set(chain["glclhistogram"], "foreground-color", settings.foreground_color,
               "background-color", settings.background_color, nullptr);
  test::expect_near(with_panel(scene(0), scene(0), settings), chain.filter(scene(0)), 1, "set");
}
