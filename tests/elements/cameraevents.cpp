// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of the camera that glclmotion posts, in pipelines with films made from photographs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>

#include "events.h"
#include "pipeline.h"
#include "reference/scenes.h"
#include "tests/support/result.h"

using test::Chain;
using test::Events;
using test::expect;
using test::Frame;

namespace {

constexpr int width = 240, height = 160, rate = 10;

const char *const all_events =
    R"({"events": ["ir-switch", "camera-covered", "camera-defocused", "camera-frozen"], "frozen-duration": 2})";
constexpr const char *names[] = {"ir-switch",
                                 "camera-covered-begin",
                                 "camera-covered-end",
                                 "camera-defocused-begin",
                                 "camera-defocused-end",
                                 "camera-frozen-begin",
                                 "camera-frozen-end"};

/// A picture by the time in s.
using Film = std::function<Frame(double)>;

/// Parts of photographs; empty without test data.
const std::vector<Frame> &photos() {
  static const std::vector<Frame> all = [] {
    std::vector<Frame> list;
    for (const Frame &photo : reference::pictures()) {
      // By two, so that they are sharp.
      Frame part(width + 100, height);
      for (int y = 0; y < part.height; y++)
        for (int x = 0; x < part.width; x++)
          for (int c = 0; c < 4; c++)
            part.at(x, y)[c] =
                uint8_t((photo.at(2 * x, 2 * y)[c] + photo.at(2 * x + 1, 2 * y)[c] +
                         photo.at(2 * x, 2 * y + 1)[c] + photo.at(2 * x + 1, 2 * y + 1)[c]) /
                        4);
      list.push_back(part);
    }
    return list;
  }();
  return all;
}

/// A view of a photograph, from this column on.
Frame view(size_t number, int left = 0) {
  const Frame &photo = photos()[number % photos().size()];
  Frame frame(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) std::copy_n(photo.at(x + left, y), 4, frame.at(x, y));
  return frame;
}

/// Changes all colours of a frame.
Frame changed(Frame frame, const std::function<double(double level, int x, int y)> &change) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++) {
        uint8_t &level = frame.at(x, y)[c];
        level = uint8_t(std::clamp(std::lround(change(level, x, y)), 0L, 255L));
      }
  return frame;
}
Frame lit(const Frame &frame, double light) {
  return changed(frame, [&](double level, int, int) { return level * light; });
}

/// Means of squares of this side, three times.
Frame blurred(Frame frame, int radius) {
  for (int pass = 0; pass < 6; pass++) {
    const Frame from = frame;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        for (int c = 0; c < 3; c++) {
          int sum = 0;
          for (int i = -radius; i <= radius; i++)
            sum += from.at(pass % 2 ? std::clamp(x + i, 0, width - 1) : x,
                           pass % 2 ? y : std::clamp(y + i, 0, height - 1))[c];
          frame.at(x, y)[c] = uint8_t((sum + radius) / (2 * radius + 1));
        }
  }
  return frame;
}

/// As a camera sees it by infrared light from its side: mostly red, bright in the middle.
Frame infrared(Frame frame) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      uint8_t *p = frame.at(x, y);
      const double light =
          1.5 - std::hypot(x - width / 2, y - height / 2) / std::hypot(width / 2, height / 2);
      const double level = std::min(light * (0.7 * p[0] + 0.2 * p[1] + 0.1 * p[2]) + 10, 255.0);
      std::fill_n(p, 3, uint8_t(level));
    }
  return frame;
}

/// Something plain in columns of a frame.
Frame hidden(Frame frame, double from, double to, int level) {
  for (int y = 0; y < height; y++)
    for (int x = std::max(int(from * width), 0); x < std::min(int(to * width), width); x++)
      std::fill_n(frame.at(x, y), 3, uint8_t(level));
  return frame;
}

struct Found {
  std::vector<std::string> events;
  std::vector<double> times;  // s
  std::vector<const GstStructure *> fields;
  size_t objects = 0;
};

Found found_in(const Events &events) {
  Found found;
  for (const char *name : names)
    for (const GstStructure *event : events.of(name)) {
      guint64 time = 0;
      gst_structure_get_clock_time(event, "running-time", &time);
      found.events.emplace_back(name);
      found.times.push_back(double(time) / GST_SECOND);
      found.fields.push_back(event);
    }
  found.objects = events.of("motion-begin").size();
  return found;
}

/// The noise of a camera.
Frame noisy(const Frame &frame, int number) { return reference::noisy(frame, 2, unsigned(number)); }

void play(Chain &chain, const Film &film, double seconds, bool has_noise = true) {
  for (int i = 0; i < std::lround(seconds * rate); i++) {
    const Frame frame = film(double(i) / rate);
    chain.filter(has_noise ? noisy(frame, i) : frame);
  }
}

/// The element, with frames in a format.
std::unique_ptr<Chain> chain_of(const std::string &format, const std::string &more = "detect=true",
                                const char *rules = all_events) {
  auto chain =
      Chain::plain("videoconvert ! capsfilter caps=video/x-raw,format=" + format +
                   " ! glupload ! glcolorconvert ! glclmotion name=e search=hexagon " + more +
                   " ! gldownload ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA");
  chain->framerate = rate;
  g_object_set((*chain)["e"], "rules", rules, nullptr);
  return chain;
}

/// Plays a film and checks its events, and that no object begins.
void check(const char *what, const Film &film, double seconds,
           const std::vector<std::string> &wanted, const std::string &format = "RGBA") {
  const auto made = chain_of(format);
  Chain &chain = *made;
  play(chain, film, seconds);
  test::end(chain);
  Events events;
  events.gather(chain);
  const Found found = found_in(events);
  std::string list;
  for (size_t i = 0; i < found.events.size(); i++)
    list += " " + found.events[i] + " at " + std::to_string(found.times[i]);
  fail_unless(found.events == wanted, "%s, %s:%s", what, format.c_str(), list.c_str());
  fail_unless(wanted.empty() || !found.objects, "%s, %s: %zu objects", what, format.c_str(),
              found.objects);
}

bool lacks_photos() {
  if (!photos().empty()) return false;
  std::printf("SKIP: no photographs in $GLCL_DATA\n");
  return true;
}

const std::vector<std::string> covered{"camera-covered-begin", "camera-covered-end"},
    defocused{"camera-defocused-begin", "camera-defocused-end"}, switched{"ir-switch", "ir-switch"};

}  // namespace

// A cloth before the lens, dark and bright.
TEST(covered_lens) {
  if (lacks_photos()) return;
  for (const char *format : {"RGBA", "NV12"})
    for (const int level : {20, 150}) {
      if (level == 20 && format[0] == 'R') continue;
      check(
          "covered",
          [&](double t) {
            const double part = t < 4 ? 0 : t < 4.4 ? (t - 4) / 0.4 : t < 7.5 ? 1 : 0;
            return hidden(view(1), 0, part, level);
          },
          10, covered, format);
    }
}

// A lens out of focus.
TEST(defocused_lens) {
  if (lacks_photos()) return;
  for (size_t photo = 0; photo < photos().size(); photo++)
    check(
        "out of focus",
        [&](double t) {
          const int radius = t < 4 || t >= 8 ? 0 : t < 4.4 ? 1 : t < 4.8 ? 2 : 3;
          return radius ? blurred(view(photo), radius) : view(photo);
        },
        10, defocused, photo ? "RGBA" : "I420");
}

// A camera for the night, in all kinds of formats; without colours it is nothing.
TEST(infrared_light) {
  if (lacks_photos()) return;
  const Film film = [](double t) { return t >= 3 && t < 6 ? infrared(view(2)) : view(2); };
  for (const char *format : {"RGBA", "NV12", "I420", "P010_10LE"})
    check("infrared", film, 9, switched, format);
  check("grey", film, 9, {}, "GRAY8");
}

// The field says which way, also without shadows, and for boxes of others.
TEST(fields) {
  if (lacks_photos()) return;
  for (const char *how : {"detect=true shadows=false", "rules-on=upstream"}) {
    const auto made = chain_of("NV12", how);
    Chain &chain = *made;
    play(
        chain, [](double t) { return t >= 3 && t < 6 ? infrared(view(0)) : view(0); }, 9);
    test::end(chain);
    Events events;
    events.gather(chain);
    const auto turns = events.of("ir-switch");
    expect(turns.size() == 2, "two switches");
    fail_unless(g_strcmp0(gst_structure_get_string(turns[0], "to"), "grey") == 0 &&
                g_strcmp0(gst_structure_get_string(turns[1], "to"), "colour") == 0);
  }
}

// A picture that repeats; the end of the stream ends it.
TEST(frozen_picture) {
  if (lacks_photos()) return;
  const auto made = chain_of("RGBA");
  Chain &chain = *made;
  for (int i = 0; i < 80; i++) {
    const int number = i < 20 ? i : i < 50 ? 20 : i < 55 ? i : 55;
    chain.filter(noisy(view(0), number));
  }
  test::end(chain);
  Events events;
  events.gather(chain);
  const auto begins = events.of("camera-frozen-begin"), ends = events.of("camera-frozen-end");
  fail_unless(begins.size() == 2 && ends.size() == 2, "%zu, %zu", begins.size(), ends.size());
  for (size_t i = 0; i < 2; i++) {
    guint64 begin = 0, lasted = 0, end = 0, in_all = 0;
    gst_structure_get_clock_time(begins[i], "running-time", &begin);
    gst_structure_get_uint64(begins[i], "scene-duration", &lasted);
    gst_structure_get_clock_time(ends[i], "running-time", &end);
    gst_structure_get_uint64(ends[i], "scene-duration", &in_all);
    const double from = i ? 5.6 : 2.1, to = i ? 7.9 : 5;
    fail_unless(std::fabs(double(begin) / GST_SECOND - from - 2) < 0.11 &&
                    lasted == 2 * GST_SECOND && std::fabs(double(end) / GST_SECOND - to) < 0.11 &&
                    std::fabs(double(in_all) / GST_SECOND - (to - from)) < 0.11,
                "%zu: %g s", i, double(begin) / GST_SECOND);
  }
}

// Ordinary film has none of these events.
TEST(ordinary_film) {
  if (lacks_photos()) return;
  std::mt19937 random(5);
  check("half a second",
        [](double t) {
          const double part = t < 4 || t >= 4.9 ? 0 : t < 4.2 ? (t - 4) / 0.2 : t < 4.7 ? 1 : 0.5;
          return hidden(view(1), 0, part, 40);
        },
        8, {});
  check("somebody who passes",
        [](double t) {
          const double left = t < 4 ? 2 : 1.4 - (t - 4) / 2;
          return hidden(view(1), left - 0.4, left, 60);
        },
        9, {});
  check("a fade",
        [](double t) {
          const double light = t < 4 ? 1 : t < 5 ? 5 - t : t < 7 ? 0 : std::min(t - 7, 1.0);
          return lit(view(2), light);
        },
        10, {});
  if (test::is_short()) return;
  check("cuts", [](double t) { return view(size_t(t / 2.2)); }, 9, {});
  check("a cut", [](double t) { return view(t < 4 ? 0 : 2); }, 8, {});
  check("a pan", [](double t) { return view(1, std::clamp(int(25 * (t - 4)), 0, 99)); }, 9, {});
  check("clouds",
        [](double t) {
          return changed(view(1), [&](double level, int x, int) {
            return level * (0.7 + 0.3 * std::sin(0.02 * x + 2 * t));
          });
        },
        8, {});
  check("headlights",
        [](double t) {
          return changed(lit(view(0), 0.3), [&](double level, int x, int y) {
            return level + 260 * std::exp(-std::pow((x - 60 * (t - 4)) / 40, 2) -
                                          std::pow((y - 80) / 60.0, 2));
          });
        },
        9, {});
  check("rain",
        [&](double) {
          Frame frame = view(2);
          for (int drop = 0; drop < 150; drop++) {
            const int x = int(random() % width), y = int(random() % (height - 12));
            for (int i = 0; i < 12; i++) std::fill_n(frame.at(x, y + i), 3, uint8_t(210));
          }
          return frame;
        },
        7, {});
  check(
      "noise",
      [&](double t) { return t < 4 ? view(1) : reference::noisy(view(1), 8, unsigned(random())); },
      8, {});
  check("light", [](double t) { return lit(view(1), t < 4 || t >= 7 ? 1 : 0.1); }, 9, {});
  check("a grey wall",
        [](double t) {
          Frame wall(width, height);
          for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
              std::fill_n(wall.at(x, y), 3, uint8_t(110 + x / 8));
              wall.at(x, y)[3] = 255;
            }
          return t < 4 || t >= 7 ? view(1) : wall;
        },
        9, {});
}

// An event that lasts ends with the size of frames, with a gap, and with the rule.
TEST(ends) {
  if (lacks_photos()) return;
  for (const int how : {0, 1, 2}) {
    const auto made = chain_of("RGBA");
    Chain &chain = *made;
    play(
        chain, [](double) { return view(1); }, 3, false);
    Events before;
    before.gather(chain);
    expect(before.of("camera-frozen-end").empty(), "it lasts");
    if (how == 2) g_object_set(chain["e"], "rules", "", nullptr);
    GstBuffer *buffer = chain.buffer_of(how ? view(1) : Frame(width / 2, height));
    if (how == 1) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    chain.push(buffer, how ? width : width / 2, height);
    gst_buffer_unref(chain.pull_buffer());
    chain.drain();
    Events events;
    events.gather(chain);
    fail_unless(
        before.of("camera-frozen-begin").size() + events.of("camera-frozen-begin").size() == 1 &&
            events.of("camera-frozen-end").size() == 1,
        "%d: %zu begin, %zu end", how, before.of("camera-frozen-begin").size(),
        events.of("camera-frozen-end").size());
    test::end(chain);
  }
}
