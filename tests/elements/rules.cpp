// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules of glclmotion in pipelines: an object on a known path makes events in the right frames,
// also while the camera pans.
#include <glib/gstdio.h>
#include <unistd.h>

#include <cmath>

#include "movingsquare.h"
#include "pipeline.h"
#include "reference/textured.h"
#include "tests/support/result.h"

using test::Chain;
using test::expect;
using test::Frame;
using test::height;
using test::moving_square;
using test::number;
using test::width;

namespace {

constexpr double frame_time = 40e6;  // ns

struct RuleMessage {
  std::string name, rule, direction;
  double frame, lasted, count;
};

/// The messages of rules so far.
std::vector<RuleMessage> collect(Chain &chain) {
  chain.drain();
  std::vector<RuleMessage> messages;
  while (GstStructure *message = chain.messages().structure()) {
    const std::string name = gst_structure_get_name(message);
    if (name.rfind("zone-", 0) == 0 || name == "line-cross") {
      guint64 time = 0, lasted = 0;
      gst_structure_get_clock_time(message, "running-time", &time);
      gst_structure_get_uint64(message, "zone-duration", &lasted);
      const gchar *zone = gst_structure_get_string(message, "zone"),
                  *line = gst_structure_get_string(message, "line"),
                  *direction = gst_structure_get_string(message, "direction");
      messages.push_back({name,
                          zone   ? zone
                          : line ? line
                                 : "",
                          direction ? direction : "", double(time) / frame_time,
                          double(lasted) / frame_time,
                          name == "zone-count" ? number(message, "count") : 0});
      if (name != "zone-count") {
        guint64 id = 0;
        expect(gst_structure_get_uint64(message, "id", &id) && id > 0, "the object's number");
        expect(number(message, "width") > 0 && number(message, "height") > 0, "its box");
      }
    }
    gst_structure_free(message);
  }
  return messages;
}

/// The messages of rules for a square that crosses the picture.
std::vector<RuleMessage> play(Chain &chain, double pan, int frames = 45) {
  for (int i = 0; i < frames; i++) chain.filter(moving_square(i, pan));
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  return collect(chain);
}

/// Expects one message of a name and rule, within two frames.
const RuleMessage &only(const std::vector<RuleMessage> &messages, const std::string &name,
                        const std::string &rule, double frame) {
  const RuleMessage *found = nullptr;
  int count = 0;
  std::string all;
  for (const RuleMessage &message : messages) {
    all += message.name + " " + message.rule + " in " + std::to_string(message.frame) + "; ";
    if (message.name == name && message.rule == rule) found = &message, count++;
  }
  fail_unless(count == 1 && std::fabs(found->frame - frame) <= 2, "%s %s in %g: %s", name.c_str(),
              rule.c_str(), frame, all.c_str());
  return *found;
}

const std::string zone = R"("polygon": [[0.4, 0], [0.65, 0], [0.65, 1], [0.4, 1]])";

}  // namespace

// The middle of the square is at x = 18 + 3 n; borders are passed by 2 px.
TEST(events) {
  Chain chain("glclmotion name=e detect=true");
  g_object_set(chain["e"], "rules",
               ("{\"zones\": [{\"name\": \"z\", " + zone +
                ", \"loiter\": 0.2, \"count\": 1}], \"lines\": ["
                "{\"name\": \"l\", \"from\": [0.5, 1], \"to\": [0.5, 0]},"
                "{\"name\": \"wrong way\", \"from\": [0.5, 1], \"to\": [0.5, 0], "
                "\"direction\": \"right-to-left\"}]}")
                   .c_str(),
               nullptr);
  const auto messages = play(chain, 0);
  only(messages, "zone-enter", "z", (64 + 2 - 18) / 3.0);
  only(messages, "zone-loiter", "z", (64 + 2 - 18) / 3.0 + 5);
  const RuleMessage &leave = only(messages, "zone-leave", "z", (104 + 2 - 18) / 3.0);
  expect(std::fabs(leave.lasted - 40 / 3.0) <= 2, "the time inside");
  expect(only(messages, "line-cross", "l", (80 + 2 - 18) / 3.0).direction == "left-to-right",
         "the direction");
  int counts = 0;
  for (const RuleMessage &message : messages) {
    expect(message.rule != "wrong way", "the other direction does not count");
    if (message.name == "zone-count") expect(message.count == (counts++ ? 0 : 1), "the number");
  }
  expect(counts == 2, "two changes of the number");
}

namespace {

/// Plays frames that carry a time of reference: it begins a second before 6:00 on a Monday.
std::vector<RuleMessage> play_at_six(const char *caps, guint64 epoch, const std::string &active) {
  Chain chain("glclmotion name=e detect=true");
  g_object_set(chain["e"], "rules",
               ("{\"zones\": [{\"name\": \"z\", \"polygon\": [[0, 0], [1, 0], [1, 1], [0, 1]]" +
                active + "}]}")
                   .c_str(),
               nullptr);
  GstCaps *reference = gst_caps_from_string(caps);
  const guint64 monday = G_GUINT64_CONSTANT(1704067200);  // 2024-01-01
  for (int i = 0; i < 45; i++) {
    GstBuffer *buffer = chain.buffer_of(moving_square(i, 0));
    gst_buffer_add_reference_timestamp_meta(
        buffer, reference, (epoch + monday + 6 * 3600 - 1) * GST_SECOND + guint64(i * frame_time),
        GST_CLOCK_TIME_NONE);
    chain.push(buffer, width, height);
    chain.pull();
  }
  gst_caps_unref(reference);
  return play(chain, 0, 0);
}

}  // namespace

// A zone counts by the times that frames carry; what had entered leaves when it stops.
TEST(times_of_day) {
  g_setenv("TZ", "UTC", TRUE);
  for (const auto &[caps, epoch] : {std::pair{"timestamp/x-unix", guint64(0)},
                                    {"timestamp/x-ntp", G_GUINT64_CONSTANT(2208988800)}}) {
    const auto night = play_at_six(caps, epoch, R"(, "active": ["Sun 22:00-06:00"])");
    expect(night.size() == 2, "an object enters and leaves");
    only(night, "zone-leave", "z", 25);
    const auto day = play_at_six(caps, epoch, R"(, "active": ["Mon 06:00-22:00"])");
    only(day, "zone-enter", "z", 25);
  }
}

// Without such times, those of the clock count: this minute's zone counts, another does not.
TEST(times_of_the_clock) {
  g_setenv("TZ", "UTC", TRUE);
  const gint64 minute = g_get_real_time() / 60000000 % 1440;
  const auto span = [](gint64 begin, gint64 end) {
    gchar *text = g_strdup_printf("%02d:%02d-%02d:%02d", int(begin / 60), int(begin % 60),
                                  int(end / 60), int(end % 60));
    const std::string copy = text;
    g_free(text);
    return copy;
  };
  const std::string around = span((minute + 1410) % 1440, (minute + 30) % 1440),
                    other = span((minute + 60) % 1440, (minute + 120) % 1440);
  for (const auto &[active, entered] : {std::pair{around, true}, {other, false}}) {
    Chain chain("glclmotion name=e detect=true");
    g_object_set(
        chain["e"], "rules",
        ("{\"zones\": [{\"name\": \"z\", " + zone + ", \"active\": [\"" + active + "\"]}]}")
            .c_str(),
        nullptr);
    const auto messages = play(chain, 0);
    fail_unless(messages.empty() == !entered, "%s: %zu messages", active.c_str(), messages.size());
  }
}

// The camera pans by 1 px a frame: a zone on the ground moves along, the object passes it by 2 px a
// frame.
TEST(ground) {
  Chain chain("glclmotion name=e detect=true");
  g_object_set(chain["e"], "rules",
               ("{\"zones\": [{\"name\": \"ground\", " + zone +
                ", \"anchor\": \"ground\"}, {\"name\": \"picture\", " + zone + "}]}")
                   .c_str(),
               nullptr);
  const auto messages = play(chain, 1);
  only(messages, "zone-enter", "picture", (64 + 2 - 18) / 3.0);
  only(messages, "zone-leave", "picture", (104 + 2 - 18) / 3.0);
  only(messages, "zone-enter", "ground", (64 + 2 - 18) / 2.0);
}

// Wrong rules change nothing; without messages, or without objects, there are no events.
TEST(refused) {
  Chain chain("glclmotion name=e detect=true");
  const std::string good = "{\"zones\": [{\"name\": \"z\", " + zone + "}]}";
  g_object_set(chain["e"], "rules", good.c_str(), nullptr);
  for (const char *wrong : {"{", "{\"zones\": [{\"name\": \"z\"}]}", "missing.json"}) {
    g_test_expect_message(nullptr, G_LOG_LEVEL_WARNING, "rules is ignored*");
    g_object_set(chain["e"], "rules", wrong, nullptr);
    g_test_assert_expected_messages();
    gchar *text = nullptr;
    g_object_get(chain["e"], "rules", &text, nullptr);
    fail_unless(text == good, "%s", text);
    g_free(text);
  }
  only(play(chain, 0), "zone-enter", "z", 16);
  Chain silent("glclmotion name=e detect=true post-messages=false");
  g_object_set(silent["e"], "rules", good.c_str(), nullptr);
  expect(play(silent, 0, 25).empty(), "no messages");
  Chain off("glclmotion name=e");
  g_object_set(off["e"], "rules", good.c_str(), nullptr);
  expect(play(off, 0, 25).empty(), "no objects");
}

namespace {

void write_file(const std::string &path, const std::string &text) {
  GError *error = nullptr;
  fail_unless(g_file_set_contents(path.c_str(), text.c_str(), gssize(text.size()), &error), "%s",
              error ? error->message : "");
}

/// Plays frames of the scene for longer than two checks of a file, and adds the messages.
void pass(Chain &chain, int &number, std::string &messages) {
  for (int i = 0; i < 6; i++) {
    chain.filter(moving_square(number++, 0));
    g_usleep(110000);
  }
  for (const RuleMessage &message : collect(chain))
    messages += message.name + " " + message.rule + "; ";
}

}  // namespace

// A changed file is read while playing. One that is half written, wrong or gone causes a warning
// for each reason, and the rules before stay in force.
TEST(file) {
  const std::string path = "zones-" + std::to_string(getpid()) + ".json",
                    everywhere = R"("polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}]})";
  const auto named = [&](const char *name) {
    return std::string("{\"zones\": [{\"name\": \"") + name + "\", " + everywhere;
  };
  write_file(path, named("a"));
  Chain chain("glclmotion name=e detect=true");
  g_object_set(chain["e"], "rules", path.c_str(), nullptr);
  int number = 0;
  std::string messages;
  pass(chain, number, messages);
  write_file(path, named("b"));
  pass(chain, number, messages);
  write_file(path, named("b"));  // nothing new: the object stays
  pass(chain, number, messages);
  const auto warnings = [&] {
    int count = 0;
    for (const test::Message &warning : chain.messages().warnings())
      count += warning.names(path) && warning.names("The rules before stay in force");
    return count;
  };
  expect(warnings() == 0, "no warning");
  write_file(path, named("c").substr(0, 40));
  pass(chain, number, messages);
  write_file(path, named("c").substr(0, 50));
  pass(chain, number, messages);
  fail_unless(warnings() == 1, "%d warnings", warnings());
  write_file(path, R"({"zones": [{"name": ""}]})");
  pass(chain, number, messages);
  fail_unless(warnings() == 2, "%d warnings after another mistake", warnings());
  write_file(path, named("c"));
  pass(chain, number, messages);
  g_remove(path.c_str());
  pass(chain, number, messages);
  expect(warnings() == 3, "a file that is gone causes one warning");
  fail_unless(messages == "zone-enter a; zone-leave a; zone-enter b; zone-leave b; zone-enter c; ",
              "%s", messages.c_str());
  gchar *text = nullptr;
  g_object_get(chain["e"], "rules", &text, nullptr);
  fail_unless(text == path, "%s", text);
  g_free(text);
}

// Rules change in every frame; each object that entered leaves.
TEST(changes_while_playing) {
  Chain chain("glclmotion name=e detect=true");
  for (int i = 0; i < 40; i++) {
    const std::string name = i % 8 < 4 ? "a" : "b";
    if (i % 4 == 0)
      g_object_set(
          chain["e"], "rules",
          i % 16 == 12 ? "" : ("{\"zones\": [{\"name\": \"" + name + "\", " + zone + "}]}").c_str(),
          nullptr);
    chain.filter(moving_square(i, 0));
  }
  int inside = 0, entered = 0;
  for (const RuleMessage &message : play(chain, 0, 0)) {
    inside += message.name == "zone-enter" ? 1 : -1;
    entered += message.name == "zone-enter";
    fail_unless(inside == 0 || inside == 1, "%d objects", inside);
  }
  fail_unless(inside == 0 && entered >= 2, "%d of %d entered objects left", inside, entered);
}

// Zones and lines are drawn where they are: with a panning camera, those on the ground move.
TEST(drawn) {
  const auto drawn = [](const char *display, const std::string &anchor, double pan) {
    Chain chain(std::string("glclmotion name=e detect=true color=0xffffffff post-messages=false "
                            "camera-compensation=translation display=") +
                display);
    g_object_set(chain["e"], "rules",
                 ("{\"lines\": [{\"name\": \"l\", \"from\": [0.2, 0.1], \"to\": [0.2, 0.9], "
                  "\"direction\": \"left-to-right\", \"anchor\": \"" +
                  anchor + "\"}]}")
                     .c_str(),
                 nullptr);
    for (int i = 0; i < 11; i++)
      chain.filter(reference::textured_frame(width, height, {pan * i, 0}));
    return chain.filter(reference::textured_frame(width, height, {pan * 11, 0}));
  };
  // The columns in which a row of the line is drawn.
  const auto column = [&](const std::string &anchor, double pan) {
    const Frame with = drawn("rules", anchor, pan), without = drawn("objects", anchor, pan);
    double sum = 0, count = 0;
    for (int x = 0; x < width; x++)
      if (!std::equal(with.at(x, 20), with.at(x, 20) + 3, without.at(x, 20))) sum += x, count++;
    fail_unless(count >= 2 && count < 9, "%g columns", count);
    return sum / count;
  };
  const double fixed = column("picture", 2), moved = column("ground", 2);
  fail_unless(std::fabs(fixed - 32) < 2, "in the picture it is at %g", fixed);
  // The drawing has the camera of the frame before.
  fail_unless(std::fabs(moved - (32 + 20)) < 5, "on the ground it is at %g", moved);
}
