// SPDX-License-Identifier: LGPL-2.1-or-later
// Paths planned with look-ahead: the same as the reference's, within the margin, and smoother than
// the camera's and than those without look-ahead.
#include "klt/pathplanner.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numeric>
#include <random>

#include "kernels/buffers.h"
#include "reference/klt/path.h"

using glcl::klt::CameraStep;
using glcl::klt::PathPlanner;
using glcl::klt::PathWindow;
using glcl::klt::StabilizerFilter;
using glcl::klt::StabilizerState;
using Complex = std::complex<double>;
using reference::klt::Path;

namespace {

constexpr int width = 321, height = 181;

/// The kernel that plans, with a ring of steps.
class Planner {
 public:
  /// `items`: of the group; 0: as PathPlanner.
  explicit Planner(Bench &bench, size_t items = 0) : bench_(bench) {
    if (!items) items = bench.context->device().is_cpu() ? 1 : 64;
    plan_ = glcl::Kernel(*bench.context,
                         bench.context->program("klt/path.cl", "-DITEMS=" + std::to_string(items)),
                         "klt_plan_path", {});
    shown_ = upload(bench, std::vector<glcl::klt::ShownPath>(1));
    state_ = upload(bench, std::vector<StabilizerState>(1));
  }

  /// Plans the frame `first` of a film by `ahead` later ones.
  StabilizerState plan(const std::vector<CameraStep> &film, size_t first, int ahead, int smoothing,
                       double margin) {
    const int frames = ahead + 1;
    std::vector<CameraStep> ring(glcl::klt::KEPT_STEPS);
    const size_t known = std::min(film.size() - first, size_t(frames));
    for (size_t i = first - (first > 0); i < first + known; i++) ring[i % ring.size()] = film[i];
    const PathPlanner::PathWeights weights = PathPlanner::weights(smoothing);
    const std::vector<float> matrices = PathPlanner::inverses(frames, weights);
    const PathWindow window{int(first % ring.size()), int(known), float(weights.jump),
                            float(PathPlanner::path_step)};
    const StabilizerFilter filter{float(smoothing),
                                  float(1 - 2 * margin),
                                  1,
                                  {{float(width - 1) / 2, float(height - 1) / 2}}};
    plan_(*bench_.queue, plan_.group(), upload(bench_, ring), window, filter,
          upload(bench_, matrices), shown_, state_);
    return download<StabilizerState>(bench_, state_, 1)[0];
  }

 private:
  Bench &bench_;
  glcl::Kernel plan_;
  cl::Buffer shown_, state_;
};

CameraStep step_of(double x, double y, double angle = 0, double scale = 1) {
  const Complex grown = std::polar(scale, angle);
  return {{float(x), float(y), float(grown.real() - 1), float(grown.imag())}, 0, 0.9f, 0};
}

Path::Step reference_of(const CameraStep &step) {
  return {{{1.0 + step.motion.dilation, step.motion.rotation}, {step.motion.x, step.motion.y}},
          step.restart != 0,
          step.unknown_count};
}

/// A camera that walks: shake, on a mean motion.
std::vector<CameraStep> walk(int frames, unsigned seed, double shake, double pan = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<CameraStep> film;
  for (int i = 0; i < frames; i++)
    film.push_back(step_of(pan + shake * normal(random), shake * normal(random),
                           0.004 * normal(random), std::exp(0.003 * normal(random))));
  film[0].restart = 1;
  return film;
}

/// The places from the stabilized picture to the frames of a film.
std::vector<Path::Place> places(Planner &planner, const std::vector<CameraStep> &film, int ahead,
                                int smoothing = 50, double margin = 0.1) {
  std::vector<Path::Place> all;
  for (size_t i = 0; i < film.size(); i++) {
    const StabilizerState state = planner.plan(film, i, ahead, smoothing, margin);
    const auto &from = state.from_stabilized;
    all.push_back({{1.0 + from.dilation, from.rotation}, {from.x, from.y}});
  }
  return all;
}

/// The changes of the picture's motion, px of the frame.
std::vector<double> changes(const std::vector<CameraStep> &film,
                            const std::vector<Path::Place> &places) {
  std::vector<Complex> motions;
  for (size_t i = 1; i < film.size(); i++) {
    const Path::Step step = reference_of(film[i]);
    const Complex now = step.motion.grown * places[i].shift + step.motion.shift;
    motions.push_back((now - places[i - 1].shift) / places[i - 1].grown);
  }
  std::vector<double> all;
  for (size_t i = 1; i < motions.size(); i++) all.push_back(std::abs(motions[i] - motions[i - 1]));
  return all;
}

/// The largest change that ends at a frame from `first` on.
double largest_change(const std::vector<CameraStep> &film, const std::vector<Path::Place> &places,
                      int first) {
  const std::vector<double> all = changes(film, places);
  return *std::max_element(all.begin() + first - 2, all.end());
}

/// The root mean square of the changes.
double shake(const std::vector<CameraStep> &film, const std::vector<Path::Place> &places) {
  const std::vector<double> all = changes(film, places);
  return std::sqrt(std::inner_product(all.begin(), all.end(), all.begin(), 0.0) /
                   double(all.size()));
}

double shake(const std::vector<CameraStep> &film) {
  return shake(film, std::vector<Path::Place>(film.size()));
}

/// Fails unless the corners of the visible part lie in the frame.
void expect_inside(const std::vector<Path::Place> &places, double margin, const char *what) {
  const Complex half((width - 1) / 2.0, (height - 1) / 2.0);
  for (size_t i = 0; i < places.size(); i++)
    for (const Complex corner : {half, std::conj(half), -half, -std::conj(half)}) {
      const Complex at = places[i].grown * (1 - 2 * margin) * corner + places[i].shift;
      fail_unless(
          std::abs(at.real()) < half.real() + 0.01 && std::abs(at.imag()) < half.imag() + 0.01,
          "%s, frame %zu: a corner is at (%g, %g)", what, i, at.real(), at.imag());
    }
}

/// Fails unless the plan of each frame equals the reference's.
void compare(Bench &bench, const std::vector<CameraStep> &film, int ahead, int smoothing,
             double margin, const char *what) {
  // Rounding adds up over the window, along all its frames alike.
  const double tolerance = 0.05 * std::max(1.0, ahead / 20.0);
  Planner planner(bench);
  Path path((width - 1) / 2.0, (height - 1) / 2.0);
  std::vector<Path::Step> steps;
  for (const CameraStep &step : film) steps.push_back(reference_of(step));
  const std::vector<Path::Place> own = places(planner, film, ahead, smoothing, margin);
  for (size_t i = 0; i < film.size(); i++) {
    const size_t end = std::min(film.size(), i + size_t(ahead) + 1);
    const Path::Place expected =
        path.plan({steps.begin() + i, steps.begin() + end}, smoothing, margin);
    fail_unless(std::abs(own[i].shift - expected.shift) < tolerance &&
                    std::abs(own[i].grown - expected.grown) < tolerance / 500,
                "%s, frame %zu: (%g, %g), expected (%g, %g)", what, i, own[i].shift.real(),
                own[i].shift.imag(), expected.shift.real(), expected.shift.imag());
    path.replace_last(own[i]);  // else rounding would add up over the film
  }
  expect_inside(own, margin, what);
}

}  // namespace

// The numbers of the optimization.
TEST(test_path_limits) {
  Bench bench;
  for (const unsigned seed : {1, 2, 3}) compare(bench, walk(24, seed, 6), 12, 50, 0.1, "a walk");
  std::vector<CameraStep> turning = walk(20, 4, 1);
  for (size_t i = 6; i < 20; i++) turning[i] = step_of(1, 0, 0.02, 1.01);
  compare(bench, turning, 9, 50, 0.1, "a camera that rotates");
}

// Every look-ahead, smoothing and margin.
TEST(test_settings) {
  Bench bench;
  for (const int ahead : {1, 2, 5, 60})
    compare(bench, walk(70, 5, 4), ahead, 50, 0.1, "look-ahead");
  for (const int smoothing : {0, 1, 12, 10000})
    compare(bench, walk(20, 6, 4), 8, smoothing, 0.1, "smoothing");
  for (const double margin : {0.0, 0.02, 0.4})
    compare(bench, walk(20, 7, 4), 8, 50, margin, "margin");
}

// Groups of every size plan the same path.
TEST(test_groups) {
  Bench bench;
  const std::vector<CameraStep> film = walk(26, 14, 4);
  Planner one(bench, 1), some(bench, 16), many(bench, 64);
  for (size_t i = 0; i < film.size(); i++) {
    const auto a = one.plan(film, i, 20, 50, 0.1).from_stabilized,
               b = some.plan(film, i, 20, 50, 0.1).from_stabilized,
               c = many.plan(film, i, 20, 50, 0.1).from_stabilized;
    fail_unless(std::abs(a.x - b.x) < 0.01 && std::abs(a.x - c.x) < 0.01, "frame %zu: %g, %g, %g",
                i, a.x, b.x, c.x);
  }
}

// After a cut the path begins anew, and before it the later scene does not count.
TEST(test_cut) {
  Bench bench;
  std::vector<CameraStep> film = walk(30, 8, 3);
  film[14] = {{}, 1, -1, 0};
  compare(bench, film, 10, 50, 0.1, "a cut");
  film[15] = {{}, 1, -1, 0};
  compare(bench, film, 10, 50, 0.1, "two cuts");
  std::vector<CameraStep> other = film;
  for (size_t i = 16; i < other.size(); i++) other[i] = step_of(30, -20);
  Planner a(bench), b(bench);
  for (size_t i = 0; i < 14; i++)
    fail_unless(a.plan(film, i, 10, 50, 0.1).from_stabilized.x ==
                    b.plan(other, i, 10, 50, 0.1).from_stabilized.x,
                "frame %zu depends on what follows the cut", i);
}

// Random walks, pans, jumps and a camera at rest: never shakier than the input, and smoother with
// more look-ahead.
TEST(test_smoother) {
  Bench bench;
  const auto jumps = [] {
    std::vector<CameraStep> film = walk(60, 9, 0.5);
    for (size_t i = 10; i < 60; i += 17) film[i] = step_of(25, -12);
    return film;
  };
  const auto pan_begins = [] {
    std::vector<CameraStep> film = walk(60, 10, 1);
    for (size_t i = 25; i < 60; i++) film[i].motion.x += 12;
    return film;
  };
  const std::pair<const char *, std::vector<CameraStep>> films[] = {
      {"a walk", walk(60, 11, 5)},
      {"small shake", walk(60, 12, 0.3)},
      {"a pan", walk(60, 13, 2, 15)},
      {"jumps", jumps()},
      {"a pan begins", pan_begins()},
      {"a camera at rest", std::vector<CameraStep>(60, step_of(0, 0))},
  };
  for (const auto &[what, film] : films) {
    const double before = shake(film);
    double last = before;
    for (const int ahead : {5, 10, 30}) {
      Planner planner(bench);
      std::vector<CameraStep> begun = film;
      begun[0].restart = 1;
      const std::vector<Path::Place> shown = places(planner, begun, ahead);
      expect_inside(shown, 0.1, what);
      const double left = shake(film, shown);
      std::printf("%s: %.3f px, with look-ahead=%d %.3f px\n", what, before, ahead, left);
      fail_unless(left <= std::max(1.1 * last, 0.01), "%s, look-ahead %d: %g px, with less %g px",
                  what, ahead, left, last);
      last = left;
    }
    fail_unless(before == 0 || last < 0.4 * before, "%s: %g of %g px are left", what, last, before);
  }
}

// A camera whose motion is unknown for some frames, or for the rest, while its pan ends: the
// picture is never shakier than the camera.
TEST(test_unknown_motion) {
  Bench bench;
  const int frames = 80, begins = 30;
  for (const int unknown : {1, 3, 12, 25, frames}) {
    std::vector<CameraStep> film;  // as the camera moves
    for (int i = 0; i < frames; i++)
      film.push_back(step_of(std::clamp(20.0 - 0.7 * (i - begins), 0.0, 20.0), 0.2 * (i % 2)));
    film[0].restart = 1;
    std::vector<CameraStep> seen = film;
    for (int i = begins; i < std::min(frames, begins + unknown); i++)
      seen[i].motion = film[begins - 1].motion, seen[i].unknown_count = i - begins + 1;
    for (const int ahead : {10, 20}) {
      const std::string what =
          std::to_string(unknown) + " unknown, look-ahead " + std::to_string(ahead);
      compare(bench, seen, ahead, 50, 0.1, what.c_str());
      Planner planner(bench);
      const std::vector<Path::Place> shown = places(planner, seen, ahead);
      const double before = largest_change(film, std::vector<Path::Place>(film.size()), begins),
                   left = largest_change(film, shown, begins);
      std::printf("%s: changes of up to %.3f px instead of %.3f\n", what.c_str(), left, before);
      fail_unless(left <= 1.2 * before, "%s: changes of up to %g px instead of %g", what.c_str(),
                  left, before);
    }
  }
}

// A fixed picture stands still while the margin suffices for the frames ahead.
TEST(test_fixed) {
  Bench bench;
  std::vector<CameraStep> film(30, step_of(0, 0));
  for (size_t i = 0; i < film.size(); i++)
    film[i] = step_of(i % 2 ? 4 : -4, 2 * std::sin(double(i)));
  film[0].restart = 1;
  Planner planner(bench);
  const double left = shake(film, places(planner, film, 10, 0));
  fail_unless(left < 0.05, "%g px are left", left);
}
