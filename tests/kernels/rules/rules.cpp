// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules make the right events of objects on known paths.
#include "rules/rules.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "tests/support/cases.h"

using glcl::RectF;
using glcl::rules::CameraPlace;
using glcl::rules::read_rules;
using glcl::rules::RuleEvent;
using glcl::rules::RuleObject;
using glcl::rules::RulePart;
using glcl::rules::Rules;
using Kind = RuleEvent::Kind;

namespace {

constexpr int width = 400, height = 200;
constexpr uint64_t frame_time = 40000000;  // ns

/// An object of 20 × 10 px whose lower edge has its middle here.
RuleObject at(uint64_t id, double x, double y) {
  const auto left = static_cast<float>(x - 10), bottom = static_cast<float>(y);
  return {id, {left, bottom - 10, left + 20, bottom}};
}

/// Frames of a stream, and a line of text for each event.
class Story {
 public:
  explicit Story(const std::string &text, RulePart part = RulePart::bottom) : part_(part) {
    set(text);
  }
  void set(const std::string &text) { rules_.set(read_rules(text)); }
  Story &frame(const std::vector<RuleObject> &objects, const CameraPlace &camera = {},
               const std::vector<RuleObject> &ended = {}) {
    CameraPlace place = camera;
    if (!place.frames) place.frames = frame_ + 1;
    write(rules_.step(objects, ended, part_, place, {frame_ * frame_time, second_of_week}));
    frame_++;
    return *this;
  }
  Story &end() {
    write(rules_.end(frame_ * frame_time));
    return *this;
  }
  int second_of_week = 0;
  void expect(const std::string &wanted) {
    fail_unless(text_ == wanted, "%s, expected %s", text_.c_str(), wanted.c_str());
    text_.clear();
  }

 private:
  void write(const std::vector<RuleEvent> &events) {
    static const char *const names[] = {"enter", "leave", "loiter", "count", "cross"};
    for (const RuleEvent &event : events) {
      char line[100];
      std::snprintf(line, sizeof line, "%d %s %s", frame_, names[int(event.kind)],
                    event.rule.c_str());
      text_ += line;
      if (event.kind == Kind::count) text_ += " " + std::to_string(event.count);
      if (event.kind != Kind::count) text_ += " #" + std::to_string(event.object.id);
      if (event.kind == Kind::leave || event.kind == Kind::loiter)
        text_ += " after " + std::to_string(event.lasted / frame_time);
      if (event.kind == Kind::cross) text_ += event.left_to_right ? " right" : " left";
      text_ += "; ";
    }
  }

  Rules rules_{width, height};
  RulePart part_;
  int frame_ = 0;
  std::string text_;
};

const std::string middle =
    R"({"zones": [{"name": "z", "polygon": [[0.25, 0], [0.75, 0], [0.75, 1], [0.25, 1]])";

}  // namespace

// An object enters and leaves once it is 2 px past the border.
TEST(test_enter_and_leave) {
  Story story(middle + "}]}");
  for (int i = 0; i <= 40; i++) story.frame({at(1, 10 * i, 100)});
  // Inside from x = 103 to 298: frames 11 to 30.
  story.expect("11 enter z #1; 31 leave z #1 after 20; ");
}

// At the border, an object makes one event.
TEST(test_hysteresis) {
  Story story(middle + "}]}");
  for (int i = 0; i < 20; i++) story.frame({at(1, i % 2 ? 99 : 101, 100)});
  story.expect("");
  story.frame({at(1, 103, 100)});
  for (int i = 0; i < 20; i++) story.frame({at(1, i % 2 ? 99 : 101, 100)});
  story.expect("20 enter z #1; ");
  story.frame({at(1, 97, 100)});
  story.expect("41 leave z #1 after 21; ");
}

// Every object that entered leaves, also if it ends, or if the rules change.
TEST(test_ends) {
  Story story(middle + "}]}");
  story.frame({at(1, 200, 100), at(2, 200, 50)}).frame({at(1, 200, 100)}).frame({at(1, 200, 100)});
  story.expect("0 enter z #1; 0 enter z #2; ");  // a gap is no end
  story.frame({at(1, 200, 100)}, {}, {at(2, 200, 50)});
  story.expect("3 leave z #2 after 3; ");
  story.set(R"({"zones": [{"name": "y", "center": [0.5, 0.5], "radius": 0.1}]})");
  story.frame({at(1, 200, 100)});
  story.expect("4 leave z #1 after 3; 4 enter y #1; ");
  story.end();
  story.expect("5 leave y #1 after 1; ");
}

TEST(test_durations) {
  Story story(middle + R"(, "min-duration": 0.2, "loiter": 0.4}]})");
  for (int i = 0; i < 4; i++) story.frame({at(1, 200, 100)});
  story.frame({at(1, 50, 100)});
  story.expect("");  // too short
  for (int i = 0; i < 20; i++) story.frame({at(1, 200, 100)});
  story.frame({at(1, 50, 100)});
  story.expect("10 enter z #1; 15 loiter z #1 after 10; 25 leave z #1 after 20; ");
}

// After a time that goes back, an object has stayed since then.
TEST(test_time_goes_back) {
  Rules rules(width, height);
  rules.set(read_rules(middle + R"(, "loiter": 1}]})"));
  int events = 0;
  for (const uint64_t now : {uint64_t(1000) * frame_time, uint64_t(0), frame_time})
    for (const RuleEvent &event : rules.step({at(1, 200, 100)}, {}, RulePart::bottom, {}, {now})) {
      fail_unless(event.kind == Kind::enter, "event %d", int(event.kind));
      events++;
    }
  const auto later = rules.step({at(1, 200, 100)}, {}, RulePart::bottom, {}, {25 * frame_time});
  fail_unless(later.size() == 1 && later[0].kind == Kind::loiter);
  fail_unless(later[0].lasted == 25 * frame_time);
  fail_unless(events == 1 && rules.end(0).at(0).lasted == 0);
}

// An object counts while it moves down the screen: not to the right, not while it stands.
TEST(test_direction) {
  Story story(middle + R"(, "direction": -90, "tolerance": 30}]})");
  for (int i = 0; i < 20; i++) story.frame({at(1, 120 + 3 * i, 50)});
  story.expect("");
  // In 12 frames, half a second, to the right by 18 px and down by 28 px, then by 15 px and 32 px.
  for (int i = 1; i <= 20; i++) story.frame({at(1, 180, 50 + 4 * i)});
  story.expect("27 enter z #1; ");
  for (int i = 0; i < 20; i++) story.frame({at(1, 180, 130)});
  // Half of the margin of 2 px within half a second is the least motion: the last step of 4 px was
  // in frame 39.
  story.expect("51 leave z #1 after 24; ");
  story.frame({at(2, 200, 50)}).frame({at(2, 200, 53)});
  story.expect("61 enter z #2; ");
  story.frame({at(2, 201, 20)});
  story.expect("62 leave z #2 after 1; ");
}

// Frames without times have directions too; after a time that goes back, the path begins again.
TEST(test_direction_without_times) {
  Rules rules(width, height);
  rules.set(read_rules(middle + R"(, "direction": 0}]})"));
  int entered = 0;
  for (int i = 0; i < 5; i++)
    for (const RuleEvent &event : rules.step({at(1, 200 + i, 100)}, {}, RulePart::bottom, {}, {0}))
      entered += event.kind == Kind::enter;
  fail_unless(entered == 1, "%d", entered);
  rules.end(0);
  fail_unless(rules.step({at(2, 200, 100)}, {}, RulePart::bottom, {}, {frame_time}).empty());
  fail_unless(rules.step({at(2, 220, 100)}, {}, RulePart::bottom, {}, {0}).empty());
}

// On the ground, the direction is that of the motion over the ground: this object stays in the
// picture while the camera pans to the right.
TEST(test_direction_on_the_ground) {
  const std::string rest = R"(, "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]], "direction": 0)";
  Story story("{\"zones\": [{\"name\": \"ground\"" + rest +
              ", \"anchor\": \"ground\"}, {\"name\": \"picture\"" + rest + "}]}");
  for (int i = 0; i < 6; i++) {
    CameraPlace camera;
    camera.shift = {-3.0 * i, 0};
    camera.frames = i + 1;
    story.frame({at(1, 200, 100)}, camera);
  }
  story.expect("1 enter ground #1; ");
}

// An object that had entered leaves when the zone's time is over.
TEST(test_active) {
  Story story(middle + R"(, "count": 1, "active": ["Mon 22:00-06:00"]}]})");
  const int hour = 3600;
  const auto in = [&](int second) {
    story.second_of_week = second;
    story.frame({at(1, 200, 100)});
  };
  in(22 * hour - 1);
  story.expect("");
  in(22 * hour);
  story.expect("1 enter z #1; 1 count z 1; ");
  in(30 * hour - 1);
  story.expect("");
  in(30 * hour);
  story.expect("3 leave z #1 after 2; 3 count z 0; ");
  in(46 * hour);  // Tuesday
  story.expect("");
}

TEST(test_count) {
  Story story(middle + R"(, "count": 2}]})");
  story.frame({at(1, 200, 100), at(2, 50, 100)});
  story.frame({at(1, 200, 100), at(2, 200, 50), at(3, 220, 50)});
  story.frame({at(1, 200, 100), at(2, 50, 100), at(3, 220, 50)});
  story.frame({at(1, 200, 100), at(2, 50, 100), at(3, 20, 50)});
  story.expect(
      "0 enter z #1; 1 enter z #2; 1 enter z #3; 1 count z 3; 2 leave z #2 after 1; "
      "3 leave z #3 after 2; 3 count z 1; ");
}

TEST(test_inverse_and_area) {
  Story inverse(middle + R"(, "inverse": true}]})");
  inverse.frame({at(1, 50, 100)}).frame({at(1, 200, 100)}).frame({at(1, 350, 100)});
  inverse.expect("0 enter z #1; 1 leave z #1 after 1; 2 enter z #1; ");
  Story large(middle + R"(, "min-area": 0.01}]})");
  large.frame({at(1, 200, 100), {2, {150, 50, 190, 80}}});  // 200 and 1200 px² of 80000
  large.expect("0 enter z #2; ");
}

TEST(test_parts) {
  const std::string low =
      R"({"zones": [{"name": "z", "polygon": [[0, 0.5], [1, 0.5], [1, 1], [0, 1]]}]})";
  for (const auto &[part, wanted] :
       {std::pair{RulePart::bottom, 1}, {RulePart::center, 2}, {RulePart::any, 0}}) {
    Story story(low, part);
    // The bottom passes 100 + 2 px at y = 104, the centre at y = 109, the upper edge not here.
    story.frame({at(1, 200, 103)}).frame({at(1, 200, 104)}).frame({at(1, 200, 109)});
    story.expect(std::to_string(wanted == 0 ? 0 : wanted == 1 ? 0 : 2) + " enter z #1; ");
  }
}

// A line counts each crossing once, by its direction, and only between its ends.
TEST(test_lines) {
  const std::string upright = R"({"lines": [{"name": "l", "from": [0.5, 0.9], "to": [0.5, 0.3])";
  Story both(upright + "}]}");
  for (int i = 0; i <= 40; i++) both.frame({at(1, 10 * i, 100)});
  for (int i = 40; i >= 0; i--) both.frame({at(1, 10 * i, 100)});
  both.expect("21 cross l #1 right; 62 cross l #1 left; ");
  for (int i = 0; i <= 40; i++) both.frame({at(2, 10 * i, 30)});  // above the upper end
  both.expect("");
  for (int i = 0; i < 20; i++) both.frame({at(3, i % 2 ? 199 : 201, 100)});
  both.expect("");
  both.frame({at(4, 20, 100)}).frame({at(4, 390, 100)});  // in one step
  both.expect("144 cross l #4 right; ");
  Story directed(upright + R"(, "direction": "right-to-left"}]})");
  for (int i = 0; i <= 40; i++) directed.frame({at(1, 10 * i, 100)});
  for (int i = 40; i >= 0; i--) directed.frame({at(1, 10 * i, 100)});
  directed.expect("62 cross l #1 left; ");
}

// A zone on the ground moves with the scene when the camera pans, zooms and rolls; one in the
// picture stays.
TEST(test_ground) {
  const std::string rest = R"(, "center": [0.5, 0.5], "radius": 0.05)";
  Story story("{\"zones\": [{\"name\": \"ground\"" + rest +
              ", \"anchor\": \"ground\"}, {\"name\": \"picture\"" + rest + "}]}");
  const std::complex<double> centre(width / 2.0, height / 2.0);
  for (int i = 0; i < 30; i++) {
    CameraPlace camera;
    camera.scale = std::polar(1 + 0.02 * i, 0.01 * i);
    camera.shift = {3.0 * i, -1.0 * i};
    camera.frames = i + 1;
    // A point of the scene that was in the middle of the first frame.
    const std::complex<double> place = centre + camera.shift;
    story.frame({at(1, place.real(), place.imag())}, camera);
  }
  // 20 px and the margin are passed once 3.16 px a frame are 22 px: in the seventh frame.
  story.expect("0 enter ground #1; 0 enter picture #1; 7 leave picture #1 after 7; ");
  // After a cut the ground is where it was drawn.
  CameraPlace cut;
  cut.frames = 1;
  story.frame({at(2, 200, 100)}, cut);
  story.expect("30 enter ground #2; 30 enter picture #2; ");
}

// Rules that are set while the camera moves are anchored to that frame.
TEST(test_ground_set_later) {
  const std::string rules =
      R"({"zones": [{"name": "g", "center": [0.5, 0.5], "radius": 0.05, "anchor": "ground"}]})";
  Story story("");
  CameraPlace camera;
  for (int i = 0; i < 10; i++) {
    camera.shift = {10.0 * i, 0};
    camera.scale = std::polar(1.25, -0.1);
    camera.frames = i + 1;
    if (i == 5) story.set(rules);
    story.frame({at(1, 200, 100)}, camera);
  }
  // The object stays in the middle of the picture: the ground leaves it by 10 px a frame.
  story.expect("5 enter g #1; 8 leave g #1 after 3; ");
}

// While the place of the camera is unknown, the ground stays in the picture. Then it stays where it
// is, although the path of the camera goes on.
TEST(test_ground_unknown) {
  Story story(
      R"({"zones": [{"name": "g", "center": [0.5, 0.5], "radius": 0.05, "anchor": "ground"}]})");
  for (int i = 0; i < 9; i++) {
    CameraPlace camera;
    if (i >= 3 && i < 6)
      camera.frames = -1;
    else
      camera.shift = {40, 0}, camera.frames = i + 1;
    story.frame({at(1, 200, 100)}, camera);
  }
  story.expect("0 enter g #1; ");
}

// Zones with a sensitivity cover cells; a later one covers an earlier one, and one that is not
// active covers none.
TEST(test_sensitive_areas) {
  Rules rules(width, height);
  rules.set(read_rules(R"({"zones": [
    {"name": "a", "polygon": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]], "sensitivity": 0.25},
    {"name": "b", "center": [0.5, 0.5], "radius": 0.1, "sensitivity": 1, "anchor": "ground"},
    {"name": "c", "polygon": [[0.1, 0], [2, 0], [2, 1], [0.1, 1]], "inverse": true,
     "sensitivity": 0},
    {"name": "d", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]},
    {"name": "e", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]], "sensitivity": 0.5,
     "active": ["Tue 00:00-24:00"]}]})"));
  const glcl::rules::ZoneCells cells{40, 20, 10};
  CameraPlace camera;
  camera.frames = 1;
  rules.step({}, {}, RulePart::bottom, camera, {0});
  camera.shift = {100, 0};
  camera.frames = 2;
  rules.step({}, {}, RulePart::bottom, camera, {1});
  const auto values = cell_values(rules.sensitive_areas({1, 0}), cells);
  fail_unless(values.size() == 800);
  for (int y = 0; y < 20; y++)
    for (int x = 0; x < 40; x++) {
      const double far = std::hypot(10 * x + 5 - 300, 10 * y + 5 - 100);
      if (std::fabs(far - 40) < 1) continue;  // the circle has corners
      const float wanted = x < 4 ? 0 : far < 40 ? 1 : x < 20 ? 0.25f : -1;
      fail_unless(values[size_t(40 * y + x)] == wanted, "%d, %d: %g", x, y,
                  values[size_t(40 * y + x)]);
    }
  const auto all = cell_values(rules.sensitive_areas({1, 24 * 3600}), cells);
  fail_unless(std::count(all.begin(), all.end(), 0.5f) == 800);
  rules.set(read_rules(middle + "}]}"));
  fail_unless(rules.sensitive_areas({2, 0}).empty());
  fail_unless(cell_values({}, cells) == std::vector<float>(800, -1));
}

// Twenty zones with fifty objects take less than a millisecond of the processor per frame, also on
// slow ones.
TEST(test_cost) {
  std::string text = R"({"world": {"points": [[0, 1], [1, 1], [0.6, 0.3], [0.4, 0.3]], )"
                     R"("metres": [[0, 0], [8, 0], [8, 40], [0, 40]]}, "zones": [)";
  for (int i = 0; i < 20; i++) {
    text += (i ? ", {\"name\": \"" : "{\"name\": \"") + std::to_string(i) + "\", \"polygon\": [";
    for (int k = 0; k < 12; k++) {
      char point[60];
      std::snprintf(point, sizeof point, "%s[%.3f, %.3f]", k ? ", " : "",
                    0.5 + (0.2 + 0.01 * i) * std::cos(k * M_PI / 6),
                    0.5 + (0.2 + 0.01 * i) * std::sin(k * M_PI / 6));
      text += point;
    }
    text += "], \"direction\": 0, \"count\": 5, \"active\": [\"00:00-24:00\"]}";
  }
  Rules rules(width, height);
  rules.set(read_rules(text + "]}"));
  constexpr int frames = 200;
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  size_t events = 0;
  for (int i = 0; i < frames; i++) {
    std::vector<RuleObject> objects;
    for (int k = 0; k < 50; k++)
      objects.push_back(at(uint64_t(k), (7 * k + 2 * i) % width, 50 + 2 * k));
    events += rules.step(objects, {}, RulePart::any, {}, {i * frame_time}).size();
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  const double each =
      (double(end.tv_sec - begin.tv_sec) * 1e3 + double(end.tv_nsec - begin.tv_nsec) / 1e6) /
      frames;
  std::printf("%.3f ms\n", each);
  fail_unless(events > 1000 && each < 1, "%zu events, %g ms", events, each);
}
