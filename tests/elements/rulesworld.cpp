// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of glclmotion in pipelines: speed and size of objects on the ground, and boxes of other
// elements.
#include <gst/video/video.h>

#include <algorithm>
#include <cmath>

#include "config.h"
#if HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include "events.h"
#include "movingsquare.h"
#include "pipeline.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::Events;
using test::expect;
using test::Frame;
using test::height;
using test::moving_square;
using test::number;
using test::side;
using test::width;

namespace {

constexpr int foot = 78;  // the lower edge of the square, px

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
  for (const double pan : {1, 0}) {
    if (pan == 0 && test::is_short()) continue;
    Chain chain("glclmotion name=e detect=true interval=0 attach-meta=true");
    const std::string zone =
        R"({"zones": [{"name": "z", "polygon": [[0, 0], [0.8, 0], [0.8, 1], [0, 1]], "count": 1}], )";
    g_object_set(chain["e"], "rules",
                 (zone + world + (pan > 0 ? ", \"anchor\": \"ground\"}}" : "}}")).c_str(), nullptr);
    bool attached = false;
    for (int i = 0; i < 45; i++) {
      chain.push(moving_square(i, pan));
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
  for (int i = 0; i < 12; i++) chain.filter(moving_square(i, 0));
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

namespace {

enum class Kind { numbered, plain, renumbered, detection };

/// Attaches a box to a frame.
void attach(GstBuffer *buffer, Kind kind, int number, int left) {
#if HAVE_ANALYTICS
  if (kind == Kind::detection) {
    GstAnalyticsRelationMeta *meta = gst_buffer_add_analytics_relation_meta(buffer);
    GstAnalyticsODMtd detection;
    GstAnalyticsTrackingMtd tracking;
    gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string("person"), left, foot - side,
                                           side, side, 1, &detection);
    gst_analytics_relation_meta_add_tracking_mtd(meta, 17, 0, &tracking);
    gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id,
                                             tracking.id);
    return;
  }
#endif
  GstVideoRegionOfInterestMeta *meta = gst_buffer_add_video_region_of_interest_meta(
      buffer, "person", guint(left), foot - side, side, side);
  meta->id = kind == Kind::numbered ? 17 : kind == Kind::renumbered ? 100 + number : 0;
}

/// Boxes that frames get after glupload.
struct Boxes {
  Kind kind;
  int left, step;  // px, px per frame
  int number = 0;

  void add_to(GstElement *element) {
    GstPad *pad = gst_element_get_static_pad(element, "sink");
    const auto probe = [](GstPad *, GstPadProbeInfo *info, gpointer data) {
      auto *boxes = static_cast<Boxes *>(data);
      GstBuffer *frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
      GST_PAD_PROBE_INFO_DATA(info) = frame;
      attach(frame, boxes->kind, boxes->number, boxes->left + boxes->step * boxes->number);
      boxes->number++;
      return GST_PAD_PROBE_OK;
    };
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, probe, this, nullptr);
    gst_object_unref(pad);
  }
};

/// The number of the frame of the only event of this name for a zone.
double frame_of(const Events &events, const char *name, const std::string &zone) {
  std::vector<double> frames;
  for (const GstStructure *event : events.of(name)) {
    guint64 time = 0;
    gst_structure_get_clock_time(event, "running-time", &time);
    if (zone == gst_structure_get_string(event, "zone"))
      frames.push_back(double(time) * rate / GST_SECOND);
  }
  fail_unless(frames.size() == 1, "%zu %s of %s", frames.size(), name, zone.c_str());
  return frames[0];
}

const char *const two_zones =
    R"({"zones": [{"name": "ground", "polygon": [[0.4, 0], [0.65, 0], [0.65, 1], [0.4, 1]], "anchor": "ground"},
                  {"name": "picture", "polygon": [[0.4, 0], [0.65, 0], [0.65, 1], [0.4, 1]]}]})";

}  // namespace

// Boxes of others get zones, also under a camera that pans, and without detection.
TEST(upstream) {
  std::vector<Kind> kinds{Kind::numbered, Kind::plain, Kind::renumbered};
  if (HAVE_ANALYTICS) kinds.push_back(Kind::detection);
  if (test::is_short()) kinds.resize(1);
  for (const Kind kind : kinds) {
    Chain chain("glclmotion name=e rules-on=upstream");
    g_object_set(chain["e"], "rules", two_zones, nullptr);
    Boxes boxes{kind, 4, 3};
    boxes.add_to(chain["e"]);
    for (int i = 0; i < 45; i++)
      chain.filter(reference::textured_frame(width, height, {double(i), 0}));
    test::end(chain);
    Events events;
    events.gather(chain);
    // The middle of the box is at 18 + 3 n, the borders at 64 and 104; the ground follows by n.
    const double enters = (64 + 2 - 18) / 3.0, leaves = (104 + 2 - 18) / 3.0;
    fail_unless(std::fabs(frame_of(events, "zone-enter", "picture") - enters) <= 1);
    fail_unless(std::fabs(frame_of(events, "zone-leave", "picture") - leaves) <= 1);
    fail_unless(std::fabs(frame_of(events, "zone-enter", "ground") - enters * 1.5) <= 2);
    const GstStructure *event = events.of("zone-enter")[0];
    guint64 id = 0;
    gst_structure_get_uint64(event, "id", &id);
    const bool numbered = kind == Kind::numbered || kind == Kind::detection;
    fail_unless(id == (numbered                   ? 17
                       : kind == Kind::renumbered ? 100
                                                  : (guint64(1) << 32) + 1),
                "%" G_GUINT64_FORMAT, id);
    fail_unless(g_strcmp0(gst_structure_get_string(event, "type"), "person") == 0);
    expect(events.of("motion-begin").empty() && events.of("objects").empty(), "no own objects");
  }
}

// A box that comes in from the left of the frame, or from above it, counts.
TEST(outside_of_frame) {
  Chain chain("glclmotion name=e rules-on=upstream");
  g_object_set(chain["e"], "rules",
               R"({"zones": [{"name": "z", "polygon": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]}]})",
               nullptr);
  Boxes boxes{Kind::numbered, -62, 3};
  boxes.add_to(chain["e"]);
  for (int i = 0; i < 30; i++) chain.filter(reference::textured_frame(width, height));
  test::end(chain);
  Events events;
  events.gather(chain);
  fail_unless(std::fabs(frame_of(events, "zone-enter", "z") - (2 + 62 - 14) / 3.0) <= 1);
}

// glupload drops boxes; they are found again, unless something in between may scale frames.
TEST(before_upload) {
  for (const bool scales : {false, true}) {
    Chain chain(std::string("glclinvert ! queue ! ") + (scales ? "glcolorscale ! " : "") +
                "glclmotion name=e rules-on=upstream");
    g_object_set(chain["e"], "rules", two_zones, nullptr);
    for (int i = 0; i < 45; i++) {
      GstBuffer *buffer = chain.buffer_of(reference::textured_frame(width, height));
      attach(buffer, Kind::numbered, i, 4 + 3 * i);
      chain.push(buffer, width, height);
      gst_buffer_unref(chain.pull_buffer());
    }
    test::end(chain);
    chain.drain();
    Events events;
    events.gather(chain);
    fail_unless(events.of("zone-enter").size() == (scales ? 0 : 2));
    if (scales) continue;
    fail_unless(std::fabs(frame_of(events, "zone-enter", "picture") - (64 + 2 - 18) / 3.0) <= 1);
    fail_unless(std::fabs(frame_of(events, "zone-leave", "picture") - (104 + 2 - 18) / 3.0) <= 1);
  }
}

// A glupload that replaces another one while playing is found.
TEST(replaced_upload) {
  const auto chain = Chain::plain(
      "identity name=before ! glupload name=old ! glcolorconvert name=after ! "
      "glclmotion name=e rules-on=upstream ! gldownload");
  g_object_set((*chain)["e"], "rules", two_zones, nullptr);
  GstElement *before = (*chain)["before"], *after = (*chain)["after"];
  for (int i = 0; i < 45; i++) {
    if (i == 5) {
      GstElement *old = (*chain)["old"], *fresh = gst_element_factory_make("glupload", nullptr);
      gst_element_unlink_many(before, old, after, nullptr);
      gst_element_set_state(old, GST_STATE_NULL);
      gst_bin_remove(GST_BIN(chain->bin()), old);
      gst_bin_add(GST_BIN(chain->bin()), fresh);
      expect(gst_element_link_many(before, fresh, after, nullptr), "it is linked");
      gst_element_sync_state_with_parent(fresh);
    }
    GstBuffer *buffer = chain->buffer_of(reference::textured_frame(width, height));
    attach(buffer, Kind::numbered, i, 4 + 3 * i);
    chain->push(buffer, width, height);
    gst_buffer_unref(chain->pull_buffer());
  }
  test::end(*chain);
  Events events;
  events.gather(*chain);
  fail_unless(std::fabs(frame_of(events, "zone-enter", "picture") - (64 + 2 - 18) / 3.0) <= 1);
}

// An object that enters in a frame without a timestamp has stayed since then.
TEST(no_timestamp) {
  Chain chain("glclmotion name=e rules-on=upstream");
  g_object_set(chain["e"], "rules",
               R"({"zones": [{"name": "z", "polygon": [[0.4, 0], [0.65, 0], [0.65, 1], [0.4, 1]],
                              "loiter": 0.3}]})",
               nullptr);
  Boxes boxes{Kind::numbered, 4, 3};
  boxes.add_to(chain["e"]);
  for (int i = 0; i < 30; i++) {
    GstBuffer *buffer = chain.buffer_of(reference::textured_frame(width, height));
    if (i >= 15 && i <= 17) GST_BUFFER_PTS(buffer) = GST_CLOCK_TIME_NONE;
    chain.push(buffer, width, height);
    gst_buffer_unref(chain.pull_buffer());
  }
  test::end(chain);
  Events events;
  events.gather(chain);
  fail_unless(std::fabs(frame_of(events, "zone-loiter", "z") - (14 + 0.3 * rate)) <= 1);
}

// The object that rules apply to changes while playing: what had entered leaves.
TEST(changed_source) {
  Chain chain("glclmotion name=e detect=true camera-compensation=none");
  g_object_set(chain["e"], "rules",
               R"({"zones": [{"name": "z", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}]})",
               nullptr);
  Boxes boxes{Kind::numbered, 50, 0};
  boxes.add_to(chain["e"]);
  for (int i = 0; i < 40; i++) {
    if (i == 16) gst_util_set_object_arg(G_OBJECT(chain["e"]), "rules-on", "upstream");
    if (i == 28) gst_util_set_object_arg(G_OBJECT(chain["e"]), "rules-on", "own");
    chain.filter(moving_square(i, 0));
  }
  test::end(chain);
  Events events;
  events.gather(chain);
  std::string order;
  const auto enters = events.of("zone-enter"), leaves = events.of("zone-leave");
  fail_unless(enters.size() == 3 && leaves.size() == 3, "%zu enter, %zu leave", enters.size(),
              leaves.size());
  for (size_t i = 0; i < 3; i++) {
    guint64 in = 0, out = 0, time = 0;
    gst_structure_get_uint64(enters[i], "id", &in);
    gst_structure_get_uint64(leaves[i], "id", &out);
    gst_structure_get_clock_time(leaves[i], "running-time", &time);
    fail_unless(in == out && (in == 17) == (i == 1));
    if (i < 2) fail_unless(std::fabs(double(time) * rate / GST_SECOND - (i ? 28 : 16)) < 0.5);
  }
}

namespace {

/// The number of objects that are found while a square that differs by `contrast` levels crosses
/// the picture from left to right.
size_t found_faint(int contrast, const std::string &settings, const std::string &rules) {
  Chain chain("glclmotion name=e detect=true camera-compensation=none " + settings);
  g_object_set(chain["e"], "rules", rules.c_str(), nullptr);
  for (int i = 0; i < 40; i++) {
    Frame frame(width, height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const int left = 4 + 3 * i;
        const bool in = x >= left && x < left + side && y >= foot - side && y < foot;
        for (int k = 0; k < 3; k++) frame.at(x, y)[k] = uint8_t(100 + (in ? contrast : 0));
        frame.at(x, y)[3] = 255;
      }
    chain.filter(reference::noisy(frame, 4, unsigned(i)));
  }
  test::end(chain);
  Events events;
  events.gather(chain);
  return events.of("motion-begin").size();
}

}  // namespace

// A zone has a sensitivity of its own: there, fainter objects are found, or only clearer ones.
TEST(zone_sensitivity) {
  const auto zone = [](const std::string &rest) {
    return "{\"zones\": [{\"name\": \"z\", " + rest + "}]}";
  };
  const std::string path = R"("polygon": [[0, 0.3], [1, 0.3], [1, 0.8], [0, 0.8]])",
                    above = R"("polygon": [[0, 0], [1, 0], [1, 0.2], [0, 0.2]])";
  expect(found_faint(10, "", zone(path)) == 0, "it is too faint");
  expect(found_faint(10, "", zone(path + R"(, "sensitivity": 1)")) > 0, "found in the zone");
  if (test::is_short()) return;
  expect(found_faint(10, "", zone(above + R"(, "sensitivity": 1)")) == 0, "not below the zone");
  expect(found_faint(10, "", zone(above + R"(, "sensitivity": 1, "inverse": true)")) > 0,
         "found in the rest");
  expect(found_faint(18, "", zone(above + R"(, "sensitivity": 0)")) > 0, "clear enough");
  expect(found_faint(18, "", zone(path + R"(, "sensitivity": 0)")) == 0, "not in the zone");
  expect(found_faint(10, "sensitivity=1", zone(path + R"(, "sensitivity": 0.5)")) == 0,
         "the zone's counts");
}

namespace {

/// A camera that stands, pans by 20 px, and stands; then the light changes by a factor.
void play_scene(Chain &chain, double factor) {
  for (int i = 0; i < 95; i++) {
    const double shift = i < 30 ? 0 : i < 40 ? 2 * (i - 30) : 20;
    Frame frame = reference::textured_frame(width, height, {shift, 0});
    for (size_t k = 0; i >= 80 && k < frame.rgba.size(); k++)
      if (k % 4 != 3) frame.rgba[k] = uint8_t(std::min(255.0, frame.rgba[k] * factor));
    chain.filter(reference::noisy(frame, 1, unsigned(i)));
  }
  test::end(chain);
}

}  // namespace

// The light is switched, and the camera is moved; neither is an object.
TEST(scene_events) {
  for (const double factor : {0.3, 0.95, 1.4})
    for (const bool wanted : {true, false}) {
      if (test::is_short() && !(wanted && factor == 0.3)) continue;
      Chain chain("glclmotion name=e detect=true");
      if (wanted)
        g_object_set(chain["e"], "rules", R"({"events": ["light-switch", "camera-moved"]})",
                     nullptr);
      play_scene(chain, factor);
      Events events;
      events.gather(chain);
      const auto lights = events.of("light-switch"), moves = events.of("camera-moved");
      expect(events.of("motion-begin").empty(), "no object");
      fail_unless(lights.size() == (wanted && factor != 0.95) && moves.size() == wanted,
                  "%g: %zu, %zu", factor, lights.size(), moves.size());
      const auto frame_of = [](const GstStructure *event) {
        guint64 time = 0;
        gst_structure_get_clock_time(event, "running-time", &time);
        return double(time) * rate / GST_SECOND;
      };
      for (const GstStructure *light : lights) {
        const double change = 128 * (factor - 1);
        fail_unless(std::fabs(frame_of(light) - 80) < 1.5 &&
                        std::fabs(number(light, "change") - change) < 6,
                    "frame %g: %g", frame_of(light), number(light, "change"));
      }
      for (const GstStructure *move : moves)
        fail_unless(
            std::fabs(frame_of(move) - 65) <= 2 && std::fabs(number(move, "shift-x") - 20) < 1 &&
            std::fabs(number(move, "shift-y")) < 1 && std::fabs(number(move, "scale") - 1) < 0.01 &&
            std::fabs(number(move, "rotation")) < 0.01);
    }
}

// A camera that moves by a quarter of a pixel per frame, over a scene that is mostly plain, has
// moved. Soft shadows that pass meanwhile and afterwards do not move it.
TEST(slow_move_under_clouds) {
  Chain chain("glclmotion name=e detect=true");
  g_object_set(chain["e"], "rules", R"({"events": ["camera-moved"]})", nullptr);
  constexpr int begins = 30, steps = 80;
  for (int i = 0; i < begins + steps + 150; i++) {
    const double shift = 0.25 * std::clamp(i - begins, 0, steps), cloud = 6 * (i % 50) - 60;
    Frame frame = reference::textured_frame(width, height, {shift, 0});
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const double lit = 1 - 0.3 / (1 + std::exp((std::hypot(x - cloud, y - 70) - 40) / 8));
        for (int c = 0; c < 3; c++) {
          uint8_t &level = frame.at(x, y)[c];
          level = uint8_t(std::lround(lit * (x < 0.4 * width ? level : 150)));
        }
      }
    chain.filter(reference::noisy(frame, 1, unsigned(i)));
  }
  test::end(chain);
  Events events;
  events.gather(chain);
  const auto moves = events.of("camera-moved");
  fail_unless(moves.size() == 1, "%zu moves", moves.size());
  fail_unless(std::fabs(number(moves[0], "shift-x") - 0.25 * steps) < 2 &&
                  std::fabs(number(moves[0], "shift-y")) < 2,
              "(%g, %g)", number(moves[0], "shift-x"), number(moves[0], "shift-y"));
}

// With rules-on=upstream they need no detection, no boxes and no zones.
TEST(scene_events_upstream) {
  Chain chain("glclmotion name=e rules-on=upstream");
  g_object_set(chain["e"], "rules", R"({"events": ["light-switch", "camera-moved"]})", nullptr);
  play_scene(chain, 0.3);
  Events events;
  events.gather(chain);
  fail_unless(events.of("light-switch").size() == 1 && events.of("camera-moved").size() == 1,
              "%zu, %zu", events.of("light-switch").size(), events.of("camera-moved").size());
}
