// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules are read from JSON and files; wrong ones cause an error that names the place.
#include "rules/rulefile.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "opencl/error.h"
#include "tests/support/cases.h"

using glcl::Error;
using glcl::rules::read_rules;
using glcl::rules::RuleAnchor;
using glcl::rules::RuleDirection;
using glcl::rules::RulePoint;

namespace {

/// The text of the error that rules cause.
std::string refusal(const std::string &text) {
  try {
    read_rules(text);
  } catch (const Error &error) {
    fail_unless(error.kind() == Error::Kind::settings);
    return error.text();
  }
  fail("“%.200s” is accepted", text.c_str());
  return {};
}

void expect_refused(const std::string &text, const std::string &words) {
  const std::string error = refusal(text);
  fail_unless(error.find(words) != std::string::npos, "%.200s: %s", text.c_str(), error.c_str());
}

std::string zone(const std::string &fields) {
  return "{\"zones\": [{\"name\": \"a\", " + fields + "}]}";
}
std::string line(const std::string &fields) {
  return "{\"lines\": [{\"name\": \"a\", " + fields + "}]}";
}
const std::string square = "\"polygon\": [[0, 0], [1, 0], [1, 1], [0, 1]]";

}  // namespace

TEST(test_all_fields) {
  const auto rules = read_rules(R"({
    "zones": [
      {"name": "Hof \"1\"", "polygon": [[0.1, 0.2], [0.5, 0.2], [0.3, 0.9]], "inverse": true,
       "min-area": 0.01, "min-duration": 1.5, "loiter": 10, "count": 3, "sensitivity": 0.75,
       "anchor": "ground"},
      {"name": "b", "center": [0.5, 0.5], "radius": 0.25, "direction": 90, "tolerance": 20,
       "active": ["Mon-Fri 22:00-06:00", "Sat,Sun 00:00-24:00"]}],
    "lines": [
      {"name": "gate", "from": [0, 0.5], "to": [1, 0.5], "direction": "right-to-left",
       "min-area": 0.002, "anchor": "picture"}]})");
  fail_unless(rules->zones.size() == 2 && rules->lines.size() == 1);
  const auto &first = rules->zones[0], &second = rules->zones[1];
  fail_unless(first.name == "Hof \"1\"" && first.polygon.size() == 3 && first.polygon[2].y == 0.9);
  fail_unless(first.inverse && first.min_area == 0.01 && first.min_duration == 1.5 &&
              first.loiter == 10 && first.count == 3 && first.anchor == RuleAnchor::ground);
  fail_unless(second.polygon.empty() && second.center.x == 0.5 && second.radius == 0.25 &&
              !second.inverse && second.count == 0 && second.anchor == RuleAnchor::picture);
  fail_unless(first.sensitivity == 0.75 && !second.sensitivity);
  fail_unless(!first.heading && first.active.empty() && rules->has_times());
  // 90° is up, where y goes down.
  fail_unless(std::fabs(second.heading->angle + M_PI / 2) < 1e-9 &&
              std::fabs(second.heading->tolerance - M_PI / 9) < 1e-9);
  const auto &gate = rules->lines[0];
  fail_unless(gate.from.x == 0 && gate.to.x == 1 && gate.min_area == 0.002 &&
              gate.direction == RuleDirection::right_to_left);
}

TEST(test_empty) {
  for (const char *text : {"", " \n", "{}", "{\"zones\": []}"}) {
    const auto rules = read_rules(text);
    fail_unless(rules->zones.empty() && rules->lines.empty(), "%s", text);
  }
}

TEST(test_refused) {
  expect_refused("{", "can't be read");
  expect_refused("{\"zones\": [}", "can't be read");
  expect_refused("{\"areas\": []}", "“areas” is not one of zones, lines, world, events");
  expect_refused("{\"zones\": 1}", "a list in brackets");
  expect_refused("{\"zones\": [1]}", "zones 1: an object");
  expect_refused("{\"zones\": [{}]}", "“name” is missing");
  expect_refused("{\"zones\": [{\"name\": 1}]}", "a text in quotes");
  expect_refused("{\"zones\": [{\"name\": \"\"}]}", "a text in quotes");
  expect_refused(zone("\"count\": 1"), "either “polygon”, or “center”");
  expect_refused(zone(square + ", \"center\": [0, 0], \"radius\": 1"), "either “polygon”");
  expect_refused(zone("\"center\": [0, 0]"), "“radius” is missing");
  expect_refused(zone("\"center\": [0, 0], \"radius\": 0"), "a number from");
  expect_refused(zone("\"center\": [0, 0], \"radius\": -1"), "a number from");
  expect_refused(zone("\"polygon\": [[0, 0], [1, 1]]"), "3 to 1000 points");
  expect_refused(zone("\"polygon\": [[0, 0], [1, 1], [2]]"), "point 3: [x, y]");
  expect_refused(zone("\"polygon\": [[0, 0], [1, 1], [2, \"x\"]]"), "point 3: a number");
  expect_refused(zone("\"polygon\": [[0, 0], [1, 1], [2, 1e300]]"), "a number from -10 to 10");
  expect_refused(zone("\"polygon\": [[0, 0], [1, 1], [1, 0], [0, 1]]"), "its sides cross");
  expect_refused(zone("\"polygon\": [[0, 0], [0.5, 0.5], [1, 1]]"), "lie on one line");
  expect_refused(zone(square + ", \"loiter\": -1"), "zones 1, loiter: a number from 0");
  expect_refused(zone(square + ", \"loiter\": NaN"), "can't be read");
  expect_refused(zone(square + ", \"loiter\": 1e999"), "");
  expect_refused(zone(square + ", \"inverse\": 1"), "true or false");
  expect_refused(zone(square + ", \"count\": 2.5"), "a whole number");
  expect_refused(zone(square + ", \"direction\": 361"), "direction: a number from -360 to 360");
  expect_refused(zone(square + ", \"direction\": 0, \"tolerance\": 0"), "a number from 1 to 180");
  expect_refused(zone(square + ", \"sensitivity\": 1.5"), "sensitivity: a number from 0 to 1");
  expect_refused(zone(square + ", \"tolerance\": 10"), "give “direction” too");
  expect_refused(zone(square + ", \"active\": \"08:00-09:00\""), "a list of at most 100 texts");
  expect_refused(zone(square + ", \"active\": [8]"), "a list of at most 100 texts");
  expect_refused(zone(square + ", \"active\": []"), "the list is empty");
  expect_refused(zone(square + ", \"active\": [\"8-9\"]"), "“8-9” is not a time");
  expect_refused(zone(square + ", \"anchor\": \"sky\""), "“sky” is not one of picture, ground");
  expect_refused(zone(square + ", \"colour\": 1"), "“colour” is not one of name, polygon");
  expect_refused(line("\"from\": [0, 0]"), "“to” is missing");
  expect_refused(line("\"from\": [0, 0], \"to\": [0, 0]"), "the same point");
  expect_refused(line("\"from\": [0, 0], \"to\": [1, 0], \"direction\": \"up\""),
                 "“up” is not one of both, left-to-right, right-to-left");
  fail_unless(read_rules("{\"events\": [\"light-switch\"]}")->light_switch);
  expect_refused("{\"events\": [\"rain\"]}", "events: “rain” is not one of light-switch, camera");
  const auto watched =
      read_rules("{\"events\": [\"ir-switch\", \"camera-frozen\"], \"frozen-duration\": 7.5}");
  fail_unless(watched->watch.ir_switch && watched->watch.frozen && !watched->watch.covered &&
              !watched->watch.defocused && watched->watch.frozen_seconds == 7.5 &&
              !watched->empty() && !watched->needs_camera());
  fail_unless(read_rules("{\"events\": [\"camera-covered\"]}")->watch.covered &&
              read_rules("{\"events\": [\"camera-defocused\"]}")->watch.defocused &&
              !read_rules("{\"events\": [\"camera-moved\"]}")->watch.any());
  expect_refused("{\"events\": [\"camera-frozen\"], \"frozen-duration\": 0}",
                 "frozen-duration: a number from 0.2 to 86400");
  expect_refused("{\"frozen-duration\": 5}", "give “camera-frozen” in “events” too");
  expect_refused("{\"events\": \"light-switch\"}", "a list of at most 100 texts");
  const auto world = [](const std::string &fields) { return "{\"world\": {" + fields + "}}"; };
  const std::string points = "\"points\": [[0, 1], [1, 1], [0.6, 0.5], [0.4, 0.5]]",
                    metres = "\"metres\": [[0, 0], [4, 0], [4, 20], [0, 20]]";
  read_rules(world(points + ", " + metres + ", \"anchor\": \"ground\""));
  expect_refused(world(points), "“metres” is missing");
  expect_refused(world(metres), "“points” is missing");
  expect_refused(world("\"points\": [[0, 1]], " + metres), "4 points are expected");
  expect_refused(world(points + ", \"metres\": [[0, 0], [4, 0], [4, 20], [0]]"),
                 "point 4: [x, y] is expected, in metres");
  expect_refused(world(points + ", \"metres\": [[0, 0], [4, 0], [4, 20], [0, 1e6]]"), "a number");
  expect_refused(world(points + ", \"metres\": [[0, 0], [4, 0], [8, 0], [0, 20]]"),
                 "no three of them on one line");
  expect_refused(world(points + ", \"metres\": [[0, 0], [4, 20], [4, 0], [0, 20]]"),
                 "the four points do not show a plane");
  const std::string one = "{\"name\": \"a\", " + square + "}";
  expect_refused("{\"zones\": [" + one + ", " + one + "]}", "Names must differ");
  expect_refused("/does/not/exist.json", "can't be opened");
  expect_refused("zones", "can't be opened");
  expect_refused(std::string(1 << 21, '{'), "");
  expect_refused(zone("\"polygon\": " + std::string(100000, '[')), "nested more than");
  std::string many = "[0, 0]";
  for (int i = 0; i < 10000; i++) many += ", [" + std::to_string(i / 1e4) + ", 1]";
  expect_refused(zone("\"polygon\": [" + many + "]"), "3 to 1000 points");
}

TEST(test_active_times) {
  using glcl::rules::ActiveTimes;
  for (const char *wrong :
       {"", "08:00", "08:00-", "8:00-9:00", "08:00-08:00", "24:00-24:00", "24:01-01:00",
        "08:60-09:00", "08:00-09:00 ", "08:00 - 09:00", "Mon", "Mon 08:00", "Mo 08:00-09:00",
        "Mon- 08:00-09:00", "Mon, 08:00-09:00", "mon 08:00-09:00", "Mon08:00-09:00"})
    fail_unless(!ActiveTimes().add(wrong), "“%s” is accepted", wrong);
  // Hours of the week in which a text is true.
  const auto hours = [](const char *text) {
    ActiveTimes times;
    fail_unless(times.add(text), "%s", text);
    std::string list;
    for (int hour = 0; hour < 7 * 24; hour++)
      if (times.contain(hour * 3600) && times.contain(hour * 3600 + 3599))
        list += std::to_string(hour / 24) + ":" + std::to_string(hour % 24) + " ";
    return list;
  };
  fail_unless(hours("Wed 22:00-24:00") == "2:22 2:23 ");
  fail_unless(hours("Wed 23:00-01:00") == "2:23 3:0 ");
  fail_unless(hours("Sun 23:00-01:00") == "0:0 6:23 ", "%s", hours("Sun 23:00-01:00").c_str());
  fail_unless(hours("Sat-Mon 05:00-06:00") == "0:5 5:5 6:5 ");
  fail_unless(hours("Mon,Fri-Sat 05:00-06:00") == "0:5 4:5 5:5 ");
  fail_unless(hours("11:00-12:00") == "0:11 1:11 2:11 3:11 4:11 5:11 6:11 ");
  fail_unless(hours("00:00-24:00").size() == hours("01:00-00:00").size() + 7 * 4);
  ActiveTimes half;
  fail_unless(half.add("08:30-08:31") && !half.contain(8 * 3600 + 1799) &&
              half.contain(8 * 3600 + 1800) && !half.contain(8 * 3600 + 1860));
  setenv("TZ", "UTC-2", 1);  // two hours east
  tzset();
  // 1970 began on a Thursday.
  fail_unless(glcl::rules::second_of_week(uint64_t(1500000000)) == (3 * 24 + 2) * 3600 + 1);
}

TEST(test_file) {
  const std::string path = "rules-" + std::to_string(getpid()) + ".json";
  FILE *file = std::fopen(path.c_str(), "wb");
  std::fputs(zone(square).c_str(), file);
  std::fclose(file);
  fail_unless(read_rules(path)->zones.size() == 1);
  fail_unless(truncate(path.c_str(), 20) == 0);
  expect_refused(path, "can't be read");
  std::remove(path.c_str());
  expect_refused(path, "can't be opened");
  expect_refused("/", "");
}

TEST(test_geometry) {
  using namespace glcl::rules;
  const std::vector<RulePoint> notch{{0, 0}, {10, 0}, {10, 10}, {5, 5}, {0, 10}};
  const auto near = [](double value, double wanted) { return std::fabs(value - wanted) < 1e-9; };
  fail_unless(near(depth_in(notch, {5, 1}), 1) && near(depth_in(notch, {5, -2}), -2));
  fail_unless(near(depth_in(notch, {5, 7}), -std::sqrt(2.0)) && near(depth_in(notch, {1, 5}), 1));
  fail_unless(near(depth_in(notch, {13, 14}), -5));
  fail_unless(near(area_of(notch), 75) && !crosses_itself(notch));
  fail_unless(near(right_of({0, 0}, {2, 0}, {1, 3}), 3) &&
              near(right_of({2, 0}, {0, 0}, {1, 3}), -3));
  fail_unless(segments_meet({0, 0}, {2, 2}, {0, 2}, {2, 0}) &&
              !segments_meet({0, 0}, {1, 1}, {2, 0}, {0, 3}) &&
              segments_meet({0, 0}, {1, 0}, {1, 0}, {1, 1}) &&
              !segments_meet({0, 0}, {1, 0}, {2, 0}, {3, 0}));
}
