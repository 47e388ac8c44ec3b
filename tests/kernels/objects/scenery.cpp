// SPDX-License-Identifier: LGPL-2.1-or-later
// The tracker's states and learned dynamic background on known boxes, at several frame rates.
#include <algorithm>
#include <cmath>
#include <vector>

#include "boxes.h"
#include "kernels/engine.h"
#include "objects/tracker.h"

using Box = glcl::RectF;
using glcl::objects::Object;
using glcl::objects::ObjectState;
using glcl::objects::RegionList;
using glcl::objects::Tracker;

namespace {

/// Tracks boxes in frames of 320×240 px.
struct Run {
  explicit Run(double rate) : seconds(1 / rate) { settings.learn_scenery = true; }
  Tracker::Report step(const std::vector<Box> &boxes, float camera = 0) {
    RegionList result = test::regions_of(boxes);
    path += camera;
    result.state.frame_motion.x = camera;
    result.state.path.s[0] = path;
    result.state.vector_count = 100;
    result.state.inliers = agreeing;
    result.state.vector_motion.x = camera_by_vectors ? camera : 0;
    result.state.fit.gain = 1;
    const auto report = tracker.step(settings, result, frame, 50, seconds);
    time += seconds;
    begun += int(report.begun.size()), ended += int(report.ended.size());
    for (const Object &object : report.changed) last = object;
    return report;
  }

  double seconds, time = 0;
  float path = 0;
  float agreeing = 100;  // of 100 vectors
  bool camera_by_vectors = true;
  Tracker tracker{320, 240};
  glcl::camera::FrameGeometry frame = glcl::camera::frame_geometry(320, 240);
  Tracker::Settings settings;
  int begun = 0, ended = 0;
  Object last;
};

Box box_at(double x, double y, double half = 12) {
  return {float(x - half), float(y - half), float(x + half), float(y + half)};
}

/// A box that swings by some px about a place, even if it is seen only four times per second.
Box swinging(double time) {
  return box_at(200 + 6 * std::sin(3.7 * time), 100 + 3 * std::sin(3 * time));
}

}  // namespace

TEST(test_states) {
  for (const double rate : {4.0, 25.0, 60.0}) {
    Run run(rate);
    const auto moved = [](double time) { return box_at(40 + 24 * std::min(time, 4.0), 100); };
    while (run.time < 4) run.step({moved(run.time)});
    fail_unless(run.begun == 1 && run.last.id == 0, "%g: it moves from the begin", rate);
    while (run.time < 8) run.step({moved(run.time)});
    fail_unless(run.last.id == 1 && run.last.state == ObjectState::stationary, "%g", rate);
    fail_unless(run.last.still_seconds >= 1 && run.last.still_seconds < 1.5, "%g s at %g",
                run.last.still_seconds, rate);
    while (run.time < 12) run.step({moved(4 + run.time - 8).moved(24 * float(run.time - 8), 0)});
    fail_unless(run.last.state == ObjectState::moving && run.begun == 1, "%g: it moves on", rate);
    // While the camera moves, nothing is known.
    while (run.time < 14) run.step({box_at(232 + 3 * (run.time - 12) * rate, 100)}, 3);
    fail_unless(run.last.state == ObjectState::unknown, "%g", rate);
  }
}

// Where large things fill the view, pixels follow them. While most vectors say that the camera
// stands, it does. If all of them say so, it may pan slowly.
TEST(test_crowded) {
  for (const float agreeing : {40.0f, 70.0f, 100.0f})
    for (const bool by_vectors : {true, false}) {
      Run run(25);
      const auto moved = [](double time) { return box_at(40 + 24 * std::min(time, 4.0), 100); };
      while (run.time < 6) run.step({moved(run.time)});
      run.agreeing = agreeing, run.camera_by_vectors = by_vectors;
      while (run.time < 8) run.step({moved(run.time)}, 0.6f);
      run.agreeing = 100;
      const bool stays = agreeing == 70 && !by_vectors;
      fail_unless(run.last.state == (stays ? ObjectState::stationary : ObjectState::unknown),
                  "%g %%, by vectors %d", agreeing, by_vectors);
    }
}

// A standing track ends after max-duration, also if it stays foreground, and begins again
// elsewhere.
TEST(test_longest) {
  Run run(10);
  run.settings.max_duration = 6;
  while (run.time < 3) run.step({box_at(40 + 24 * run.time, 100)});
  while (run.time < 8.5) run.step({box_at(112, 100)});
  fail_unless(run.begun == 1 && run.ended == 0);
  while (run.time < 15) run.step({box_at(112 + (int(run.time * 10) % 2), 100)});
  fail_unless(run.begun == 1 && run.ended == 1);
  while (run.time < 18) run.step({box_at(112 + 24 * (run.time - 15), 100)});
  fail_unless(run.begun == 2 && run.ended == 1);
}

// A thing that swings in its place stops being an object; passers-by and cars that come often do
// not.
TEST(test_scenery) {
  for (const double rate : {4.0, 25.0, 60.0}) {
    Run run(rate);
    while (run.time < 10) run.step({swinging(run.time)});
    fail_unless(run.begun >= 1 && run.begun > run.ended, "%g: %d", rate, run.begun);
    while (run.time < 45) run.step({swinging(run.time)});
    fail_unless(run.begun == run.ended, "%g: %d begun, %d ended", rate, run.begun, run.ended);
    const int before = run.begun;
    // Somebody passes below and above.
    while (run.time < 60) run.step({swinging(run.time), box_at(20 + 20 * (run.time - 45), 150)});
    fail_unless(run.begun == before + 1, "%g", rate);
    while (run.time < 62) run.step({swinging(run.time)});
    fail_unless(run.begun == run.ended, "%g: again", rate);
    // It rests for a while, and swings again.
    while (run.time < 150) run.step({});
    while (run.time < 160) run.step({swinging(run.time)});
    fail_unless(run.begun > before + 1, "%g: forgotten", rate);
  }
}

// A flag is one region at first. Later, only its waves are seen at times, which run along it.
TEST(test_waves) {
  for (const double rate : {10.0, 25.0}) {
    Run run(rate);
    const auto flag = [](double time) {
      const double phase = std::fmod(time, 6);
      if (time < 45 || phase < 2) return box_at(200 + 4 * std::sin(5 * time), 100, 24);
      const auto x = float(187 + 24 * std::fmod(phase, 1));
      return Box{x - 6, 93, x + 6, 107};
    };
    while (run.time < 70) run.step({flag(run.time)});
    const int begun = run.begun;
    fail_unless(run.begun == run.ended, "%g: it lasts", rate);
    while (run.time < 180) run.step({flag(run.time)});
    fail_unless(run.begun == begun, "%g: %d begin", rate, run.begun - begun);
  }
}

TEST(test_traffic) {
  Run run(25);
  int seen = 0, frames = 0;
  while (run.time < 180) {
    const double x = std::fmod(60 * run.time, 280) + 20;
    const auto report = run.step({box_at(x, 100, 14)});
    if (run.time > 150) frames++, seen += !report.objects.empty();
  }
  fail_unless(seen > 0.9 * frames, "%d of %d frames", seen, frames);
  // Switched off, what swings stays.
  Run other(25);
  other.settings.learn_scenery = false;
  while (other.time < 60) other.step({swinging(other.time)});
  fail_unless(other.begun == 1 && other.ended == 0, "%d", other.begun);
}
