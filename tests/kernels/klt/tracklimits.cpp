// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/klt/tuned.clh that concern the search, residuals and templates, each found
// by what the kernels do with one point.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/klt/planes.h"
#include "kernels/limit.h"
#include "klt/klt.h"
#include "noise/interface.h"

namespace klt = glcl::klt;
using klt::TrackedPoints;
using States = std::vector<cl_int>;

namespace {

constexpr int radius = 3, window = 2 * radius + 1, middle = side / 2;
constexpr double contrast = 20;

/// A random texture of 100 ± contrast. Around the middle its mean is the level there, 100.
class Texture {
 public:
  Texture() {
    std::mt19937 next(7);
    for (int &sign : signs_) sign = next() >> 16 & 1 ? 1 : -1;
    std::array<int, window * window - 1> own;
    for (size_t i = 0; i < own.size(); i++) own[i] = i % 2 ? 1 : -1;
    std::shuffle(own.begin(), own.end(), next);
    size_t i = 0;
    for (int y = -radius; y <= radius; y++)
      for (int x = -radius; x <= radius; x++) sign(middle + x, middle + y) = x || y ? own[i++] : 0;
  }
  double at(int x, int y) const {
    return 100 + contrast * signs_[size_t((y & (side - 1)) * side + (x & (side - 1)))];
  }

 private:
  int &sign(int x, int y) { return signs_[size_t(y * side + x)]; }
  std::array<int, side * side> signs_;
};

/// The level at a place.
using Levels = std::function<double(double x, double y)>;

/// The sum of a · b in the window, about their means. They are functions of the place.
double products(const Levels &a, const Levels &b) {
  double product = 0, of_a = 0, of_b = 0;
  for (int y = middle - radius; y <= middle + radius; y++)
    for (int x = middle - radius; x <= middle + radius; x++)
      product += a(x, y) * b(x, y), of_a += a(x, y), of_b += b(x, y);
  return product - of_a * of_b / (window * window);
}
Levels slope_x(const Levels &of) {
  return [of](double x, double y) { return (of(x + 1, y) - of(x - 1, y)) / 2; };
}
Levels slope_y(const Levels &of) {
  return [of](double x, double y) { return (of(x, y + 1) - of(x, y - 1)) / 2; };
}

const double window_deviation = contrast * std::sqrt(1 - 1.0 / (window * window));

/// A point in the middle and what it sees. All texels of a frame differ from the texture by an
/// offset, so the residual without steps is the difference of offsets.
struct TrackScene {
  double before = 0, after = 0;  // offsets, levels
  double after_contrast = 1;     // relative
  int steps = 0, age = 5, usual = 0;
  float off = 0;  // px from the reported to the tracked position
  float doubts = 0, eigenvalue = 1e6f;
  float noise = 0, slope_gain = 0;  // variance, levels²
  int size = side, radius = ::radius;
  float from = 0, speed = 0, scale = 1;  // px from the middle, px per frame, of the template
  bool check = false;
};

class Follow {
 public:
  klt::TrackedPoint operator()(const TrackScene &scene) {
    return (*this)(scene, levels(1), levels(1, scene.before),
                   levels(scene.after_contrast, scene.after));
  }
  /// A point with a template of those levels, in two frames.
  klt::TrackedPoint operator()(const TrackScene &scene, const Levels &of_template,
                               const Levels &before, const Levels &after) {
    const int corner = middle - scene.size / 2;
    const float at = float(scene.size / 2), x = at + scene.from;
    const cl_int4 own_level{{scene.size, scene.size, pitch, offset + corner * (pitch + 1)}};
    auto points = std::make_unique<TrackedPoints>();
    points->position[0] = {{x + scene.off, at, x, at}};
    points->motion[0] = {{scene.speed, 0, 0, scene.eigenvalue}};
    points->similarity[0] = {{scene.scale, 0, scene.doubts, 0}};
    points->identity[0] = {{1, scene.age, klt::LIVE, 0}};
    States state(klt::STATES);
    state[klt::USUAL_RESIDUAL] = scene.usual;
    std::vector<float> noise(glcl::noise::NOISE_VALUES, scene.noise);
    noise.back() = 0;
    const cl::Buffer all(bench_.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                         sizeof(TrackedPoints), points.get());
    kernel_(*bench_.queue, {kernel_.group().x, 1}, upload(bench_, plane(before)),
            upload(bench_, plane(after)), upload(bench_, std::vector{own_level}),
            upload(bench_, std::vector{klt::Gain{1, scene.slope_gain}}), upload(bench_, noise),
            upload(bench_, state), all, upload(bench_, std::vector<klt::TrackedPoint>(1)),
            upload(bench_, std::vector<cl_ushort>(side * side)),
            upload(bench_, pattern(of_template, scene.radius)),
            upload(bench_, std::vector{cl_int4{{int(at), int(at), scene.radius, 0}}}),
            klt::TrackingLimits{1, scene.radius, scene.steps, 100, scene.check, 0, 1});
    bench_.queue->cl().enqueueReadBuffer(all, CL_TRUE, 0, sizeof(TrackedPoints), points.get());
    return {points->position[0], points->motion[0], points->similarity[0], points->identity[0]};
  }
  /// The levels of the texture.
  Levels levels(double contrast, double offset = 0) const {
    return [=](double x, double y) {
      return 100 + offset + contrast * (texture_.at(int(x), int(y)) - 100);
    };
  }
  bool keeps(const TrackScene &scene) { return (*this)(scene).identity.s[2] == klt::LIVE; }

 private:
  static std::vector<float> pattern(const Levels &of, int radius) {
    std::vector<float> values(klt::TEMPLATE);
    const int rows = 2 * radius + 3, row = (2 * radius + 16) & ~7;
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < row; x++)
        values[size_t(y * row + x)] = float(of(middle - radius - 1 + x, middle - radius - 1 + y));
    return values;
  }

  Bench bench_;
  const int lanes_ = bench_.context->device().is_cpu() ? 1 : 32;
  glcl::Kernel kernel_{
      *bench_.context,
      bench_.context->program("klt/track.cl", "-cl-mad-enable -DLANES=" + std::to_string(lanes_)),
      "klt_follow",
      {size_t(lanes_), 1}};
  Texture texture_;
};

}  // namespace

// The residual with which a point is kept, and that with which it differs from its template.
TEST(test_residuals) {
  Follow follow;
  TrackScene scene;
  expect_number(limit(0, 20,
                      [&](float offset) {
                        scene.after = offset;
                        return follow.keeps(scene);
                      }),
                0.3 * window_deviation, "MOST_RESIDUAL");
  const auto template_limit = [&](int usual) {
    return limit(0, 30, [&](float offset) {
      TrackScene other;
      other.before = other.after = offset, other.usual = usual;
      return follow(other).similarity.s[2] > 0;
    });
  };
  expect_number(template_limit(0), 0.3 * window_deviation, "MOST_RESIDUAL");
  expect_number(template_limit(204), 2.5 * 204 / 1024 * window_deviation, "USUAL_FACTOR");
  expect_number(template_limit(1024), 0.6 * window_deviation, "MOST_NOISY_RESIDUAL");
  TrackScene other;
  other.before = other.after = 15, other.doubts = 1;
  fail_unless(follow.keeps(other), "MOST_DOUBTS: two frames");
  other.doubts = 2;
  fail_unless(!follow.keeps(other), "MOST_DOUBTS: not three");
  TrackScene faint;
  faint.after_contrast = 0.26, faint.steps = 1;
  const klt::TrackedPoint found = follow(faint);
  fail_unless(found.identity.s[2] == klt::LIVE && found.motion.s[2] > 2 && found.motion.s[2] < 5.5f,
              "MOST_GAIN: a residual of %g", found.motion.s[2]);
}

// Noise: the texture that a point needs, its window and its motion.
TEST(test_noise_limits) {
  Follow follow;
  TrackScene scene;
  const double eigenvalue = follow(scene).motion.s[3];
  scene.slope_gain = 1;
  expect_number(limit(0, 1000,
                      [&](float noise) {
                        scene.noise = noise;
                        return follow.keeps(scene);
                      }),
                eigenvalue / ((1 + 3.5 / window) * 1.33 * window * window), "TRACKING_SCATTER");
  TrackScene still;
  still.noise = 16;
  const Levels slope = slope_x(follow.levels(1));
  expect_number(limit(0.01, 2,
                      [&](float off) {
                        still.off = off;
                        return follow(still).position.s[0] > middle + off / 2;
                      }),
                std::sqrt(2 * 16 * 1.33 * 16 / products(slope, slope)), "STATIC_SIGNIFICANCE");
  TrackScene grown;
  grown.age = 0, grown.eigenvalue = 100;
  const double wanted = 12.2;  // px, side of a window whose point moves by 0.03 px
  grown.noise = float(std::pow(wanted * 0.03 / 7, 2) * 100 / (2 * 1.33));
  fail_unless(follow(grown).similarity.s[3] == 3, "LEAST_DEVIATION: it grows by %g",
              follow(grown).similarity.s[3]);
}

namespace {

/// Waves around the middle along both axes, moved by `shift` px along x.
Levels waves(double height, double frequency, double shift = 0) {
  return [=](double x, double y) {
    return 100 + height * (std::sin(frequency * (x - middle - shift)) +
                           std::sin(frequency * (y - middle)));
  };
}

/// A point that was just selected. It has no template yet.
TrackScene selected() {
  TrackScene scene;
  scene.age = 0;
  return scene;
}

/// A search from faint to strong waves. The gain is limited, so a step is too long, and a step back
/// is too short. With noise any residual is allowed.
TrackScene too_fast() {
  TrackScene scene = selected();
  scene.radius = 7, scene.steps = 1, scene.noise = 1e4f, scene.eigenvalue = 1e9f;
  return scene;
}
const Levels faint = waves(5, 0.5);
Levels strong(double shift) { return waves(30, 0.5, shift); }

}  // namespace

// The step that ends a search.
TEST(test_step_limit) {
  Follow follow;
  TrackScene scene = too_fast();
  const auto shift = [&](double moved, int steps) {
    scene.steps = steps;
    return follow(scene, faint, faint, strong(moved)).position.s[2] - middle;
  };
  const double moved =
      limit(0.0005, 0.02, [&](float px) { return std::abs(shift(px, 2) - shift(px, 1)) > 1e-4f; });
  expect_number(shift(moved, 1), 0.005, "ENOUGH");
}

// The texture of a window, and its part in the frame.
TEST(test_window_limits) {
  Follow follow;
  const Levels x = slope_x(follow.levels(1)), y = slope_y(follow.levels(1));
  const double contrast = limit(0.001, 0.01, [&](float part) {
    const Levels faint = follow.levels(part);
    return follow(selected(), faint, faint, faint).identity.s[2] == klt::LIVE;
  });
  expect_number(
      std::pow(contrast, 4) * (products(x, x) * products(y, y) - std::pow(products(x, y), 2)), 0.01,
      "LEAST_DETERMINANT");
  // A window of 31 × 31, of which 15 × 15 and 16 × 16 count.
  TrackScene scene = selected();
  scene.radius = klt::MOST_RADIUS;
  scene.size = 18;
  fail_unless(!follow.keeps(scene), "LEAST_PART: 15²");
  scene.size = 19;
  fail_unless(follow.keeps(scene), "LEAST_PART: 16²");
}

// The speed from which a search begins at the predicted place, and the error of tracking back.
TEST(test_search_limits) {
  Follow follow;
  const Levels still = follow.levels(1);
  const Levels moved = [&](double x, double y) { return still(x - 1, y); };
  expect_number(limit(0.75, 1.2,
                      [&](float speed) {
                        TrackScene scene = selected();
                        scene.speed = speed;
                        return follow(scene, still, still, moved).identity.s[2] == klt::LIVE;
                      }),
                1, "LEAST_SPEED");
  TrackScene scene = too_fast();
  const double shift = limit(0.1, 1.6, [&](float px) {
    scene.check = true;
    return follow(scene, faint, faint, strong(px)).identity.s[2] == klt::LIVE;
  });
  scene.check = false;
  const float there = follow(scene, faint, faint, strong(shift)).position.s[2] - middle;
  scene.from = there;
  expect_number(follow(scene, faint, strong(shift), faint).position.s[2] - middle, 1, "MOST_BACK");
}

namespace {

/// Levels that are symmetric about the middle, so that a window's growth does not depend on its
/// rotation and shift.
Levels symmetric(double height, double scale = 1) {
  return [=](double x, double y) {
    return 100 + height * (std::cos((x - middle) / scale) + std::cos((y - middle) / scale));
  };
}

/// The growth of a point in one step after its surroundings have grown to `scale`. `residual`: the
/// mean difference from its template before that step.
double growth(Follow &follow, double height, double scale, double residual, double noise) {
  const Levels before = symmetric(height), grown = symmetric(height, scale);
  double mean = 0;
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++) mean += grown(middle + x, middle + y);
  const double offset = residual - mean / (window * window) + before(middle, middle);
  TrackScene scene;
  scene.steps = 1, scene.noise = float(noise);
  return follow(scene, before, before, [&](double x, double y) { return grown(x, y) + offset; })
             .similarity.s[0] -
         1;
}

}  // namespace

// The prior of rotation and growth. A growth is e / (g + (noise + ROUNDING) / CHANGE_DEVIATION²),
// where g is the sum of its squared derivatives.
TEST(test_template_prior) {
  Follow follow;
  const Levels levels = symmetric(20), x = slope_x(levels), y = slope_y(levels);
  const Levels grows = [&](double at_x, double at_y) {
    return x(at_x, at_y) * (at_x - middle) + y(at_x, at_y) * (at_y - middle);
  };
  const double squares = products(grows, grows), unit = 0.02 * 0.02;
  const double freely = growth(follow, 20, 1.001, 0, 0);
  const double noise = squares * unit / (2 * 1.33);
  expect_number(freely / growth(follow, 20, 1.001, 0, noise), 2, "CHANGE_DEVIATION");
  const double part = std::sqrt(0.1 / unit / squares);
  expect_number(freely / growth(follow, 20 * part, 1.001, 0, 0), 2 / (1 + part * part), "ROUNDING");
  const double own = growth(follow, 20, 1.01, 5, 0);
  expect_number(
      limit(1, 1000,
            [&](float variance) { return growth(follow, 20, 1.01, 5, variance) < 0.995 * own; }),
      6 * 5 * 5 / (2 * 1.33), "RESIDUAL_NOISE");
}

// The scale of a point, and its distance from the tracked position.
TEST(test_template_limits) {
  Follow follow;
  TrackScene scene;
  scene.steps = 1, scene.noise = 1e4f;
  const auto scale = [&](double low, double high) {
    return limit(low, high, [&](float most) {
      scene.scale = most;
      const Levels levels = symmetric(20);
      return follow(scene, levels, levels, levels).similarity.s[2] > 0;
    });
  };
  expect_number(scale(1.2, 3), 2, "MOST_SCALE");
  expect_number(scale(0.3, 0.8), 0.5, "1 / MOST_SCALE");
  TrackScene smooth;
  smooth.steps = 8, smooth.radius = 7;
  expect_number(limit(2, 5,
                      [&](float shift) {
                        const Levels moved = waves(20, 0.4, shift);
                        return follow(smooth, waves(20, 0.4), moved, moved).similarity.s[2] > 0;
                      }),
                0.5 * 7, "MOST_CORRECTION");
}
