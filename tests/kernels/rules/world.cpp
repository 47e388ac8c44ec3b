// SPDX-License-Identifier: LGPL-2.1-or-later
// Objects on the ground: a camera with a known place sees objects of known speed and size.
#include "rules/world.h"

#include <cmath>
#include <cstdio>
#include <random>

#include "rules/rules.h"
#include "tests/support/cases.h"

using namespace glcl::rules;

namespace {

constexpr int width = 1280, height = 720;
constexpr double focal = 1000, above = 6, tilt = 0.2;  // px, m, radians below the horizon
constexpr uint64_t frame_time = 40000000;              // ns

/// Where a camera above the origin, which looks along +y and down, sees a place on the ground.
RulePoint seen(const RulePoint &place) {
  const double forward = place.y * std::cos(tilt) + above * std::sin(tilt),
               down = above * std::cos(tilt) - place.y * std::sin(tilt);
  return {width / 2 + focal * place.x / forward, height / 2 + focal * down / forward};
}

GroundMarks marks() {
  GroundMarks marks{{}, {RulePoint{-4, 12}, {4, 12}, {4, 32}, {-4, 32}}};
  for (size_t i = 0; i < 4; i++) marks.points[i] = seen(marks.metres[i]);
  return marks;
}

std::string text_of(const std::string &rest) {
  std::string points, metres;
  const GroundMarks all = marks();
  for (size_t i = 0; i < 4; i++) {
    const char *comma = i ? ", " : "";
    char text[100];
    std::snprintf(text, sizeof text, "%s[%.6f, %.6f]", comma, all.points[i].x / width,
                  all.points[i].y / height);
    points += text;
    std::snprintf(text, sizeof text, "%s[%g, %g]", comma, all.metres[i].x, all.metres[i].y);
    metres += text;
  }
  return "{\"world\": {\"points\": [" + points + "], \"metres\": [" + metres + "]" + rest + "}}";
}

/// An object of 2 × 1.5 m at a place, with noise on the sides of its box.
template <class Noise>
RuleObject object_at(const RulePoint &place, const CameraPlace &camera, const Noise &noise) {
  const RulePoint left = seen({place.x - 1, place.y}), right = seen({place.x + 1, place.y});
  const double tall = 0.75 * (right.x - left.x);
  const std::complex<double> centre(width / 2.0, height / 2.0);
  const auto moved = [&](double x, double y) {
    return centre + camera.scale * (std::complex<double>(x, y) - centre) + camera.shift;
  };
  const std::complex<double> top = moved(left.x, left.y - tall), bottom = moved(right.x, right.y);
  return {1,
          {float(top.real() + noise()), float(top.imag() + noise()), float(bottom.real() + noise()),
           float(bottom.imag() + noise())}};
}

}  // namespace

TEST(test_map) {
  const GroundMap map(marks());
  fail_unless(map.valid());
  for (const RulePoint &place : {RulePoint{0, 20}, {-10, 60}, {3, 9}, {25, 200}}) {
    const auto found = map.at(seen(place));
    fail_unless(found && std::hypot(found->x - place.x, found->y - place.y) < 1e-6 * place.y);
  }
  // The horizon is at this height; above it there is no ground.
  const double horizon = height / 2 - focal * std::tan(tilt);
  fail_unless(map.at({100, horizon + 1}).has_value());
  fail_unless(!map.at({100, horizon}) && !map.at({100, horizon - 1}) && !map.at({640, -1e6}));
}

// Marks that show no plane.
TEST(test_degenerate) {
  const GroundMarks good = marks();
  const auto valid = [](const GroundMarks &marks) { return GroundMap(marks).valid(); };
  GroundMarks wrong = good;
  std::swap(wrong.metres[0], wrong.metres[1]);  // crosses itself
  fail_unless(!valid(wrong));
  wrong = good;
  wrong.points[1] = wrong.points[0];
  fail_unless(!valid(wrong));
  wrong = good;
  wrong.metres[2] = {0, 12};  // on the line of the first two
  fail_unless(!valid(wrong));
  wrong = good;
  for (RulePoint &point : wrong.metres) point = {};
  fail_unless(!valid(wrong));
  // From below, the ground is seen mirrored.
  wrong = good;
  for (RulePoint &point : wrong.metres) point.x = -point.x;
  fail_unless(valid(wrong));
}

// Known speeds in all directions, with boxes that are wrong by up to 1 px: the speed is right
// within 5 % and the reported error, in the picture and over the ground under a camera that moves.
TEST(test_speed_and_size) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> wrong(-1, 1);
  for (const bool ground : {false, true})
    for (const RulePoint &velocity :
         {RulePoint{8, 0}, {-3, 0}, {0, 10}, {0, -10}, {5, 5}, {-15, 5}}) {
      Rules rules(width, height);
      rules.set(read_rules(text_of(ground ? ", \"anchor\": \"ground\"" : "")));
      int measured = 0;
      for (int i = 0; i <= 37; i++) {
        CameraPlace camera;
        camera.frames = i + 1;
        if (ground)
          camera.shift = {4.0 * i, -1.0 * i}, camera.scale = std::polar(1 + 0.002 * i, 0.001 * i);
        const double t = double(i) / 25;
        const RulePoint place{velocity.x * (t - 0.75), 20 + velocity.y * (t - 0.75)};
        rules.step({object_at(place, camera, [&] { return wrong(random); })}, {}, RulePart::center,
                   camera, {uint64_t(i) * frame_time});
        const OnGround found = rules.on_ground(1).value();
        fail_unless(found.speed.known() == (i >= 5), "frame %d", i);
        fail_unless(
            std::fabs(found.size.value - 2) <= 2 * found.size.error && found.size.error < 0.4,
            "frame %d: %g ± %g m", i, found.size.value, found.size.error);
        if (i < 25) continue;
        const double speed = 3.6 * std::hypot(velocity.x, velocity.y);
        fail_unless(std::fabs(found.speed.value - speed) <= 0.05 * speed &&
                        std::fabs(found.speed.value - speed) <= 2 * found.speed.error &&
                        found.speed.error < 0.15 * speed,
                    "%d, (%g, %g), frame %d: %g ± %g instead of %g km/h", ground, velocity.x,
                    velocity.y, i, found.speed.value, found.speed.error, speed);
        measured++;
      }
      fail_unless(measured == 13);
    }
}

// Speed and size are unknown behind the horizon, and for new objects. Events report them.
TEST(test_unknown) {
  Rules rules(width, height);
  const std::string zone =
      "{\"zones\": [{\"name\": \"z\", \"polygon\": [[0, 0], [1, 0], [1, 1], [0, 1]]}], ";
  rules.set(read_rules(zone + text_of("").substr(1)));
  const RuleObject sky{1, {100, 10, 140, 40}}, road{2, {600, 500, 700, 560}};
  int events = 0;
  for (int i = 0; i < 20; i++)
    for (const RuleEvent &event :
         rules.step({sky, road}, {}, RulePart::center, {}, {uint64_t(i) * frame_time})) {
      fail_unless(event.on_ground.has_value() && !event.on_ground->speed.known() &&
                  event.on_ground->size.known() == (event.object.id == 2));
      events++;
    }
  fail_unless(events == 2, "%d", events);
  fail_unless(!rules.on_ground(1)->speed.known() && !rules.on_ground(1)->size.known());
  const Measured stands = rules.on_ground(2)->speed;
  fail_unless(stands.known() && stands.value < 0.01 && stands.error < 0.01);
  fail_unless(!rules.on_ground(3)->speed.known());
  for (const RuleEvent &event : rules.end(0))
    fail_unless(event.on_ground->size.known() == (event.object.id == 2));
  rules.set(read_rules(""));
  fail_unless(!rules.on_ground(2));
}

// Rules without times of frames have no speeds.
TEST(test_no_times) {
  Rules rules(width, height);
  rules.set(read_rules(text_of("")));
  for (int i = 0; i < 20; i++)
    rules.step({object_at({0, 20.0 + i}, {}, [] { return 0; })}, {}, RulePart::bottom, {}, {0});
  fail_unless(!rules.on_ground(1)->speed.known() && rules.on_ground(1)->size.known());
}
