// SPDX-License-Identifier: LGPL-2.1-or-later
// Boxes of others become objects: by their numbers, or by overlap.
#include "rules/boxtracker.h"

#include <string>

#include "tests/support/cases.h"

using glcl::rules::BoxTracker;
using glcl::rules::GivenBox;
using glcl::rules::RuleObject;

namespace {

constexpr uint64_t own = uint64_t(1) << 32;

/// A box of 20 × 20 px.
GivenBox box(float x, uint64_t id = 0, uint32_t type = 0) { return {{x, 0, x + 20, 20}, id, type}; }

/// "NUMBER@X" of each object, then those that ended; own numbers count from o1.
std::string text_of(const BoxTracker::Followed &objects) {
  std::string text;
  const auto add = [&](const RuleObject &object) {
    text += object.id > own ? "o" + std::to_string(object.id - own) : std::to_string(object.id);
    text += "@" + std::to_string(int(object.box.left)) + " ";
  };
  for (const RuleObject &object : objects.found) add(object);
  text += "-";
  for (const RuleObject &object : objects.ended) text += " ", add(object);
  return text;
}

class Frames {
 public:
  void expect(const std::vector<GivenBox> &boxes, const std::string &wanted) {
    const std::string text = text_of(tracker.step(boxes, 0.1, 0.25));
    fail_unless(text == wanted, "frame %d: %s, expected %s", frame_, text.c_str(), wanted.c_str());
    frame_++;
  }
  BoxTracker tracker;

 private:
  int frame_ = 0;
};

}  // namespace

// Numbers count, wherever the boxes are.
TEST(test_numbers) {
  Frames frames;
  frames.expect({box(0, 7), box(100, 8)}, "7@0 8@100 -");
  frames.expect({box(100, 7), box(0, 8)}, "7@100 8@0 -");
  frames.expect({box(300, 8)}, "8@300 -");
  frames.expect({box(300, 8)}, "8@300 -");
  frames.expect({box(200, 9), box(300, 8)}, "8@300 9@200 - 7@100 ");
  frames.expect({}, "-");
}

// Without numbers, a box continues the object that it overlaps most.
TEST(test_overlap) {
  Frames frames;
  frames.expect({box(0), box(40)}, "o1@0 o2@40 -");
  frames.expect({box(48), box(6)}, "o1@6 o2@48 -");
  frames.expect({box(56), box(50), box(12)}, "o1@12 o2@50 o3@56 -");
  frames.expect({box(200)}, "o4@200 -");
  frames.expect({box(12)}, "o1@12 -");  // a gap is no end
  frames.expect({}, "- o2@50  o3@56 ");
  frames.expect({}, "- o4@200 ");
  frames.expect({}, "- o1@12 ");
}

// Some detectors number each box anew: its object stays. A number that an object has is not given
// to another one.
TEST(test_new_numbers) {
  Frames frames;
  frames.expect({box(0, 5, 3)}, "5@0 -");
  frames.expect({box(3, 6, 3)}, "5@3 -");
  frames.expect({box(6, 7, 3), box(100, 5, 4)}, "5@6 o1@100 -");
  frames.expect({box(103, 5), box(9, 7)}, "5@9 o1@103 -");
  const auto objects = frames.tracker.step({box(9, 7, 11)}, 0.1, 0.25);
  fail_unless(objects.found.size() == 1 && objects.found[0].type == 11);
  fail_unless(frames.tracker.reset().size() == 2 && frames.tracker.reset().empty());
}

// Given numbers may be as large as own ones: no two objects have the same.
TEST(test_large_numbers) {
  Frames frames;
  frames.expect({box(0, own + 1), box(100)}, "o1@0 o2@100 -");
  frames.expect({box(0, own + 1), box(100), box(200)}, "o1@0 o2@100 o3@200 -");
}

// Two boxes with one number are two objects.
TEST(test_same_numbers) {
  Frames frames;
  frames.expect({box(0, 5), box(100, 5)}, "5@0 o1@100 -");
  frames.expect({box(0, 5), box(100, 5)}, "5@0 o1@100 -");
}
