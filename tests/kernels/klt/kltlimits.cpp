// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/klt/tuned.clh that concern selection, cuts, blank frames, views and the
// steady picture, each found by what the kernels do with a few points.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/klt/planes.h"
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

/// The state after a frame whose motion was known.
klt::StabilizerState after_known(float motion) {
  klt::StabilizerState state{};
  state.camera.x = motion, state.camera_weight = 1;
  return state;
}

/// A frame for the stabilizer: `inliers` of `vectors` points moved by `motion` px along x. One
/// point is `offset` px to the right of its anchor.
struct SteadyScene {
  float inliers = 6, vectors = 6, motion = 0, smoothing = 10, offset = 16, coverage = 1;
  float zoom = 0.9f;
  klt::StabilizerState before = after_known(0);
};

Steadied steadied(Bench &bench, const SteadyScene &scene) {
  glcl::camera::CameraState camera{};
  camera.coverage = scene.coverage, camera.inliers = scene.inliers;
  camera.vector_count = scene.vectors, camera.vector_motion.x = scene.motion;
  const cl::Buffer anchors = upload(bench, std::vector{klt::Anchor{{{0, 0}}, 1, 0}}),
                   now = upload(bench, std::vector<klt::StabilizerState>(1));
  glcl::Kernel update(
      *bench.context,
      bench.context->program("klt/stabilize.cl", glcl::frame_options(Layout::buffer)),
      "klt_update_stabilizer", {1, 1});
  const float x = 100 + scene.offset;
  update(*bench.queue, {1, 1}, points_of(bench, 1, 0, {{x, 100, x, 100}}), cl_int(1),
         upload(bench, States(klt::STATES)), upload(bench, std::vector{camera}), cl_int(0),
         klt::StabilizerFilter{scene.smoothing, scene.zoom, 1, {{100, 100}}},
         upload(bench, std::vector{scene.before}), now, anchors);
  return {download<klt::StabilizerState>(bench, now, 1)[0],
          download<klt::Anchor>(bench, anchors, 1)[0]};
}

}  // namespace

// The points that show the camera's motion, and how the stabilizer follows.
TEST(test_stabilizer_limits) {
  Bench bench;
  const auto follows = [&](float inliers, float vectors) {
    return steadied(bench, {inliers, vectors, 5}).state.velocity.x > 0;
  };
  fail_unless(follows(6, 6) && !follows(5, 5), "LEAST_INLIERS");
  fail_unless(follows(10, 80) && !follows(9, 80), "LEAST_SHARE");
  // The margin is 10 px.
  const double kept = std::exp(-1.0 / 10 - 0.07);
  expect_number(steadied(bench, {6, 6, 20}).state.velocity.x, 20 * std::pow(1 - kept, 2),
                "MARGIN_DECAY");
}

// Anchors: of a picture that follows the camera they are the positions of points. Those of a fixed
// picture stay, unless few points agree and this one does not.
TEST(test_anchor_limits) {
  Bench bench;
  const auto anchor = [&](const SteadyScene &scene) {
    return double(steadied(bench, scene).anchor.position.s[0]);
  };
  SteadyScene scene;
  fail_unless(anchor(scene) == 16, "a picture that follows has an anchor at %g", anchor(scene));
  scene.smoothing = 0;
  expect_number(anchor(scene), 16 * 0.0625, "ANCHOR_RATE");
  scene.vectors = 100;
  expect_number(limit(0, 100,
                      [&](float inliers) {
                        scene.inliers = std::max(inliers, 13.0f);
                        return anchor(scene) < 16;
                      }),
                60, "FEW_AGREE");
  scene.inliers = 20;
  expect_number(limit(0, 16,
                      [&](float offset) {
                        scene.offset = offset;
                        return anchor(scene) > 0.99 * offset;
                      }),
                1.5, "AGREES");
}

// A motion that does not reach across the frame is known if it continues the mean of those before.
TEST(test_camera_motion) {
  Bench bench;
  SteadyScene scene;
  scene.before = after_known(20), scene.coverage = 0;
  const auto state = [&](float motion) {
    scene.motion = motion;
    return steadied(bench, scene).state;
  };
  expect_number(limit(20, 60, [&](float motion) { return state(motion).unknown_count > 0; }), 25,
                "CONTINUES");
  fail_unless(state(-20).unknown_count == 1 && state(16).unknown_count == 0, "CONTINUES");
  expect_number(state(23).camera_weight, 1.5, "CAMERA_MEMORY");
  expect_number(state(23).camera.x, 22, "CAMERA_MEMORY");
  fail_unless(state(60).camera.x == 20 && state(60).camera_weight == 0.5f, "CAMERA_MEMORY");
  scene.before = after_known(0);
  fail_unless(state(0.1f).unknown_count == 1, "a camera that stands does not begin to move");
}

// An unknown motion is assumed to be the mean of those before, and the velocity stays. When the
// motion is known again, the velocity takes on part of the difference.
TEST(test_unknown_motion) {
  Bench bench;
  SteadyScene scene;
  scene.before = after_known(3), scene.before.velocity.x = 3;
  scene.motion = 20, scene.coverage = 0.4f;
  const klt::StabilizerState state = steadied(bench, scene).state;
  fail_unless(state.velocity.x == 3 && std::abs(state.from_stabilized.x) < 1e-4,
              "velocity %g, position %g", state.velocity.x, state.from_stabilized.x);
  scene.coverage = 1, scene.smoothing = 10000, scene.motion = 4;
  fail_unless(std::abs(steadied(bench, scene).state.velocity.x - 3) < 0.01, "it was known");
  scene.before.unknown_count = 2;
  expect_number(steadied(bench, scene).state.velocity.x - 3, 1 - 0.9 * 0.9, "TRUST");
}

// A pan in which a subject often hides the motion of the camera: the picture's motion changes less
// than the camera's.
TEST(test_hidden_pan) {
  Bench bench;
  const int count = 60;
  for (const int period : {2, 3, 6, count}) {
    SteadyScene scene;
    scene.zoom = 0.5f, scene.smoothing = 50;
    double camera = 0, shown = 0, own_changes = 0, changes = 0;
    for (int i = 0; i < count; i++) {
      const bool known = i < 8 || i % period == 0;
      const double motion = -10 * std::min(i / 8.0, 1.0) + std::sin(2.0 * i);
      scene.motion = known ? float(motion) : 0.5f, scene.coverage = known ? 1 : 0;
      const klt::StabilizerState state = steadied(bench, scene).state;
      // The picture goes against the shift from it to the frame.
      const double picture = motion + state.from_stabilized.x - scene.before.from_stabilized.x;
      if (i > 0) {
        own_changes += std::pow(motion - camera, 2);
        changes += std::pow(picture - shown, 2);
      }
      camera = motion, shown = picture, scene.before = state;
    }
    const double part = std::sqrt(changes / own_changes);
    std::printf("known in 1 of %d frames: %.2f of the camera's changes\n", period, part);
    fail_unless(part <= 1, "known in 1 of %d frames: %g of the camera's changes", period, part);
  }
}

// The first motion becomes the velocity if the margin would not last.
TEST(test_first_motion) {
  Bench bench;
  SteadyScene scene;
  scene.smoothing = 10000, scene.before = {}, scene.motion = 1;
  // The margin is 10 px.
  expect_number(steadied(bench, scene).state.velocity.x, 0.4 * 0.4, "FIRST_FRAMES");
}

// A shift uses half of the margin that the one before left, on both sides.
TEST(test_margin_end) {
  Bench bench;
  SteadyScene scene;
  scene.motion = 100, scene.smoothing = 10000;
  scene.before.from_stabilized.x = -4, scene.before.to_stabilized.x = 4;
  expect_number(steadied(bench, scene).state.from_stabilized.x, -7, "EASE");
  scene.motion = -100;
  scene.before.from_stabilized.x = 4, scene.before.to_stabilized.x = -4;
  expect_number(steadied(bench, scene).state.from_stabilized.x, 7, "EASE");
}

namespace {

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
