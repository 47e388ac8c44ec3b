// SPDX-License-Identifier: LGPL-2.1-or-later
// The camera motion that glclmotion reports.
#include <algorithm>
#include <cmath>
#include <functional>

#include "events.h"
#include "pipeline.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::end;
using test::Events;
using test::expect;
using test::Frame;
using test::number;

// Changing light, from the first frame on, is not reported as camera motion.
TEST(camera_in_changing_light) {
  const test::SharedPrograms shared;
  const Frame still = reference::textured_frame(320, 240);
  for (const bool rolls : {false, true}) {
    Chain chain("glclmotion interval=0 camera-compensation=first-order-flow");
    for (int i = 0; i < 6; i++) {
      const Frame lit = rolls ? reference::rolling(still, 0.12, i)
                              : reference::relit(still, i % 2 ? 0.92 : 1.08, 0);
      chain.filter(reference::noisy(lit, 2, unsigned(i) + 1));
    }
    Events events;
    end(chain);
    events.gather(chain);
    const auto messages = events.of("glclmotion");
    expect(messages.size() == 5, "a message for each frame but the first");
    for (const GstStructure *message : messages)
      for (const char *field : {"camera-x", "camera-y", "camera-path-x", "camera-path-y"})
        fail_unless(std::abs(number(message, field)) < (rolls ? 0.75 : 0.1),
                    "%s of %g in light that %s", field, number(message, field),
                    rolls ? "rolls" : "flickers");
  }
}

// A pan within the range of the vectors is known. The camera is unknown if the frame moves further
// or has no texture.
TEST(unknown_camera) {
  const test::SharedPrograms shared;
  const auto last_of = [](const std::function<Frame(int)> &frame) {
    Chain chain("glclmotion interval=0 range=16 camera-compensation=first-order-flow");
    for (int i = 0; i < 5; i++) chain.filter(reference::noisy(frame(i), 2, unsigned(i) + 1));
    Events events;
    end(chain);
    events.gather(chain);
    const auto messages = events.of("glclmotion");
    expect(messages.size() == 4, "a message for each frame but the first");
    return gst_structure_copy(messages.back());
  };
  const auto known = [](const GstStructure *message) {
    gboolean known = FALSE;
    expect(gst_structure_get_boolean(message, "camera-known", &known), "the field camera-known");
    return known != FALSE;
  };
  const auto pan = [&](double step) {
    return last_of([step](int i) { return reference::textured_frame(320, 240, {step * i, 0}); });
  };
  GstStructure *slow = pan(6), *fast = pan(70),
               *flat = last_of([](int) { return reference::flat_frame(320, 240); });
  expect(known(slow) && number(slow, "camera-confidence") > 0.5, "a slow pan is known");
  fail_unless(number(slow, "explained") > 0.9 && number(slow, "changed") > 0.1,
              "%g of %g explained", number(slow, "explained"), number(slow, "changed"));
  expect(!known(fast) && number(fast, "camera-confidence") == 0, "a fast pan is not known");
  fail_unless(number(fast, "explained") < 0.3 && number(fast, "changed") > 0.2,
              "%g of %g explained", number(fast, "explained"), number(fast, "changed"));
  expect(!known(flat) && !gst_structure_has_field(flat, "explained"), "without texture");
  for (GstStructure *message : {slow, fast, flat}) gst_structure_free(message);
}

// A hand or an arm before a plain wall has all the vectors but is not camera motion. A pan is, also
// over a skyline.
TEST(hand_in_front_of_a_wall) {
  const test::SharedPrograms shared;
  const auto camera_of = [](const std::function<Frame(int)> &frame) {
    Chain chain("glclmotion interval=0 camera-compensation=first-order-flow");
    for (int i = 0; i < 8; i++) chain.filter(reference::noisy(frame(i), 2, unsigned(i) + 1));
    Events events;
    end(chain);
    events.gather(chain);
    double path = 0, confidence = 0;
    for (const GstStructure *message : events.of("glclmotion")) {
      path = std::hypot(number(message, "camera-path-x"), number(message, "camera-path-y"));
      confidence += number(message, "camera-confidence") / 7;
    }
    return std::pair{path, confidence};
  };
  using Inside = std::function<bool(int, int, int)>;
  const auto before_a_wall = [&](double vx, double vy, const Inside &inside) {
    return camera_of([&, vx, vy](int i) {
      return reference::covered(
          reference::relit(reference::flat_frame(320, 240), 0, 170),
          reference::textured_frame(320, 240, {vx * i, vy * i}),
          [&](int x, int y) { return inside(x - int(vx) * i, y - int(vy) * i, y); });
    });
  };
  const Inside hand = [](int x, int y, int) { return std::hypot(x - 100, (y - 150) * 0.8) < 60; },
               arm = [](int x, int, int) { return x >= 90 && x < 190; },
               across = [](int, int y, int) { return y >= 60 && y < 130; };
  struct Case {
    const char *name;
    double vx, vy;
    const Inside &inside;
  };
  for (const auto &[name, vx, vy, inside] :
       {Case{"a hand", 5, 0, hand}, {"an arm", 5, 0, arm}, {"an arm across", 0, 5, across}}) {
    const auto [path, unsure] = before_a_wall(vx, vy, inside);
    fail_unless(path < 0.5 && unsure < 0.3, "%s takes the camera %g px along, sure by %g", name,
                path, unsure);
  }
  const auto [skyline, surely] = before_a_wall(5, 0, [](int, int, int y) { return y >= 160; });
  fail_unless(std::abs(skyline - 35) < 1 && surely > 0.8, "a skyline goes by %g px, sure by %g",
              skyline, surely);
  const auto [pan, sure] = camera_of([](int i) {
    return reference::textured_frame(320, 240, {5.0 * i, 0});
  });
  fail_unless(std::abs(pan - 35) < 1 && sure > 0.8, "a pan goes by %g px, sure by %g", pan, sure);
}

// camera-compensation alone reports the camera motion, of the chosen model.
TEST(camera) {
  const test::SharedPrograms shared;
  const reference::Motion turning{0, 0, 0.01, 1.008};
  for (const std::string kind : {"none", "auto", "translation", "first-order-flow"}) {
    Chain chain("glclmotion interval=0 seed=3 camera-compensation=" + kind);
    for (int n = 0; n < 2; n++)
      chain.filter(reference::textured_frame(160, 120, n ? turning : reference::Motion{}));
    Events events;
    end(chain);
    events.gather(chain);
    expect(events.of("objects").empty(), "objects are not sought");
    const GstStructure *message = events.of("glclmotion")[0];
    const bool reports = gst_structure_has_field(message, "camera-x");
    expect(reports == (kind == "translation" || kind == "first-order-flow"), kind);
    if (!reports) continue;
    const double turned = kind == "translation" ? 0 : 0.01;
    fail_unless(std::abs(number(message, "camera-rotation") - turned) < 0.001, "%s: turns by %g",
                kind.c_str(), number(message, "camera-rotation"));
    fail_unless(std::abs(number(message, "camera-dilation") - 0.8 * turned) < 0.001);
  }
}
