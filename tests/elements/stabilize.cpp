// SPDX-License-Identifier: LGPL-2.1-or-later
// glclklt stabilize=true in pipelines: a shaking picture is steady in the output, also after
// interruptions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "pipeline.h"
#include "reference/textured.h"
#include "shaken.h"
#include "tests/support/result.h"

using reference::Motion;
using reference::Point;
using test::Chain;
using test::expect;
using test::Frame;
using test::shaken;

namespace {

constexpr int width = 161, height = 97;

/// A frame of a hand-held camera.
Frame scene(int i, unsigned seed = 1, int w = width, int h = height) {
  return reference::textured_frame(w, h, shaken(i), seed);
}

struct Shown {
  Frame frame;
  std::vector<float> moved;  // transform from px of the input frame to px of the output frame

  Point at(Point p) const {
    return {moved[0] * p.x + moved[1] * p.y + moved[2], moved[3] * p.x + moved[4] * p.y + moved[5]};
  }
};

Shown next_shown(Chain &chain, int w = width, int h = height) {
  GstBuffer *out = chain.pull_buffer();
  Shown result{Frame(w, h), {}};
  const GstStructure *meta = gst_buffer_get_glcl_result(out, "glclklt");
  expect(meta, "there is a result");
  {
    const test::ResultArray moved(meta, "moved");
    expect(moved.is("float32", {2, 3}), "it says how the frame is moved");
    result.moved = moved.numbers<float>();
  }
  GstMapInfo map;
  expect(gst_buffer_map(out, &map, GST_MAP_READ), "the frame can be mapped");
  std::memcpy(result.frame.rgba.data(), map.data, result.frame.rgba.size());
  gst_buffer_unmap(out, &map);
  gst_buffer_unref(out);
  return result;
}
Shown shown(Chain &chain, GstBuffer *in, int w = width, int h = height) {
  expect(chain.push(in, w, h) == GST_FLOW_OK, "pushed");
  return next_shown(chain, w, h);
}
Shown shown(Chain &chain, const Frame &frame) {
  return shown(chain, chain.buffer_of(frame), frame.width, frame.height);
}

double difference(const Frame &a, const Frame &b) {
  double sum = 0;
  for (size_t i = 0; i < a.rgba.size(); i++) sum += std::abs(int(a.rgba[i]) - int(b.rgba[i]));
  return sum / double(a.rgba.size());
}

/// Distance between the position of a scene point in the output and its position in frame 0.
double off(const Shown &first, const Shown &now, int i, const Motion &before = shaken(0)) {
  double worst = 0;
  for (const Point p : {Point{40, 30}, {120, 30}, {80, 50}, {40, 70}, {120, 70}}) {
    const Point a = first.at(before.apply(p, width, height)),
                b = now.at(shaken(i).apply(p, width, height));
    worst = std::max(worst, std::hypot(a.x - b.x, a.y - b.y));
  }
  return worst;
}

bool is_only_zoomed(const Shown &shown, double margin) {
  const double zoom = 1 / (1 - 2 * margin);
  const double x = (width - 1) / 2.0 * (1 - zoom), y = (height - 1) / 2.0 * (1 - zoom);
  const double expected[] = {zoom, 0, x, 0, zoom, y};
  for (int i = 0; i < 6; i++)
    if (std::abs(shown.moved[size_t(i)] - expected[i]) > 1e-3) return false;
  return true;
}

const std::string element = "glclklt attach-meta=true features=150 ";

}  // namespace

// The picture is steady, in pixels and by its messages.
TEST(still) {
  Chain chain(element + "stabilize=true smoothing=0");
  Shown first, steady;
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    steady = shown(chain, reference::noisy(scene(i), 2, unsigned(i) + 1));
    if (i == 0) first = steady;
    sum += off(first, steady, i) / 12;
  }
  fail_unless(sum <= 0.3, "%g px are left", sum);
  const double before = difference(scene(0), scene(11)),
               after = difference(first.frame, steady.frame);
  fail_unless(before > 10 && after < 4, "it differs by %g levels instead of %g", after, before);
  expect(is_only_zoomed(first, 0.1), "it begins in the middle");
}

// A hand before a plain wall does not move the picture; the message contains the confidence of the
// camera motion.
TEST(hand_in_front_of_a_wall) {
  const auto confidence_of = [](const std::function<Frame(int)> &frame, double &moved) {
    Chain chain(element + "stabilize=true smoothing=0 interval=0");
    double confidence = 0;
    for (int i = 0; i < 8; i++) {
      const Shown steady = shown(chain, reference::noisy(frame(i), 2, unsigned(i) + 1));
      moved = std::abs(steady.moved[2] + (width - 1) / 2.0 * 0.25);
      chain.drain();
      while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
        const GstStructure *fields = gst_message_get_structure(message);
        if (i && gst_structure_has_field(fields, "camera-confidence"))
          confidence += test::number(fields, "camera-confidence") / 7;
        gst_message_unref(message);
      }
    }
    return confidence;
  };
  double moved = 0;
  const double unsure = confidence_of(
      [](int i) {
        return reference::covered(
            reference::relit(reference::flat_frame(width, height), 0, 170),
            reference::textured_frame(width, height, {3.0 * i, 0}),
            [&](int x, int y) { return std::hypot(x - 40 - 3 * i, y - 60) < 26; });
      },
      moved);
  fail_unless(moved < 0.01 && unsure < 0.3, "a hand moves the picture by %g px, sure by %g", moved,
              unsure);
  const double sure = confidence_of([](int i) { return scene(i); }, moved);
  fail_unless(moved > 0.5 && sure > 0.8, "a camera moves it by %g px, sure by %g", moved, sure);
}

// The message contains the part of the margin that is in use: all of it once a picture that stands
// still would need more.
TEST(margin_used) {
  const auto used = [](const std::string &settings, double step) {
    Chain chain(element + "stabilize=true interval=0 " + settings);
    double most = 0;
    for (int i = 0; i < 6; i++) {
      shown(chain, reference::textured_frame(width, height, {step * i, 0}));
      chain.drain();
      while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
        most = std::max(most, test::number(gst_message_get_structure(message), "margin-used"));
        gst_message_unref(message);
      }
    }
    return most;
  };
  const double still = used("smoothing=0", 0), half = used("smoothing=0 margin=0.2", 3),
               all = used("smoothing=0 margin=0.02", 3), none = used("margin=0", 0);
  fail_unless(still < 0.01, "a picture that stands still uses %g", still);
  fail_unless(half > 0.2 && half < 0.9, "a short way uses %g", half);
  fail_unless(all > 0.99 && none == 1, "a long way uses %g, without a margin %g", all, none);
}

// The picture is moved as the result reports, and drawings move with it.
TEST(drawings) {
  Chain plain(element + "stabilize=true smoothing=0"),
      drawn(element + "stabilize=true smoothing=0 display=points features=12"),
      separate(element +
               "stabilize=true smoothing=0 display=points features=12 attach-overlay=true ! "
               "gloverlaycompositor");
  for (int i = 0; i < 6; i++) {
    const Frame frame = scene(i);
    shown(plain, frame);
    const Shown with = shown(drawn, frame), over = shown(separate, frame);
    if (i == 0) continue;
    size_t dots = 0, others = 0;
    for (size_t k = 0; k < with.frame.rgba.size(); k += 4) {
      const uint8_t *a = &with.frame.rgba[k], *b = &over.frame.rgba[k];
      dots += a[0] > 200 && a[2] < 60;
      others += std::abs(int(a[0]) - int(b[0])) > 24;
    }
    expect(dots > 20, "there are dots");
    fail_unless(others * 50 < with.frame.rgba.size() / 4, "%zu pixels differ", others);
  }
}

// Cuts, discontinuities and new sizes restart it; a plain picture is not an error.
TEST(anew) {
  Chain chain(element + "stabilize=true smoothing=0");
  for (int i = 0; i < 4; i++) shown(chain, scene(i));
  expect(!is_only_zoomed(shown(chain, scene(5)), 0.1), "it is moved");
  expect(is_only_zoomed(shown(chain, scene(6, 7)), 0.1), "after a cut it is not");
  const Shown first = shown(chain, scene(7, 7));
  fail_unless(off(first, shown(chain, scene(8, 7)), 8, shaken(7)) < 0.3, "and goes on from there");
  GstBuffer *broken = chain.buffer_of(scene(1));
  GST_BUFFER_FLAG_SET(broken, GST_BUFFER_FLAG_DISCONT);
  expect(is_only_zoomed(shown(chain, broken), 0.1), "nor after a discontinuity");
  for (const auto &[w, h] : {std::pair{1, 1}, {64, 48}, {3, 65}})
    for (int i = 0; i < 3; i++) shown(chain, scene(i, 1, w, h));
  const Frame flat = reference::flat_frame(width, height);
  for (int i = 0; i < 3; i++)
    test::expect_same(flat, shown(chain, flat).frame, "one colour stays one");
  test::expect_none(chain.messages().errors());
}

// Switched on and off, and changed while playing, in one of two elements.
TEST(changes) {
  Chain chain("glclklt name=a attach-meta=true features=150 ! glclklt name=b features=20");
  GstElement *a = chain["a"];
  test::expect_same(scene(0), chain.filter(scene(0)), "nothing is moved");
  g_object_set(a, "stabilize", TRUE, "smoothing", 0, nullptr);
  // The stabilizer is built in the background.
  Shown now;
  int i = 1;
  for (; i < 400; i++) {
    now = shown(chain, scene(i));
    if (now.moved[0] > 1) break;
    g_usleep(50000);
  }
  expect(is_only_zoomed(now, 0.1), "it begins in the middle");
  const Shown first = now;
  const int begin = i;
  for (int k = 0; k < 3; k++) now = shown(chain, scene(++i));
  fail_unless(off(first, now, i, shaken(begin)) < 0.3, "it is held");
  g_object_set(a, "margin", 0.0, nullptr);
  expect(is_only_zoomed(shown(chain, scene(++i)), 0), "without a margin nothing is moved");
  g_object_set(a, "margin", 0.2, "smoothing", 3, "features", 300, nullptr);
  for (int k = 0; k < 3; k++) shown(chain, scene(++i));
  g_object_set(a, "stabilize", FALSE, nullptr);
  now = shown(chain, scene(++i));
  test::expect_same(scene(i), now.frame, "nothing is moved any more");
  expect(is_only_zoomed(now, 0), "and that is reported");
  test::expect_none(chain.messages().errors());
}

// After a stop and a start it begins anew.
TEST(again) {
  test::Pipeline pipeline(
      "gltestsrc num-buffers=5 ! video/x-raw(memory:GLMemory),width=160,height=120 ! "
      "glclklt stabilize=true name=klt ! fakesink");
  for (int i = 0; i < 2; i++) {
    expect(pipeline.run(), "it plays");
    pipeline.set(i ? GST_STATE_NULL : GST_STATE_READY);
  }
}

// A rotating camera with pixels that are not square: the displayed picture is still.
TEST(not_square) {
  for (const auto &[n, d] : {std::pair{2, 1}, {16, 15}, {1, 2}}) {
    const double aspect = double(n) / d;
    const auto turned = [](int i) {
      return Motion{2 * std::sin(0.9 * i), 1.5 * std::sin(0.7 * i + 1), 0.06 * std::sin(0.6 * i)};
    };
    // From px to the displayed picture, in which the camera rotates, and back.
    const auto seen = [&](Point p) { return Point{p.x * aspect, p.y}; };
    const auto px = [&](Point p) { return Point{p.x / aspect, p.y}; };
    const double seen_width = (width - 1) * aspect + 1;
    const auto place = [&](int i, Point p) {
      const double mx = (seen_width - 1) / 2, my = (height - 1) / 2.0;
      const Motion motion = turned(i);
      const double c = std::cos(motion.angle), s = std::sin(motion.angle);
      const double x = seen(p).x - mx, y = p.y - my;
      return px({mx + c * x - s * y + motion.x, my + s * x + c * y + motion.y});
    };
    const auto origin = [&](int i, Point p) {
      const double mx = (seen_width - 1) / 2, my = (height - 1) / 2.0;
      const Motion motion = turned(i);
      const double c = std::cos(motion.angle), s = std::sin(motion.angle);
      const double x = seen(p).x - motion.x - mx, y = p.y - motion.y - my;
      return px({mx + c * x + s * y, my - s * x + c * y});
    };
    Chain chain(element + "stabilize=true smoothing=0 sharing=copy");
    gst_harness_set_src_caps_str(
        chain.harness(), ("video/x-raw,format=RGBA,framerate=25/1,width=" + std::to_string(width) +
                          ",height=" + std::to_string(height) +
                          ",pixel-aspect-ratio=" + std::to_string(n) + "/" + std::to_string(d))
                             .c_str());
    Shown first;
    double worst = 0;
    for (int i = 0; i < 12; i++) {
      const Frame frame = reference::seen_texture(
          width, height, [&](Point p) { return origin(i, p); }, 1);
      gst_harness_push(chain.harness(), chain.buffer_of(frame));
      const Shown steady = next_shown(chain);
      if (i == 0) first = steady;
      for (const Point p : {Point{40, 30}, {120, 30}, {80, 50}, {40, 70}, {120, 70}}) {
        const Point a = first.at(place(0, p)), b = steady.at(place(i, p));
        worst = std::max(worst, std::hypot(a.x - b.x, a.y - b.y));
      }
    }
    fail_unless(worst < 1, "%d/%d: %g px are left", n, d, worst);
    test::expect_none(chain.messages().warnings());
  }
}
