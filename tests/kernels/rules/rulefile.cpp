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
       "min-area": 0.01, "min-duration": 1.5, "loiter": 10, "count": 3, "anchor": "ground"},
      {"name": "b", "center": [0.5, 0.5], "radius": 0.25}],
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
  expect_refused("{\"areas\": []}", "“areas” is not one of zones, lines");
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
  expect_refused(zone(square + ", \"anchor\": \"sky\""), "“sky” is not one of picture, ground");
  expect_refused(zone(square + ", \"colour\": 1"), "“colour” is not one of name, polygon");
  expect_refused(line("\"from\": [0, 0]"), "“to” is missing");
  expect_refused(line("\"from\": [0, 0], \"to\": [0, 0]"), "the same point");
  expect_refused(line("\"from\": [0, 0], \"to\": [1, 0], \"direction\": \"up\""),
                 "“up” is not one of both, left-to-right, right-to-left");
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
