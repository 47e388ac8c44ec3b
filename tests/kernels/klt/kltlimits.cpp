// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/klt/tuned.clh, each found by what the kernels do with a few points.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/limit.h"
#include "klt/klt.h"
#include "noise/interface.h"
#include "opencl/buffer.h"

namespace klt = glcl::klt;
using klt::TrackedPoints;
using States = std::vector<cl_int>;

namespace {

glcl::Program group_program(Bench &bench, const char *path) {
  return bench.context->program(path, glcl::one_group_option(bench.context->device().device));
}

/// Points, of which the first are alive and the others lost.
cl::Buffer points_of(Bench &bench, int alive, int lost, cl_float4 position = {}) {
  auto points = std::make_unique<TrackedPoints>();
  for (int i = 0; i < alive + lost; i++) {
    points->identity[i] = {{i + 1, 5, i < alive ? klt::LIVE : klt::LOST, 0}};
    points->position[i] = position;
  }
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof(TrackedPoints), points.get());
}

}  // namespace

namespace {

/// Points of a frame 100 px wide after tracking.
struct CutScene {
  int alive = 0, lost = 100;
  int usual = 0;   // the usual number before
  int others = 0;  // lost points that move by `speed` px per frame, at `age` frames
  float speed = 0;
  int age = 5;
};

}  // namespace

// The lost points that show a cut.
TEST(test_cut_limits) {
  Bench bench;
  glcl::Kernel remove(*bench.context, group_program(bench, "klt/points.cl"), "klt_remove_lost", {});
  const auto after = [&](const CutScene &scene) {
    States state(klt::STATES);
    state[klt::USUAL_COUNT] = scene.usual;
    std::vector<klt::TrackedPoint> tracked(128);
    for (int i = 0; i < scene.alive + scene.lost; i++) {
      const bool other = i >= scene.alive + scene.lost - scene.others;
      tracked[size_t(i)].motion.s[0] = other ? scene.speed : 0;
      tracked[size_t(i)].identity.s[1] = other ? scene.age : 5;
    }
    const cl::Buffer states = upload(bench, state), vacant = upload(bench, States(128));
    remove(*bench.queue, remove.group(), points_of(bench, scene.alive, scene.lost), states, vacant,
           upload(bench, tracked), klt::SlotUpdate{128, 128, 0, 0, 0, 1, 100},
           cl::Local(remove.group().x * sizeof(cl_int)));
    return download<cl_int>(bench, states, klt::STATES);
  };
  const auto cut = [&](const CutScene &scene) { return after(scene)[klt::CUT] == 1; };
  fail_unless(cut({0, 16}) && !cut({0, 15}), "CUT_LEAST");
  fail_unless(cut({19, 41}) && !cut({20, 40}), "CUT_PARTS");
  fail_unless(cut({0, 100, 228}) && !cut({0, 100, 229}), "CUT_USUAL");
  fail_unless(after({0, 100, 230})[klt::USUAL_COUNT] == 202, "USUAL_DECAY");
  fail_unless(cut({0, 100, 0, 50, 5.1f}) && !cut({0, 100, 0, 51, 5.1f}), "CUT_CALM");
  fail_unless(cut({0, 100, 0, 100, 4.9f}), "FAST");
  fail_unless(cut({0, 100, 0, 50, 0, 0}) && !cut({0, 100, 0, 51, 0, 0}),
              "points that were not tracked before show no cut");
}

// The eigenvalue that noise may reach by chance.
TEST(test_selection_limit) {
  Bench bench;
  glcl::Kernel select(*bench.context, group_program(bench, "klt/select.cl"), "klt_select", {});
  expect_number(
      limit(0.1, 20,
            [&](float eigenvalue) {
              cl_uint bits;
              std::memcpy(&bits, &eigenvalue, sizeof bits);
              States state(klt::STATES);
              state[klt::SELECTS] = state[klt::CANDIDATE_COUNT] = state[klt::MAX_NEW] = 1;
              state[klt::BEST_EIGENVALUE] = cl_int(bits);
              const cl::Buffer states = upload(bench, state),
                               selected = upload(bench, std::vector<cl_ulong>(1));
              const size_t items = select.group().x;
              select(*bench.queue, select.group(), upload(bench, std::vector{cl_ulong(bits) << 32}),
                     states, cl_int2{{64, 64}}, klt::Threshold{0, 0, 1},
                     upload(bench, std::vector<float>(glcl::noise::NOISE_VALUES, 4)), selected,
                     cl::Local(sizeof(cl_int) << klt::LOG_BINS), cl::Local(items * sizeof(cl_int)),
                     cl::Local(3 * sizeof(cl_int)));
              return download<cl_int>(bench, states, klt::STATES)[klt::SELECTED_COUNT] == 1;
            }),
      2 * 1.33 * 4, "SELECTION_SCATTER");
}

namespace {

struct Steadied {
  klt::StabilizerState state;
  klt::Anchor anchor;
};

/// The stabilizer after a frame whose points moved by `motion` px along x. Its point is 16 px to
/// the right of its anchor.
Steadied steadied(Bench &bench, float inliers, float vectors, float motion, float smoothing) {
  glcl::camera::CameraState camera{};
  camera.coverage = 1, camera.inliers = inliers, camera.vector_count = vectors;
  camera.vector_motion.x = motion;
  const cl::Buffer anchors = upload(bench, std::vector{klt::Anchor{{{0, 0}}, 1, 0}}),
                   now = upload(bench, std::vector<klt::StabilizerState>(1));
  glcl::Kernel update(
      *bench.context,
      bench.context->program("klt/stabilize.cl", glcl::frame_options(Layout::buffer)),
      "klt_update_stabilizer", {1, 1});
  update(*bench.queue, {1, 1}, points_of(bench, 1, 0, {{116, 100, 116, 100}}), cl_int(1),
         upload(bench, States(klt::STATES)), upload(bench, std::vector{camera}), cl_int(0),
         klt::StabilizerFilter{smoothing, 0.9f, 1, {{100, 100}}},
         upload(bench, std::vector<klt::StabilizerState>(1)), now, anchors);
  return {download<klt::StabilizerState>(bench, now, 1)[0],
          download<klt::Anchor>(bench, anchors, 1)[0]};
}

}  // namespace

// The points that show the camera's motion, and how the stabilizer follows.
TEST(test_stabilizer_limits) {
  Bench bench;
  const auto follows = [&](float inliers, float vectors) {
    return steadied(bench, inliers, vectors, 5, 10).state.velocity.x > 0;
  };
  fail_unless(follows(6, 6) && !follows(5, 5), "LEAST_INLIERS");
  fail_unless(follows(10, 80) && !follows(9, 80), "LEAST_SHARE");
  expect_number(steadied(bench, 6, 6, 0, 10).anchor.position.s[0], 16 * 0.0625, "ANCHOR_RATE");
  // The margin is 10 px.
  const double kept = std::exp(-1.0 / 10 - 0.1);
  expect_number(steadied(bench, 6, 6, 20, 10).state.velocity.x, 20 * std::pow(1 - kept, 2),
                "MARGIN_DECAY");
}

namespace {

constexpr int side = 128, pitch = side + 32, offset = 16 * pitch + 16;
constexpr cl_int4 level{{side, side, pitch, offset}};

/// A plane with a border, by a function of the place.
template <class Function>
std::vector<float> plane(Function value) {
  std::vector<float> texels(size_t(pitch) * (side + 32));
  for (int y = -16; y < side + 16; y++)
    for (int x = -16; x < side + 16; x++)
      texels[size_t(offset + y * pitch + x)] = float(value(x, y));
  return texels;
}

/// A square wave of 4 px along both axes. Around each place (4 i + 2, 4 j + 2) both eigenvalues are
/// 12 times the squared height.
double wave(int x, int y) { return ((x + 16) / 2 % 2 + (y + 16) / 2 % 2); }

/// Two frames with such a texture, and points, most of them lost. In the second frame only the area
/// from (0, 0) to `kept` has texture.
struct BlankScene {
  int alive = 0, lost = 100;
  int textured = 0;  // lost points in the area with texture
  cl_int2 kept{};
  double before = 80, after = 80;  // heights
  float noise = 0;
  int blank_before = 0;
  int kept_count = 0, kept_age = 0;  // points of the kept scene that are lost since; frames
};

struct BlankFound {
  int blank, returns;
};

BlankFound find_blank(Bench &bench, glcl::Kernel &find, const BlankScene &scene) {
  const auto before = plane([&](int x, int y) { return scene.before * wave(x, y); });
  const auto after = plane([&](int x, int y) {
    const bool has = x < scene.kept.s[0] && y < scene.kept.s[1];
    return has ? scene.after * wave(x, y) : 0;
  });
  const int slots = std::max(scene.alive + scene.lost, scene.kept_count);
  std::vector<klt::TrackedPoint> tracked(static_cast<size_t>(slots));
  for (size_t i = 0; i < tracked.size(); i++) {
    const float at = int(i) < scene.alive + scene.textured ? 6 : side - 10;
    tracked[i].position = {{at, at, at, at}};
  }
  States state(klt::STATES);
  state[klt::BLANK_COUNT] = scene.blank_before, state[klt::KEPT_AGE] = scene.kept_age;
  auto kept = std::make_unique<TrackedPoints>();
  for (int i = 0; i < scene.kept_count; i++) {
    kept->identity[i] = {{1000 + i, 5, klt::LIVE, 0}};
    kept->position[i] = {{side - 10, side - 10, side - 10, side - 10}};
  }
  const cl::Buffer kept_points(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                               sizeof(TrackedPoints), kept.get());
  std::vector<float> noise(glcl::noise::NOISE_VALUES, scene.noise);
  const cl::Buffer states = upload(bench, state),
                   points = points_of(bench, scene.alive, scene.lost), now = upload(bench, noise),
                   usual = upload(bench, noise);
  const cl::Buffer then = upload(bench, before);
  find(*bench.queue, find.group(), then, upload(bench, after), then, now, usual,
       upload(bench, tracked), kept_points, points, states,
       klt::BlankSearch{level, level, 1, slots, 20, scene.kept_count > 0},
       cl::Local(find.group().x * sizeof(cl_int)));
  const States result = download<cl_int>(bench, states, klt::STATES);
  return {result[klt::BLANK_COUNT], result[klt::KEPT_RETURNS]};
}

bool is_blank(Bench &bench, glcl::Kernel &find, const BlankScene &scene) {
  return find_blank(bench, find, scene).blank > 0;
}

}  // namespace

// The lost points and the windows without texture that make a frame blank.
TEST(test_blank_parts) {
  Bench bench;
  glcl::Kernel find(*bench.context, group_program(bench, "klt/blank.cl"), "klt_find_blank", {});
  const auto blank = [&](const BlankScene &scene) { return is_blank(bench, find, scene); };
  fail_unless(blank({49, 51}) && !blank({50, 50}), "START_PARTS");
  BlankScene first{74, 26}, second{75, 25};
  first.blank_before = second.blank_before = 1;
  fail_unless(blank(first) && !blank(second), "CONTINUE_PARTS");
  fail_unless(blank({10, 90, 30, {{16, side}}}) && !blank({10, 90, 31, {{16, side}}}),
              "TEXTURED_PARTS");
  fail_unless(blank({20, 80, 0, {{46, side}}}) && !blank({20, 80, 0, {{64, side}}}),
              "TRACKED_FACTOR");
  // 4 × 6 windows of 32 × 32, and 4 × 12.
  fail_unless(blank({0, 100, 0, {{12, 20}}}) && !blank({0, 100, 0, {{12, 44}}}), "SPARE_PARTS");
  // Only windows around columns 1 to 5 have texture. Those are around column 2, 6 and so on.
  fail_unless(blank({0, 100, 0, {{3, side}}}), "GRID");
}

// After a blank frame, the texture that a thing before the lens leaves.
TEST(test_hidden) {
  Bench bench;
  glcl::Kernel find(*bench.context, group_program(bench, "klt/blank.cl"), "klt_find_blank", {});
  const auto blank = [&](int textured, int kept, int before) {
    BlankScene scene{0, 100, textured, {{kept, side}}};
    scene.blank_before = before;
    return is_blank(bench, find, scene);
  };
  fail_unless(blank(33, 62, 1) && !blank(34, 62, 1), "a third of the lost points");
  fail_unless(!blank(33, 70, 1), "HIDDEN_PARTS");
  fail_unless(!blank(33, 62, 0), "only after a blank frame");
}

// The scene that returns where points were lost over some frames.
TEST(test_kept_scene) {
  Bench bench;
  glcl::Kernel find(*bench.context, group_program(bench, "klt/blank.cl"), "klt_find_blank", {});
  const auto returns = [&](int lost, int kept, int age) {
    BlankScene scene{0, lost};
    scene.kept_count = kept, scene.kept_age = age;
    const BlankFound found = find_blank(bench, find, scene);
    fail_unless(!found.returns || found.blank == age + 1, "it is blank since the kept scene");
    return found.returns == 1;
  };
  fail_unless(returns(30, 91, 4) && !returns(30, 90, 4), "KEPT_PARTS");
  fail_unless(returns(30, 91, 10) && !returns(30, 91, 11), "KEPT_FRAMES");
  fail_unless(!returns(30, 91, 0), "not in its own frame");
}

// The texture in a window.
TEST(test_blank_texture) {
  Bench bench;
  glcl::Kernel find(*bench.context, group_program(bench, "klt/blank.cl"), "klt_find_blank", {});
  const auto height = [&](double before, float noise) {
    return limit(0.05, 20, [&](float after) {
      BlankScene scene;
      scene.kept = {{16, 16}}, scene.textured = 100;
      scene.before = before, scene.after = after, scene.noise = noise;
      return is_blank(bench, find, scene);
    });
  };
  expect_number(height(2, 0), std::sqrt((1 + 0.004 * 12 * 4) / 12), "LEAST_TEXTURE");
  expect_number(height(100, 0), std::sqrt(0.004 * 100 * 100), "LEAST_REMAINING");
  expect_number(height(4, 1), std::sqrt((1.5 * 1.33 * 49 + 0.004 * 12 * 16) / 12), "ABOVE_NOISE");
}

namespace {

/// Two frames of 32×32 cells of 4×4 px, whose details are random. All points are lost; they lie in
/// a corner that has texture in both frames.
class ViewScene {
 public:
  /// The level of a cell of the second frame.
  using Cell = std::function<double(int x, int y)>;
  struct Found {
    bool stays, blank;
  };

  explicit ViewScene(Bench &bench)
      : bench_(bench),
        find_(*bench.context, group_program(bench, "klt/blank.cl"), "klt_find_blank", {}) {
    std::mt19937 next(3);
    for (auto *list : {&own_, &other_})
      for (double &value : *list) value = 60.0 * double(next() >> 8) / (1 << 24) - 30;
  }

  /// `blank_before`: blank frames before. `bright`: texels at 255 of each cell on the right.
  Found operator()(const Cell &cell, int blank_before = 0, int bright = 0) {
    const auto textured = [](int x, int y) { return x < 16 && y < 16 ? 30 * (wave(x, y) - 1) : 0; };
    const auto at = [](int place) { return std::clamp(place / 4, 0, 31); };
    const auto before =
        plane([&](int x, int y) { return 128 + own(at(x), at(y)) + textured(x, y); });
    const auto after = plane([&](int x, int y) {
      const bool saturated = x >= side / 2 && x % 4 + y % 4 * 4 < bright;
      return saturated ? 255 : cell(at(x), at(y)) + textured(x, y);
    });
    std::vector<klt::TrackedPoint> tracked(100);
    for (klt::TrackedPoint &point : tracked) point.position = {{6, 6, 6, 6}};
    States state(klt::STATES);
    state[klt::BLANK_COUNT] = blank_before;
    const std::vector<float> noise(glcl::noise::NOISE_VALUES);
    const cl::Buffer states = upload(bench_, state), points = points_of(bench_, 0, 100),
                     now = upload(bench_, noise), usual = upload(bench_, noise),
                     then = upload(bench_, before);
    find_(*bench_.queue, find_.group(), then, upload(bench_, after), then, now, usual,
          upload(bench_, tracked), points_of(bench_, 0, 0), points, states,
          klt::BlankSearch{level, level, 1, 100, 20, 0},
          cl::Local(find_.group().x * sizeof(cl_int)));
    const States result = download<cl_int>(bench_, states, klt::STATES);
    return {result[klt::VIEW_STAYS] == 1, result[klt::BLANK_COUNT] > 0};
  }
  /// Details of the first frame, also beyond its edges, and those of another one.
  double own(int x, int y) const {
    const int column = (x + 64) % 64;
    return height * (std::sqrt(1 - periodic * periodic) * own_[size_t(64 * y + column)] +
                     periodic * other_[size_t(64 * y + column % 8)]) +
           (x >= first_bright ? 90 : 0);
  }
  double other(int x, int y) const { return height * other_[size_t(64 * y + (x + 64) % 64)]; }

  double height = 1, periodic = 0;  ///< of the details; their part that repeats every 8 columns
  int first_bright = 64;            ///< column

 private:
  Bench &bench_;
  glcl::Kernel find_;
  std::array<double, size_t(64) * 32> own_{}, other_{};
};

}  // namespace

// How well views agree that show one scene.
TEST(test_views) {
  Bench bench;
  ViewScene scene(bench);
  /// A part of the detail is the scene's own.
  const auto mixed = [&](int x, int y, double part, int shift) {
    return 128 + part * scene.own(x - shift, y) + std::sqrt(1 - part * part) * scene.other(x, y);
  };
  const auto flash = [&](double part, int columns, int blank_before = 0) {
    return scene([&](int x, int y) { return x >= 32 - columns ? 255 : mixed(x, y, part, 0); },
                 blank_before);
  };
  fail_unless(flash(1, 4).blank && !flash(1, 3).blank, "BRIGHT_PARTS");
  // The edge of the saturated columns is a detail too, so 0.77 of the others must agree.
  const double same = limit(0.1, 0.95, [&](double part) { return flash(part, 4).blank; });
  fail_unless(same > 0.7 && same < 0.85, "SAME_VIEW: %g", same);
  fail_unless(flash(1, 4, 4).blank && !flash(1, 4, 5).blank && flash(1, 4, 5).stays,
              "FLASH_FRAMES");
  const double shifted = limit(0.3, 1, [&](double part) {
    return scene([&](int x, int y) { return mixed(x, y, part, 5); }).stays;
  });
  fail_unless(shifted > 0.85 && shifted < 0.95, "SHIFTED_VIEW: %g", shifted);
  const auto shifted_by_5 = [&] {
    return scene([&](int x, int y) { return mixed(x, y, 1, 5); }).stays;
  };
  // Details that repeat agree by the square of their part at other shifts.
  const double repeated = limit(0, 1, [&](double part) {
    scene.periodic = part;
    return shifted_by_5();
  });
  fail_unless(repeated > 0.82 && repeated < 0.92, "CLEAR_SHIFT: %g", repeated);
}

// The cells that are compared.
TEST(test_view_cells) {
  Bench bench;
  ViewScene scene(bench);
  const auto same = [&](int x, int y) { return 128 + scene.own(x, y); };
  const auto bright = [&](double level) {
    return scene([&](int x, int y) { return x >= 28 ? level : same(x, y); }).blank;
  };
  fail_unless(bright(248) && !bright(247), "SATURATED_LEVEL");
  fail_unless(scene(same, 0, 5).blank && !scene(same, 0, 4).blank, "SATURATED_PART");
  const auto known = [&](int columns) {
    scene.first_bright = columns;
    return scene([&](int x, int y) { return x < columns ? same(x, y) : 255; }).blank;
  };
  fail_unless(known(2) && !known(1), "KNOWN_PARTS");
  scene.first_bright = 64;
  // Details have a deviation of 17 levels, of which smoothing leaves 0.37.
  const double height = limit(0, 1, [&](double part) {
    scene.height = part;
    return scene([&](int x, int y) { return 128 + scene.own(x - 5, y); }).stays;
  });
  fail_unless(height > 0.088 && height < 0.125, "DETAIL_NOISE: %g", height);
}

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
