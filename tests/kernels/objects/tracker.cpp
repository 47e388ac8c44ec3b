// SPDX-License-Identifier: LGPL-2.1-or-later
// The tracker on known scenes.
#include "objects/tracker.h"

#include <random>

#include "boxes.h"
#include "kernels/engine.h"

using Box = glcl::RectF;
using glcl::objects::Object;
using glcl::objects::Region;
using glcl::objects::RegionList;
using glcl::objects::Tracker;

namespace {

/// The region list for boxes in a frame of 320×240.
RegionList result_of(const std::vector<Box> &boxes,
                     const glcl::camera::SimilarityMotion &step = {}) {
  RegionList result = test::regions_of(boxes);
  result.state.frame_motion = step;
  return result;
}
Box box_at(double x, double y, double half = 12) {
  return {float(x - half), float(y - half), float(x + half), float(y + half)};
}

struct TrackerRun {
  Tracker tracker{320, 240};
  glcl::camera::FrameGeometry frame = glcl::camera::frame_geometry(320, 240);
  Tracker::Settings settings;
  Tracker::Report step(const std::vector<Box> &boxes,
                       const glcl::camera::SimilarityMotion &step = {}) {
    return tracker.step(settings, result_of(boxes, step), frame, 50, 0.04);
  }
};

}  // namespace

TEST(test_tracker) {
  // The object begins in the second frame, is reported, and ends after the gap.
  TrackerRun f;
  int begun = 0, ended = 0;
  for (int i = 0; i < 20; i++) {
    const auto report = f.step({box_at(60 + 3 * i, 80 + i)});
    begun += int(report.begun.size());
    fail_unless(report.begun.size() == (i == 1) && report.objects.size() == (i >= 1), "frame %d",
                i);
    if (i < 6) continue;
    const Object &object = report.objects[0];
    fail_unless(object.id == 1 && std::abs(object.vx - 3) < 0.4 && std::abs(object.vy - 1) < 0.3,
                "(%g, %g)", object.vx, object.vy);
    fail_unless(std::abs(object.box.x() - float(60 + 3 * i)) < 0.01 && object.score > 0.5);
  }
  fail_unless(std::abs(f.tracker.predicted()[0].box.x() - (60 + 3 * 20)) < 1);
  for (int i = 0; i < 20; i++) {
    const auto report = f.step({});
    ended += int(report.ended.size());
    fail_unless(report.ended.size() == (i == 12), "frame %d", i);
  }
  fail_unless(begun == 1 && ended == 1);
  // A single detection is no object.
  for (int i = 0; i < 9; i++)
    fail_unless(f.step(i % 3 ? std::vector<Box>{} : std::vector{box_at(100, 100)}).begun.empty());
}

// While none may begin, objects that are known go on, and the others are found anew afterwards.
TEST(test_may_begin) {
  TrackerRun f;
  for (int i = 0; i < 30; i++) {
    f.settings.may_begin = i < 5 || i >= 20;
    std::vector<Box> boxes{box_at(60 + 3 * i, 60)};
    if (i >= 4) boxes.push_back(box_at(40 + 4 * i, 180));
    const auto report = f.step(boxes);
    fail_unless(report.begun.size() == (i == 1 || i == 21) && report.ended.empty() &&
                    report.objects.size() == size_t((i >= 1) + (i >= 21)),
                "frame %d: %zu begin of %zu", i, report.begun.size(), report.objects.size());
  }
}

// Two objects that cross keep their numbers although they are one region for a while.
TEST(test_crossing) {
  for (double speed : {2.0, 4.0}) {
    TrackerRun f;
    for (int i = 0; i < int(200 / speed); i++) {
      const Box a = box_at(60 + speed * i, 100), b = box_at(260 - speed * i, 104, 14);
      const bool touch = a.right >= b.left && b.right >= a.left;
      const auto report = f.step(touch ? std::vector{glcl::united(a, b)} : std::vector{a, b});
      if (i < 3) continue;
      fail_unless(report.objects.size() == 2 && report.begun.empty() && report.ended.empty(),
                  "frame %d: %zu", i, report.objects.size());
      for (const Object &object : report.objects) {
        const Box &truth = object.id == 1 ? a : b;
        fail_unless(glcl::common_area(object.box, truth) > 0.6f * truth.area(),
                    "frame %d, object %d at %g", i, int(object.id), object.box.x());
      }
    }
  }
}

// Pairs meet from any side or overtake each other. Their boxes jitter and are one while they touch.
// At most one in twenty has another number afterwards.
TEST(test_crossings) {
  int switched = 0, crossings = 0;
  for (unsigned n = 0; n < 200; n++) {
    std::mt19937 next(n + 1);
    const auto between = [&next](double low, double high) {
      return low + (high - low) * double(next() >> 8) / double(1 << 24);
    };
    const bool overtakes = n % 4 == 1;
    const double heading = between(0, 6.28), speed = between(1.5, 4),
                 turn = overtakes ? between(-0.2, 0.2) : between(0.7, 5.58);
    struct MovingBox {
      double vx, vy, half, level;
    };
    std::vector<MovingBox> moving_boxes;
    for (int i = 0; i < 2; i++) {
      const double fast = i == 0 ? speed : overtakes ? speed * between(0.2, 0.5) : between(1.5, 4);
      moving_boxes.push_back({fast * std::cos(heading + i * turn),
                              fast * std::sin(heading + i * turn), between(9, 18),
                              n % 4 == 2 ? 120 : 90 + 60.0 * i});
    }
    Tracker tracker(400, 400);
    const auto frame = glcl::camera::frame_geometry(400, 400);
    std::array<uint64_t, 2> before{}, after{};
    bool touched = false;
    for (int i = -40; i <= 40; i++) {
      std::vector<Box> boxes;
      for (const MovingBox &moving : moving_boxes)
        boxes.push_back(box_at(200 + moving.vx * i, 200 + moving.vy * i, moving.half));
      const auto near = [](const Box &a, const Box &b) {
        return a.left <= b.right + 8 && b.left <= a.right + 8 && a.top <= b.bottom + 8 &&
               b.top <= a.bottom + 8;
      };
      const bool touch = near(boxes[0], boxes[1]);
      touched |= touch;
      const std::vector<Box> seen = touch ? std::vector{glcl::united(boxes[0], boxes[1])} : boxes;
      RegionList result{};
      for (size_t k = 0; k < seen.size(); k++) {
        const Box &b = seen[k];
        const auto trembles = [&] { return int(next() % 3); };
        Region region{int(b.left) + trembles(),
                      int(b.top) + trembles(),
                      int(b.right) - trembles(),
                      int(b.bottom) - trembles(),
                      int(b.area()),
                      0,
                      0,
                      0};
        region.distance = 32 * region.area;
        region.levels = int(region.area * (touch ? 120 : moving_boxes[k].level));
        result.regions[result.count++] = region;
      }
      const auto report = tracker.step({}, result, frame, 50, 0.04);
      for (size_t k = 0; k < 2 && !touch; k++)
        for (const Object &object : report.objects)
          if (glcl::common_area(object.box, boxes[k]) > 0.5f * boxes[k].area())
            (touched ? after : before)[k] = object.id;
      if (touched && !touch) break;
    }
    const bool found = before[0] && before[1] && after[0] && after[1];
    crossings += found;
    switched += found && before != after;
  }
  fail_unless(crossings >= 120, "%d crossings", crossings);
  fail_unless(20 * switched <= crossings, "%d of %d crossings switched", switched, crossings);
}

// An object that was found in two parts first becomes one object. Two objects that move side by
// side and touch at times stay two.
TEST(test_parts) {
  TrackerRun f;
  size_t reported = 0;
  int ended = 0;
  for (int i = 0; i < 40; i++) {
    const double x = 40 + 3.0 * i;
    const Box all{float(x - 24), 90, float(x + 24), 120};
    const auto report = f.step(i < 8 ? std::vector<Box>{{all.left, 90, all.left + 12, 120},
                                                        {all.right - 12, 90, all.right, 120}}
                                     : std::vector{all});
    reported = report.objects.size();
    ended += int(report.ended.size());
    if (i > 20)
      fail_unless(reported == 1 && report.objects[0].id == 1 &&
                      glcl::common_area(report.objects[0].box, all) > 0.9f * all.area(),
                  "frame %d: %zu", i, reported);
  }
  fail_unless(reported == 1 && ended == 1);
  TrackerRun g;
  for (int i = 0; i < 60; i++) {
    const Box a = box_at(40 + 3.0 * i, 80), b = box_at(40 + 3.0 * i, 115);
    const auto report =
        g.step(i % 10 < 3 && i > 8 ? std::vector{glcl::united(a, b)} : std::vector{a, b});
    fail_unless(i < 3 || (report.objects.size() == 2 && report.ended.empty()), "frame %d", i);
  }
}

// A faint region that changes its shape in one place is no object; an equally faint one that moves
// is.
TEST(test_faint) {
  for (double speed : {0.0, 2.0}) {
    TrackerRun f;
    std::mt19937 next(1);
    const auto change = [&next] { return double(next() % 7); };
    size_t reported = 0;
    for (int i = 0; i < 40; i++) {
      const double x = 60 + speed * i;
      RegionList result = result_of({{float(x + change()), float(90 + change()),
                                      float(x + 24 + change()), float(110 + change())}});
      result.regions[0].distance = result.regions[0].area * 13;
      reported += f.tracker.step(f.settings, result, f.frame, 50, 0.04).objects.size();
    }
    fail_unless(speed > 0 ? reported > 20 : reported == 0, "at %g px: reported %zu times", speed,
                reported);
  }
}

// A parked object that starts to move begins within five frames. Its box leaves its first place,
// which stays foreground and becomes background from behind, even if a side across the motion
// jitters.
TEST(test_sets_off) {
  constexpr int step = 3, known_after = 14;  // px, frames
  for (int direction : {-1, 1}) {
    TrackerRun f;
    int first = -1;
    for (int i = 0; i < 30; i++) {
      const auto gone = float(step * direction * (i + 1)),
                 known = float(step * std::max(i - known_after, 0));
      const Box now{140 + gone, 80, 180 + gone, float(100 + i / 4 % 2 * 2)},
          place = direction > 0 ? Box{140 + known, 80, 180, 100} : Box{140, 80, 180 - known, 100};
      std::vector<Box> boxes{now};
      if (const Box both = glcl::united(now, place); both.width() < 84)
        boxes = {both};
      else if (place.width() > 0)
        boxes.push_back(place);
      const auto report = f.step(boxes);
      if (!report.begun.empty() && first < 0) first = i;
      if (i < 8) continue;
      fail_unless(report.objects.size() == 1 &&
                      glcl::common_area(report.objects[0].box, now) > 0.8f * now.area() &&
                      report.objects[0].box.area() < 1.3f * now.area(),
                  "frame %d: from %g to %g", i,
                  report.objects.empty() ? 0 : report.objects[0].box.left,
                  report.objects.empty() ? 0 : report.objects[0].box.right);
    }
    fail_unless(first >= 0 && first < 5, "begins in frame %d", first);
  }
}

// A parked object drives out of the frame while its place is still foreground. Its box goes along,
// and it is never at rest.
TEST(test_drives_out) {
  for (const bool across : {true, false}) {
    const auto turned = [across](const Box &box) {
      return across ? box : Box{box.top, box.left, box.bottom, box.right};
    };
    const float edge = across ? 320 : 240;
    TrackerRun f;
    for (int i = 0; i < 45; i++) {
      const float gone = 2 * float(i + 1);
      const Box place = turned({edge - 90, 80, edge - 30, 110}),
                now = turned({edge - 90 + gone, 80, std::min(edge - 30 + gone, edge), 110});
      std::vector<Box> boxes{glcl::united(place, now)};
      if (gone > 64) boxes = {place, now};
      const auto report = f.step(boxes);
      if (i < 8 || gone > 80) continue;
      fail_unless(report.objects.size() == 1 && report.objects[0].id == 1, "frame %d: %zu", i,
                  report.objects.size());
      const Object &object = report.objects[0];
      fail_unless(object.state != glcl::objects::ObjectState::stationary, "frame %d", i);
      fail_unless(glcl::common_area(object.box, now) > 0.7f * now.area() &&
                      object.box.area() < 1.4f * now.area(),
                  "frame %d: %g to %g", i, object.box.left, object.box.right);
    }
  }
}

// The box of an object that stands does not shrink while its parts become background.
TEST(test_stands) {
  TrackerRun f;
  for (int i = 0; i < 90; i++) {
    Box box = box_at(std::min(60 + 3 * i, 150), 100, 20);
    if (i > 70) box.left += 14, box.bottom -= float(i - 70);
    const auto report = f.step({box});
    if (i < 65) continue;
    fail_unless(report.objects.size() == 1 &&
                    report.objects[0].state == glcl::objects::ObjectState::stationary &&
                    std::abs(report.objects[0].box.x() - 150) < 1 &&
                    std::abs(report.objects[0].box.bottom - 120) < 1,
                "frame %d: at %g", i, report.objects[0].box.x());
  }
}

// An object that moves further per frame than its length is tracked, up to max_speed. A region that
// jumps back and forth is no object. With min_frames=1 an object begins at once.
TEST(test_leaps) {
  const auto reported = [](auto where, const Tracker::Settings &settings, int *first) {
    TrackerRun f;
    f.settings = settings;
    size_t reported = 0;
    std::vector<uint64_t> ids;
    *first = -1;
    for (int i = 0; i < 9; i++) {
      const auto report = f.step({where(i)});
      if (!report.begun.empty() && *first < 0) *first = i;
      reported += report.objects.size();
      for (const Object &object : report.objects)
        fail_unless(object.id == 1, "frame %d: number %d", i, int(object.id));
    }
    return reported;
  };
  const auto goes = [](int i) { return box_at(30 + 32 * i, 60 + 14 * i, 7); };
  const auto jumps = [](int i) { return box_at(i % 2 ? 60 + 9 * i : 140, 40 + 61 * (i % 3), 7); };
  const auto waits = [](int) { return box_at(160, 100, 7); };
  int first = 0;
  fail_unless(reported(goes, {}, &first) == 7 && first == 2, "begins in frame %d", first);
  Tracker::Settings slow, once;
  slow.max_speed = 25, once.min_frames = 1;
  fail_unless(reported(goes, slow, &first) == 0, "beyond max_speed");
  fail_unless(reported(jumps, {}, &first) == 0, "jumps, begins in frame %d", first);
  fail_unless(reported(goes, once, &first) == 9 && first == 0, "begins in frame %d", first);
  fail_unless(reported(waits, once, &first) == 9 && first == 0, "begins in frame %d", first);
}

// A region that grows to fill the frame is no object. Many regions that appear at once and jitter
// are no objects either, but those that move on are.
TEST(test_flicker) {
  TrackerRun f;
  for (int i = 0; i < 20; i++) {
    const auto by = float(std::max(20 - 3 * i, 0));
    fail_unless(f.step({{by, by, 320 - by / 2, 240 - by / 3}}).objects.empty(), "frame %d", i);
  }
  for (double speed : {0.0, 2.0}) {
    TrackerRun g;
    std::mt19937 next(1);
    size_t reported = 0;
    for (int i = 0; i < 40; i++) {
      std::vector<Box> boxes;
      for (int k = 0; k < 6 && i >= 10; k++)
        boxes.push_back(box_at(40 + 40 * k + speed * i + int(next() % 5), 60 + 20 * k));
      RegionList result = result_of(boxes);
      result.state.frames = i;
      reported = g.tracker.step(g.settings, result, g.frame, 50, 0.04).objects.size();
    }
    fail_unless(reported == (speed > 0 ? 6 : 0), "at %g px: %zu reported", speed, reported);
  }
}

// While the light changes, an object must move further. A faint region that jumps, or whose size
// changes much, is no object.
TEST(test_doubtful) {
  const auto begins = [](float lag, int eighths, auto box) {
    TrackerRun f;
    for (int i = 0; i < 30; i++) {
      RegionList result = result_of({box(i)});
      result.state.brightness_peak = lag;
      result.regions[0].distance = result.regions[0].area * eighths;
      if (!f.tracker.step(f.settings, result, f.frame, 50, 0.04).begun.empty()) return i;
    }
    return -1;
  };
  const auto goes = [](int i) { return box_at(60 + 3 * i, 80); };
  const int clear = begins(0, 60, goes), lit = begins(16, 60, goes), faint = begins(0, 10, goes);
  fail_unless(clear == 1 && lit == 3 && faint > 1 && faint < 5, "%d %d %d", clear, lit, faint);
  const auto jumps = [](int i) { return box_at(60 + 16 * (i / 2 % 2), 80 + 12 * (i % 2)); };
  fail_unless(begins(0, 10, jumps) == -1);
  const auto shrinks = [](int i) {
    return i < 2 ? Box{40, 0, 300, 180} : Box{4, 80, i % 2 ? 20.0f : 90.0f, 150};
  };
  fail_unless(begins(0, 22, shrinks) == -1);
}

// A shaking camera moves all boxes; a cut ends all objects.
TEST(test_moves_along) {
  TrackerRun f;
  double x = 0, y = 0;
  for (int i = 0; i < 40; i++) {
    const glcl::camera::SimilarityMotion step{i % 2 ? 14.0f : -14.0f, i % 3 ? 9.0f : -18.0f, 0, 0};
    x += step.x, y += step.y;
    const auto report = f.step({box_at(100 + x + 2 * i, 120 + y)}, step);
    fail_unless(i == 0 || (report.objects.size() == 1 && report.objects[0].id == 1), "frame %d", i);
  }
  RegionList cut = result_of({box_at(50, 50)});
  cut.state.cut = 1;
  const auto report = f.tracker.step({}, cut, f.frame, 50, 0.04);
  fail_unless(report.objects.empty() && report.begun.empty() && report.ended.size() == 1);
}

// An object that comes out from behind an edge also moves on with one side only. Its box may be as
// short as that of a parked object which leaves its place, but no shorter, and grows.
TEST(test_comes_out) {
  for (const int seen_first : {20, 40, 60})
    for (const int step : {2, 4}) {
      TrackerRun f;
      float least = 1;
      for (int i = 0; seen_first + step * i < 200; i++) {
        const float front = float(80 + seen_first + step * i);
        const auto report = f.step({{80, 80, front, 110}});
        if (!report.objects.empty())
          least = std::min(least, report.objects[0].box.width() / (front - 80));
      }
      fail_unless(least > 0.36f, "%g of what is seen", least);
    }
}

namespace {

/// Regions before a camera that moves by (−pan, 0) px per frame.
class PannedRun {
 public:
  explicit PannedRun(float pan) : pan_(pan) {}

  /// A region, and its motion relative to the camera by its vectors.
  struct Seen {
    Box box;
    bool moving = false;
    float vx = 0, vy = 0;  // px per frame
    int eighths = 64;      // distance from the background
    float softness = 0;    // part of its change that is just outside of it
    int outside = 10;      // cells there
    int levels = 12;       // its change
  };
  Tracker::Report step(const std::vector<Seen> &list) {
    RegionList result{};
    result.state.frame_motion.x = -pan_;
    result.state.frames = 100;
    for (const Seen &seen : list) {
      Region region{int(seen.box.left), int(seen.box.top), int(seen.box.right) - 1,
                    int(seen.box.bottom) - 1, int(seen.box.area())};
      region.distance = region.area * seen.eighths;
      region.moving = seen.moving ? region.area : 0;
      region.vx = int(4 * seen.vx) * region.moving, region.vy = int(4 * seen.vy) * region.moving;
      region.cells = region.area / 4, region.change = 32 * seen.levels * region.cells;
      region.outside = seen.outside;
      region.outside_change = int(-32 * seen.levels * seen.softness) * region.outside;
      result.regions[result.count++] = region;
    }
    return run_.tracker.step(run_.settings, result, run_.frame, 50, 0.04);
  }
  /// The first frame in which an object begins if frame i has this region; −1 without one.
  template <class Region>
  int begins(Region region) {
    for (int i = 0; i < 40; i++)
      if (!step({region(i)}).begun.empty()) return i;
    return -1;
  }

 private:
  TrackerRun run_;
  float pan_;
};

/// Fails if no object has about this box, or several have.
void expect_box(const Tracker::Report &report, const Box &box, int number) {
  fail_unless(report.objects.size() == 1, "frame %d: %zu objects", number, report.objects.size());
  const Box &found = report.objects[0].box;
  const float common = glcl::common_area(found, box);
  fail_unless(common > 0.85f * box.area() && common > 0.85f * found.area(),
              "frame %d: (%g, %g, %g, %g)", number, found.left, found.top, found.right,
              found.bottom);
}

}  // namespace

// A light or a shadow that moves begins no object. A thing does, also if a light is with it at
// first.
TEST(test_soft_outlines) {
  const auto begins = [](auto softness, int outside = 10, int levels = 12) {
    return PannedRun(0).begins([&](int i) {
      PannedRun::Seen seen{box_at(40 + 4 * i, 60, 20)};
      seen.softness = softness(i), seen.outside = outside, seen.levels = levels;
      return seen;
    });
  };
  const int sharp = begins([](int) { return 0.0f; });
  fail_unless(sharp >= 0 && sharp < 5, "a thing begins in frame %d", sharp);
  fail_unless(begins([](int) { return 0.1f; }) == sharp, "as one with a halo");
  fail_unless(begins([](int) { return 0.25f; }, 160) == sharp, "as one with gaps");
  fail_unless(begins([](int) { return 0.6f; }, 160) < 0, "light in gaps begins an object");
  fail_unless(begins([](int) { return 0.25f; }, 10, 3) == sharp, "as one of little change");
  const int soft = begins([](int) { return 0.25f; });
  fail_unless(soft < 0, "a light begins in frame %d", soft);
  const int later = begins([](int i) { return i < 10 ? 0.25f : 0; });
  fail_unless(later > 10 && later < 15, "a thing in a light begins in frame %d", later);
}

// Among many new regions, one that moves by its vectors begins in the third frame. One whose
// vectors change from frame to frame does not, nor does a small one.
TEST(test_begins_by_vectors) {
  const auto begun = [](double half, auto vx) {
    PannedRun f(3);
    int first = -1;
    for (int i = 0; i < 20; i++) {
      std::vector<PannedRun::Seen> list;
      for (int k = 0; k < 6; k++) {
        // All stay where they are, relative to the camera.
        list.push_back({box_at(200 - 3 * i + 40 * (k % 3), 60 + 100 * (k / 3), k ? 12 : half)});
        if (!k) list[0].moving = true, list[0].vx = vx(i);
      }
      const auto report = f.step(list);
      fail_unless(report.begun.size() <= size_t(first < 0), "frame %d", i);
      if (!report.begun.empty()) first = i;
    }
    return first;
  };
  const auto same = [](int) { return 4.0f; };
  fail_unless(begun(12, same) == 2, "begins in frame %d", begun(12, same));
  // Vectors may change a little.
  fail_unless(begun(12, [](int i) { return i % 2 ? 6.0f : 4.0f; }) == 2);
  fail_unless(begun(12, [](int i) { return i % 2 ? 4.0f : -4.0f; }) == -1, "vectors change");
  fail_unless(begun(8, same) == -1, "a small one begins in frame %d", begun(8, same));
}

// While the camera pans, a region as large as some blocks whose vectors are the camera's has to
// move by half of its size; in a fast pan, or if it is faint, it never begins. Small regions begin
// as usual.
TEST(test_begins_without_vectors) {
  const auto begins = [](float pan, double half, int eighths = 64) {
    const auto goes = [=](int i) {
      return PannedRun::Seen{box_at(120 + (5 - pan) * i, 100, half), false, 0, 0, eighths};
    };
    return PannedRun(pan).begins(goes);
  };
  const int rest = begins(0, 30), slow = begins(3, 30), fast = begins(5, 30);
  // 30 px are 6 frames.
  fail_unless(rest == 1 && slow >= 6 && slow <= 8 && fast == -1, "%d %d %d", rest, slow, fast);
  fail_unless(begins(3, 30, 14) == -1, "faint: in frame %d", begins(3, 30, 14));
  fail_unless(begins(3, 12) == 1 && begins(5, 12) == 1, "small: %d %d", begins(3, 12),
              begins(5, 12));
}

// A moving region that was seen in part first has its own box from then on, also if another part
// has a track.
TEST(test_moving_parts) {
  const auto at = [](int i) { return Box{100.0f + i, 80, 180.0f + i, 140}; };
  PannedRun f(3);
  for (int i = 0; i < 20; i++) {
    const Box all = at(i);
    const auto report = f.step({{i < 8 ? Box{all.left, 80, all.left + 24, 140} : all, true, 4}});
    if (i > 8) expect_box(report, all, i);
  }
  PannedRun g(3);
  for (int i = 0; i < 24; i++) {
    const Box all = at(i);
    const auto report = i < 8 ? g.step({{{all.left, 80, all.right - 24, 140}, true, 4},
                                        {{all.right - 14, 90, all.right, 130}, true, 4}})
                              : g.step({{all, true, 4}});
    if (i == 7) fail_unless(report.objects.size() == 2, "%zu objects", report.objects.size());
    if (i < 9) continue;
    const auto most = std::max_element(
        report.objects.begin(), report.objects.end(),
        [](const Object &a, const Object &b) { return a.box.area() < b.box.area(); });
    fail_unless(
        most != report.objects.end() && glcl::common_area(most->box, all) > 0.95f * all.area(),
        "frame %d", i);
    if (i > 12) expect_box(report, all, i);
  }
}

// While a region comes out from behind an edge its middle moves slower than it. Where it is missed,
// it moves on by its vectors.
TEST(test_moves_by_vectors) {
  PannedRun f(3);
  Box last;
  for (int i = 0; i < 12; i++) f.step({{last = {100, 80, 140 + 6.0f * float(i), 120}, true, 9}});
  const auto report = f.step({});
  fail_unless(
      report.objects.size() == 1 && std::abs(report.objects[0].box.right - last.right - 6) < 0.5f,
      "%zu objects, to %g", report.objects.size(),
      report.objects.empty() ? 0 : report.objects[0].box.right);
}

// Static regions beside a moving one, before it, or around it, do not grow its box. A region
// without vectors of its own inside it is part of it.
TEST(test_moving_beside_static) {
  enum class Place { beside, before, around, inside };
  for (const Place place : {Place::beside, Place::before, Place::around, Place::inside}) {
    PannedRun f(3);
    for (int i = 0; i < 24; i++) {
      const Box moving{80 + 2.0f * i, 90, 130 + 2.0f * i, 130};
      const float left = 200 - 3.0f * i;
      std::vector<PannedRun::Seen> list{{moving, true, 5}};
      if (place == Place::around) list.push_back({{left - 120, 70, left + 60, 150}});
      if (place == Place::inside) list.push_back({{moving.left + 10, 96, moving.left + 36, 122}});
      // Found when it is reached, so it has no track.
      if (place == Place::before && i >= 13) list.push_back({{left, 90, left + 12, 130}});
      for (int k = 0; k < 3 && place == Place::beside; k++)
        list.push_back({{left - 120 + 50 * k, 132, left - 80 + 50 * k, 156}});
      for (PannedRun::Seen &seen : list) seen.eighths = place == Place::around ? 20 : 64;
      const auto report = f.step(list);
      if (i > 2) expect_box(report, moving, i);
    }
  }
}

// Boxes whose size changes from frame to frame leave a trail that is smooth, and does not lag.
TEST(test_trail) {
  TrackerRun f;
  Tracker::Report report;
  const auto x_at = [](int i) { return 60 + 3.0 * i; };
  constexpr int frames = 40;
  for (int i = 0; i < frames; i++) {
    Box box = box_at(x_at(i), 100);
    (i % 2 ? box.left : box.right) += i % 2 ? -6.0f : 6.0f;
    report = f.step({box});
  }
  fail_unless(report.objects.size() == 1);
  const auto &trail = report.objects[0].trail;
  fail_unless(trail.size() == glcl::objects::TRAIL_POINTS);
  for (size_t i = 0; i < trail.size(); i++) {
    const double x = x_at(frames - int(trail.size() - i));
    fail_unless(std::abs(trail[i].x - x) < 2 && std::abs(trail[i].y - 100) < 1, "%zu: %g of %g", i,
                trail[i].x, x);
    // The centres of the boxes move by -3 and 9 px in turn.
    if (i > 0) fail_unless(std::abs(trail[i].x - trail[i - 1].x - 3) < 2.5, "%zu", i);
  }
}
