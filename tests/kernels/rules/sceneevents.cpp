// SPDX-License-Identifier: LGPL-2.1-or-later
// The light is switched, and the camera is moved.
#include "rules/sceneevents.h"

#include <cmath>

#include "tests/support/cases.h"

using glcl::rules::CameraMoved;
using glcl::rules::CameraPlace;
using glcl::rules::SceneEvents;

namespace {

constexpr uint64_t frame_time = 40000000;  // ns

/// Frames of a camera, with the number of moves so far and the last one.
class Camera {
 public:
  void stand(int frames) {
    for (int i = 0; i < frames; i++) step({0, 0});
  }
  void pan(int frames, std::complex<double> by) {
    for (int i = 0; i < frames; i++) step(by);
  }
  void step(std::complex<double> by, std::complex<double> grown = 1) {
    place.shift = grown * place.shift + by;
    place.scale *= grown;
    place.frames++;
    if (const auto found = events_.camera(place, time)) last = *found, moves++;
    time += frame_time;
  }

  CameraPlace place;
  uint64_t time = 0;
  int moves = 0;
  CameraMoved last{};

 private:
  SceneEvents events_{1000, 500};
};

}  // namespace

// A change of at least 16 levels counts once, until it has settled.
TEST(test_light) {
  SceneEvents events(100, 100);
  fail_unless(!events.light(0) && !events.light(15) && !events.light(-15));
  fail_unless(events.light(-20).value() == -20);
  fail_unless(!events.light(-60) && !events.light(-16) && !events.light(-10) && !events.light(-17));
  fail_unless(!events.light(-7) && events.light(16).value() == 16);
}

// Things that fill the view do not move the camera. If it moves afterwards, only that counts.
TEST(test_crowded) {
  Camera camera;
  camera.stand(40);
  camera.place.crowded = true;
  for (int i = 0; i < 30; i++) camera.step({2, 1}, std::polar(1.002, 0.001));
  camera.place.crowded = false;
  camera.stand(60);
  fail_unless(camera.moves == 0);
  camera.pan(10, {6, 0});
  camera.stand(40);
  fail_unless(camera.moves == 1 &&
              std::abs(camera.last.shift - std::complex<double>(60, 0)) < 1e-9);
}

TEST(test_camera) {
  Camera camera;
  camera.stand(40);
  camera.pan(10, {6, -8});
  camera.stand(24);
  fail_unless(camera.moves == 0);
  camera.stand(1);  // a second after the last motion
  fail_unless(camera.moves == 1 &&
              std::abs(camera.last.shift - std::complex<double>(60, -80)) < 1e-9 &&
              std::abs(camera.last.scale - 1.0) < 1e-9);
  camera.stand(100);
  fail_unless(camera.moves == 1);
  camera.step({5, 0}, std::polar(1.1, 0.05));
  camera.stand(30);
  fail_unless(camera.moves == 2 && std::abs(camera.last.scale - std::polar(1.1, 0.05)) < 1e-9 &&
              std::abs(camera.last.shift - std::complex<double>(5, 0)) < 1e-9);
}

// No event without a rest before and after, for less than 2 % of the picture, and after a cut.
TEST(test_no_move) {
  Camera camera;
  camera.pan(60, {8, 0});
  camera.stand(40);
  fail_unless(camera.moves == 0);
  camera.pan(4, {4, 0});
  camera.stand(40);
  fail_unless(camera.moves == 0);
  for (int i = 0; i < 200; i++) camera.step({i % 2 ? 1.5 : -1.5, 0});  // it shakes
  fail_unless(camera.moves == 0);
  camera.place = {};
  camera.stand(40);
  fail_unless(camera.moves == 0);
  camera.time = 0;  // the stream goes back
  camera.pan(5, {8, 0});
  camera.stand(24);
  fail_unless(camera.moves == 0);
  camera.stand(2);
  fail_unless(camera.moves == 1);
}

// Many small moves are a move.
TEST(test_drift) {
  Camera camera;
  camera.stand(40);
  for (int i = 0; i < 5; i++) camera.step({6, 0}), camera.stand(40);
  fail_unless(camera.moves == 1 && std::abs(camera.last.shift - 24.0) < 0.5);
}

// Errors of a path that add up over many minutes are no move. One at once is.
TEST(test_errors_of_path) {
  Camera camera;
  for (int i = 0; i < 60 * 25 * 20; i++) camera.step({0.002, 0.001}, 1 + 2e-8);
  fail_unless(camera.moves == 0, "%d moves after %g px", camera.moves,
              std::abs(camera.place.shift));
  camera.pan(10, {4, 0});
  camera.stand(30);
  fail_unless(camera.moves == 1);
}
