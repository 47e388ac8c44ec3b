// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of glclmotion in pipelines: speed and size of objects on the ground.
#include <cmath>

#include "events.h"
#include "pipeline.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::Events;
using test::expect;
using test::Frame;
using test::number;

namespace {

constexpr int width = 160, height = 120, side = 28, foot = 78;

/// A square that moves to the right by 3 px per frame, over a picture that pans by `pan` px.
Frame scene(int number, double pan) {
  Frame frame = reference::textured_frame(width, height, {pan * number, 0});
  const Frame square = reference::textured_frame(side, side, {}, 9);
  const int left = 4 + 3 * number;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      if (left + x < width)
        for (int k = 0; k < 3; k++)
          frame.at(left + x, foot - side + y)[k] = uint8_t(square.at(x, y)[k] / 2 + 120);
  return frame;
}

/// A road of 8 m that narrows from 160 px at the lower edge to 80 px at half of the height: where
/// the square stands, at a height of 78 px, a metre has 13 px.
const char *const world =
    R"("world": {"points": [[0, 1], [1, 1], [0.75, 0.5], [0.25, 0.5]], "metres": [[0, 0], [8, 0], [8, 20], [0, 20]])";
constexpr double metre = 13, rate = 25;

/// Checks the speed in the messages of objects, and the fields of events.
void check(Chain &chain, double speed) {
  test::end(chain);
  Events events;
  events.gather(chain);
  int measured = 0;
  for (const GstStructure *message : events.of("objects")) {
    const GValueArray *list = test::values(gst_structure_get_value(message, "objects-speed")),
                      *errors =
                          test::values(gst_structure_get_value(message, "objects-speed-error")),
                      *sizes = test::values(gst_structure_get_value(message, "objects-size"));
    expect(list->n_values == errors->n_values && list->n_values == sizes->n_values, "columns");
    for (guint i = 0; i < list->n_values; i++) {
      const double found = g_value_get_double(&list->values[i]),
                   error = g_value_get_double(&errors->values[i]);
      expect((found < 0) == (error < 0), "speed and error are unknown together");
      guint64 time = 0;
      gst_structure_get_clock_time(message, "stream-time", &time);
      if (time < 1200 * GST_MSECOND || time > 1600 * GST_MSECOND) continue;
      fail_unless(std::fabs(found - speed) <= 0.05 * speed && error > 0 && error < 0.3 * speed,
                  "%g ± %g instead of %g km/h", found, error, speed);
      fail_unless(
          std::fabs(g_value_get_double(&sizes->values[i]) - side / metre) < 0.3 * side / metre,
          "%g m", g_value_get_double(&sizes->values[i]));
      measured++;
    }
  }
  fail_unless(measured >= 8, "%d speeds", measured);
  const auto leaves = events.of("zone-leave");
  expect(leaves.size() == 1, "it leaves");
  fail_unless(std::fabs(number(leaves[0], "speed") - speed) <= 0.05 * speed &&
                  number(leaves[0], "size-error") > 0,
              "%g km/h", number(leaves[0], "speed"));
  expect(events.of("zone-count").empty() ||
             !gst_structure_has_field(events.of("zone-count")[0], "speed"),
         "a number has no speed");
}

}  // namespace

// An object that crosses the road: 75 px a second are 5.8 m. Under a camera that pans along with it
// by 1 px a frame, it moves by two thirds of that over the ground.
TEST(speed) {
  for (const double pan : {0, 1}) {
    Chain chain("glclmotion name=e detect=true interval=0 attach-meta=true");
    const std::string zone =
        R"({"zones": [{"name": "z", "polygon": [[0, 0], [0.8, 0], [0.8, 1], [0, 1]], "count": 1}], )";
    g_object_set(chain["e"], "rules",
                 (zone + world + (pan > 0 ? ", \"anchor\": \"ground\"}}" : "}}")).c_str(), nullptr);
    bool attached = false;
    for (int i = 0; i < 45; i++) {
      chain.push(scene(i, pan));
      GstBuffer *out = chain.pull_buffer();
      const GstStructure *result = gst_buffer_get_glcl_result(out, "glclmotion");
      if (i > 20)
        attached |= test::values(gst_structure_get_value(result, "objects-speed"))->n_values == 1;
      gst_buffer_unref(out);
    }
    expect(attached, "the result has the speed");
    check(chain, (3 - pan) * rate / metre * 3.6);
  }
}

// Without a world there are no such fields.
TEST(no_world) {
  Chain chain("glclmotion name=e detect=true interval=0");
  g_object_set(chain["e"], "rules",
               R"({"zones": [{"name": "z", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}]})",
               nullptr);
  for (int i = 0; i < 12; i++) chain.filter(scene(i, 0));
  test::end(chain);
  Events events;
  events.gather(chain);
  expect(!events.of("zone-enter").empty(), "it enters");
  for (const char *name : {"zone-enter", "zone-leave"})
    for (const GstStructure *event : events.of(name))
      expect(!gst_structure_has_field(event, "speed"), "no speed");
  for (const GstStructure *message : events.of("objects"))
    expect(!gst_structure_has_field(message, "objects-speed"), "no speeds");
}
