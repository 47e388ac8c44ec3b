// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/hough/tuned.clh for poses and fits, each found by what the kernels do with
// a line of points.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "hough/edgealignment.h"
#include "hough/interface.h"
#include "kernels/buffers.h"
#include "kernels/probe.h"
#include "opencl/buffer.h"

namespace {

/// A line of 64 points from top to bottom, 2 px apart, and the picture around it. The candidate is
/// in the middle, turned by 2.5 degrees.
struct LineScene {
  static constexpr int size = 256, middle = 125, count = 64;
  std::vector<cl_ushort> edges = std::vector<cl_ushort>(size * size),
                         nearby = std::vector<cl_ushort>(size * size);
  float chance = 0.5f, radius = 64;
  int points = count;                   // on the same line
  std::vector<cl_float4> other_points;  // instead of the line's
  cl_float2 scale_range{{0.5f, 2}};

  /// Fills the pixels of points from `first` to before `last`, of a line `shift` px to the right
  /// that is turned by an angle, with a value.
  static void fill(std::vector<cl_ushort> &picture, cl_ushort value, int first = 0,
                   int last = count, int shift = 0, double degrees = 0) {
    const double angle = degrees * std::acos(-1.0) / 180;
    for (int i = 2 * first - count; i < 2 * last - count; i++)
      picture[size_t(std::lrint(middle + std::cos(angle) * i)) * size +
              size_t(std::lrint(middle + shift - std::sin(angle) * i))] = value;
  }
};
constexpr cl_ushort any_direction = 0x7fff, across = 1;  // an edge whose gradient is along x

/// Verifies a candidate.
class Verify {
 public:
  /// The score of a scene's candidate; -1 without one.
  float operator()(const LineScene &scene);
  bool finds(const LineScene &scene) { return (*this)(scene) != -1; }

 private:
  Bench bench_;
  const bool cpu_ = bench_.context->device().is_cpu();
  glcl::Kernel kernel_{*bench_.context,
                       bench_.context->program("hough/verify.cl", cpu_ ? "-DSINGLE_ITEM" : ""),
                       "verify",
                       {cpu_ ? 1u : 128u, 1}};
};

float Verify::operator()(const LineScene &scene) {
  using namespace glcl::hough;
  const cl::Context &context = bench_.context->cl();
  std::vector<cl_float4> points = scene.other_points;
  for (int i = 0; i < scene.points && scene.other_points.empty(); i++) {
    const int spacing = 2 * LineScene::count / scene.points;
    points.push_back(
        {{0, float(spacing * i + spacing / 2 - LineScene::count), 0, 1.0f / float(scene.points)}});
  }
  std::vector<cl_float2> normals;
  for (int i = 0; i < 2 * STEPS; i++)
    normals.push_back({{float(std::cos(i * std::acos(-1.0) / STEPS)),
                        float(std::sin(i * std::acos(-1.0) / STEPS))}});
  cl_int chance;
  std::memcpy(&chance, &scene.chance, sizeof chance);
  Verification search{};
  search.grid.cell = 10, search.grid.pitch = 32, search.grid.cells = {{26, 26}};
  search.scales = {1, 0, 1000};
  search.size = {{LineScene::size, LineScene::size}};
  search.scale_range = scene.scale_range, search.angles = {{-180, 360}};
  search.radius = scene.radius, search.levels = 1;
  const cl_uint index = 12 + 12 * 32;
  const cl::Buffer found = glcl::make_buffer(context, sizeof(FoundTemplate));
  kernel_(*bench_.queue, {kernel_.group().x, 1}, glcl::upload_values(context, scene.edges),
          glcl::upload_values(context, scene.nearby),
          glcl::upload_values(context, std::vector{index}),
          glcl::upload_values(context, std::vector<cl_uint>{1}),
          glcl::upload_values(context, std::vector<cl_ushort>(1024)),
          glcl::upload_values(context, points), glcl::upload_values(context, normals),
          glcl::upload_values(context, std::vector{cl_int4{{0, cl_int(points.size()), chance, 0}}}),
          found, search, cl::Local(FIT_SUMS * kernel_.group().x * sizeof(cl_float)));
  return download<FoundTemplate>(bench_, found, 1)[0].score;
}

}  // namespace

// The variants of a candidate's pose, the points that it needs, and the weight of polarity.
TEST(test_verified) {
  Verify verify;
  const auto is_found = [&](const LineScene &scene) { return verify(scene) != -1; };
  LineScene all_edges;
  all_edges.edges.assign(all_edges.edges.size(), across);
  all_edges.chance = 0.9f;
  const auto variant = [&](int shift, double degrees) {
    LineScene scene = all_edges;
    LineScene::fill(scene.nearby, any_direction, 0, LineScene::count, shift, degrees);
    return is_found(scene);
  };
  fail_unless(variant(4, 0) && variant(8, 0) && !variant(6, 0), "VARIANT_CELLS");
  fail_unless(variant(0, 0) && variant(0, -2.5), "VARIANT_BINS");
  const auto starts = [&](int points) {
    LineScene scene = all_edges;
    scene.chance = 0.5f;
    LineScene::fill(scene.nearby, any_direction, 20, 20 + points);
    return is_found(scene);
  };
  fail_unless(starts(13) && !starts(12), "LEAST_START");
  const auto goes_on = [&](int points) {
    LineScene scene;
    LineScene::fill(scene.nearby, any_direction);
    LineScene::fill(scene.edges, across, 20, 20 + points);
    return is_found(scene);
  };
  fail_unless(goes_on(13) && !goes_on(12), "LEAST_EARLY");
  LineScene mixed;
  mixed.chance = 0.2f;
  LineScene::fill(mixed.nearby, any_direction);
  for (int i = 0; i < LineScene::count; i++)
    LineScene::fill(mixed.edges, i % 2 ? across : across | glcl::hough::EDGE_REVERSED, i, i + 1);
  // A half of the points has another polarity.
  const double meets = 0.5 + 0.5 * 0.3, side = (meets - 0.6) / 0.45;
  expect_number(verify(mixed), 1 - (1 - meets) / 0.8 * (1 - side), "OTHER_POLARITY");
}

namespace {

/// The side of an edge: 1 or -1. The sum is 0, also if each is multiplied by its distance from the
/// middle, so a fit does not move.
int side_of(int i, int count) { return std::min(i, count - 1 - i) % 2 ? 1 : -1; }

/// A scene whose points all have an edge nearby.
LineScene line() {
  LineScene scene;
  LineScene::fill(scene.nearby, any_direction);
  scene.chance = 0.2f;
  return scene;
}

}  // namespace

// The points by which the variants of a pose are compared: every second one of 128.
TEST(test_variants) {
  Verify verify;
  LineScene scene;
  scene.points = 128;
  scene.edges.assign(scene.edges.size(), across);
  scene.chance = 0.9f;
  for (int i = 2; i < scene.points; i += 4)
    scene.nearby[size_t(LineScene::middle - 64 + i) * LineScene::size + LineScene::middle] =
        any_direction;
  fail_unless(verify.finds(scene), "COMPARED_POINTS");
}

// The distance up to which edges are searched in the third fit, which is the first one that
// decides.
TEST(test_rounds) {
  Verify verify;
  LineScene scene = line();
  for (int i = 0; i < LineScene::count; i++)
    LineScene::fill(scene.edges, across, i, i + 1, 2 * side_of(i, LineScene::count));
  scene.radius = 64;
  fail_unless(!verify.finds(scene), "1.9 px");
  scene.radius = 70;
  fail_unless(verify.finds(scene), "2.1 px");
}

// The scale beyond its range.
TEST(test_scale_margin) {
  Verify verify;
  LineScene scene = line();
  LineScene::fill(scene.edges, across);
  expect_number(limit(0.9, 1.3,
                      [&](float least) {
                        scene.scale_range.s[0] = least;
                        return verify.finds(scene);
                      }),
                1.05, "MARGIN");
}

// The visible part of a template, whose other points have no edge.
TEST(test_visible_parts) {
  Verify verify;
  const auto score = [&](int points) {
    LineScene scene = line();
    LineScene::fill(scene.edges, across, 0, points);
    return verify(scene);
  };
  const auto expected = [](double meets, double visible) {
    const double side = (std::min(meets, visible) - 0.6 * visible) / 0.45;
    return 1 - (1 - meets) / 0.8 * (1 - side);
  };
  expect_number(score(24), expected(24 / 64.0, 0.5), "LEAST_VISIBLE");
  // 9 and 8.5 of 16 parts.
  expect_number(score(36), expected(36 / 64.0, 9 / 16.0), "PARTS");
  expect_number(score(34), expected(34 / 64.0, 8 / 16.0), "PARTS");
}

namespace {

/// A disc of points, of which those beyond a line across an axis have no edge.
class Disc {
 public:
  explicit Disc(double degrees) {
    const double angle = degrees * M_PI / 180;
    std::vector<cl_float4> points;
    for (int y = -56; y <= 56; y += 8)
      for (int x = -56; x <= 56; x += 8)
        if (std::hypot(x, y) <= 60) points.push_back({{float(x), float(y), 0, 0}});
    for (cl_float4 &point : points) {
      point.s[3] = 1.0f / float(points.size());
      const size_t place = size_t(LineScene::middle + int(point.s[1])) * LineScene::size +
                           size_t(LineScene::middle + int(point.s[0]));
      const bool seen = std::cos(angle) * point.s[0] + std::sin(angle) * point.s[1] < 8;
      scene.nearby[place] = any_direction;
      scene.edges[place] = seen ? across : 0;
      meets += seen ? point.s[3] : 0;
      seen_.push_back(seen);
    }
    scene.other_points = points;
    scene.chance = 0.2f;
  }
  /// The score with the highest excess over half of the points, by 8 axes.
  double expected() const {
    double most = 0;
    for (int axis = 0; axis < 16; axis++) {
      const double angle = axis * M_PI / 8;
      double visible[16]{}, matched[16]{};
      for (size_t i = 0; i < seen_.size(); i++) {
        const cl_float4 &point = scene.other_points[i];
        const double along =
            (std::cos(angle) * point.s[0] + std::sin(angle) * point.s[1]) / scene.radius;
        const auto part = size_t((along + 1) * 8 + 1e-6);
        visible[part] += point.s[3], matched[part] += seen_[i] ? point.s[3] : 0;
      }
      double all = 0, met = 0;
      for (int i = 0; i < 16; i++) {
        all += visible[i], met += matched[i];
        if (all >= 0.5) most = std::max(most, (met - 0.6 * all) / 0.45);
      }
    }
    return 1 - (1 - meets) / 0.8 * (1 - most);
  }
  LineScene scene;
  double meets = 0;

 private:
  std::vector<bool> seen_;
};

}  // namespace

// The axes along which an object may be covered, and a direction between two of them.
TEST(test_axes) {
  Verify verify;
  for (double degrees : {22.5, 33.75}) {
    const Disc disc(degrees);
    expect_number(verify(disc.scene), disc.expected(), "AXES");
  }
}

// The tolerances of directions, in steps of 2 degrees.
TEST(test_directions) {
  Verify verify;
  const auto finds = [&](int steps) {
    LineScene scene = line();
    LineScene::fill(scene.edges, cl_ushort(across + steps));
    return verify.finds(scene);
  };
  fail_unless(finds(6) && !finds(7), "DIRECTION");
  // Of a direction in the second range, near the first.
  Probe ranges({"hough/edge.clh", "hough/directions.clh"}, "",
               "*out = directions_of((ushort)(a + 1.0f));");
  fail_unless(ranges(6 + 2) == 3, "STEPS_OFF");
}

// The damping of a fit to 1000 points with a weight of 1 / 1000.
TEST(test_damping) {
  Probe fit({"hough/fit.clh"}, "",
            "float sums[15];\n"
            "for (int i = 0; i < 15; i++) sums[i] = 0.0f;\n"
            "sums[0] = sums[4] = sums[7] = sums[9] = 1.0f, sums[10] = 1.0f, sums[14] = 1000.0f;\n"
            "*out = solve4(sums).x;");
  expect_number(fit(0), 0.5, "DAMPING");
}

namespace {

/// Two frames with a vertical line of 40 px in the middle, whose edges are elsewhere in the second.
class Frames {
 public:
  static constexpr int height = 44, rows = 40;
  /// The part of the line that is met. `off`: the distance of a row's edge, px.
  template <class Off>
  double met(int width, Off off) {
    using glcl::hough::STEPS;
    std::vector<cl_ushort> edges(size_t(width) * height);
    std::vector<cl_uint> indices, begins(STEPS + 1, rows);
    begins[0] = 0;
    for (int i = 0; i < rows; i++) {
      const int index = (i + (height - rows) / 2) * width + width / 2;
      indices.push_back(cl_uint(index));
      edges[size_t(index + off(i))] = across;
    }
    constexpr int fine = 2;
    const int columns = ((width - 1) >> fine) + 1;
    const cl_uint middle = cl_uint((height / 2 >> fine) * columns + (width / 2 >> fine));
    const cl::Buffer result = upload(bench_, std::vector<float>(6));
    glcl::hough::EdgeAlignment alignment(*bench_.context, width, height, rows, fine);
    alignment.run(
        *bench_.queue, upload(bench_, edges),
        {upload(bench_, indices), upload(bench_, begins), upload(bench_, std::vector<cl_int>(1)),
         upload(bench_, std::vector<cl_uint>{0, 5}),
         upload(bench_, std::vector<cl_uint>{0, middle})},
        result);
    return download<float>(bench_, result, 6)[4];
  }

 private:
  Bench bench_;
};

}  // namespace

// The distance up to which edges are searched, in the first, second and last fit.
TEST(test_frame_reach) {
  Frames frames;
  const auto reaches = [&](int width, int px) {
    return frames.met(width, [=](int) { return px; }) > 0.5;
  };
  fail_unless(reaches(260, 8) && !reaches(260, 9), "FIRST_REACH");
  fail_unless(reaches(1604, 16) && !reaches(1604, 17), "FIRST_RADIUS");
  const auto meets = [&](int px) {
    return frames.met(260, [=](int i) { return px * side_of(i, Frames::rows); }) > 0.5;
  };
  fail_unless(meets(1) && !meets(2), "LAST_REACH");
  // Four rows are found in the first fit. They move the line by 6 px, and the others come into
  // reach of the second.
  const auto follows = [&](int px) {
    return frames.met(260, [=](int i) { return (i + 2) / 4 == Frames::rows / 8 ? 6 : 6 + px; }) >
           0.5;
  };
  fail_unless(follows(6) && !follows(7), "FRAME_ROUNDS");
}
