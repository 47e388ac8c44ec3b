// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/objects/tuned.clh but for those of blocks, each found by what the kernels
// do with a small scene.
#include <vector>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/limit.h"
#include "kernels/objects/regions.h"
#include "objects/objects.h"
#include "opencl/buffer.h"

using glcl::camera::CameraState;
using glcl::camera::PixelHistory;
using glcl::noise::NoiseState;
using glcl::objects::Deviation;
using glcl::objects::RegionList;
using glcl::objects::StillPixel;

namespace {

constexpr int side = 24, middle = 12, pixels = side * side;

constexpr size_t at(int x, int y) { return size_t(y) * side + size_t(x); }

template <class Value>
void write(Bench &bench, const cl::Buffer &buffer, const std::vector<Value> &values) {
  bench.queue->cl().enqueueWriteBuffer(buffer, CL_TRUE, 0, values.size() * sizeof(Value),
                                       values.data());
}

cl::Buffer make(Bench &bench, size_t bytes) {
  return glcl::make_buffer(bench.context->cl(), bytes);
}

/// A picture without noise, and the still picture before it.
struct StillScene {
  std::vector<float> picture = std::vector<float>(pixels, 100);
  std::vector<StillPixel> before = std::vector<StillPixel>(pixels, StillPixel{{}, 100, 0});
  float step = 0;    // px, motion of the background
  float coding = 0;  // levels², compression noise

  StillPixel &pixel() { return before[at(middle, middle)]; }
  /// Pixels to the right of the middle differ.
  StillScene &edge(float height) {
    for (int i = 0; i < pixels; i++)
      if (i % side > middle) picture[size_t(i)] = 100 + height;
    return *this;
  }
};

class StillKernels {
 public:
  /// The still picture after the scene, at the middle.
  StillPixel after(const StillScene &scene) {
    const glcl::Context &context = *bench_.context;
    const auto frame = glcl::camera::frame_geometry(side, side);
    CameraState state = still_camera();
    state.frame_motion.x = scene.step;
    NoiseState noise{};
    noise.variances[glcl::noise::NOISE_VALUES - 1] = scene.coding;
    const cl::Buffer result = make(bench_, pixels * sizeof(StillPixel));
    still_(*bench_.queue, {side, side}, glcl::upload_values(context.cl(), scene.before),
           glcl::upload_values(context.cl(), scene.picture),
           glcl::upload_values(context.cl(), std::vector{state}),
           glcl::upload_values(context.cl(), std::vector{noise}), frame, 0.14f, cl_int(0), result);
    return download<StillPixel>(bench_, result, pixels)[at(middle, middle)];
  }

  /// The mark of the middle if the pixel `distance` px to its right has evidence.
  int mark(float evidence, int distance) {
    const glcl::Context &context = *bench_.context;
    std::vector<StillPixel> still(pixels);
    still[at(middle + distance, middle)].evidence = evidence;
    const cl::Buffer marks = make(bench_, pixels);
    mark_(*bench_.queue, {side, side}, glcl::upload_values(context.cl(), still),
          glcl::upload_values(context.cl(), std::vector{still_camera()}),
          glcl::camera::frame_geometry(side, side), marks);
    return download<cl_uchar>(bench_, marks, pixels)[at(middle, middle)];
  }

  /// The largest change of the middle's level that keeps the evidence.
  double allowed_change(StillScene scene) {
    scene.pixel().evidence = 1;
    return limit(0, 90, [&](float change) {
      scene.pixel().level = 100 - change;
      return after(scene).evidence > 0;
    });
  }

 private:
  Bench bench_;
  glcl::Kernel still_{
      *bench_.context, bench_.context->program("objects/overlay.cl"), "objects_still", {side, 1}},
      mark_{*bench_.context,
            bench_.context->program("objects/overlay.cl"),
            "objects_overlay",
            {side, 1}};
};

}  // namespace

// The change of a level that an overlay may show.
TEST(test_still_levels) {
  StillKernels kernels;
  StillScene scene;
  expect_number(kernels.allowed_change(scene), 2, "ROUNDING");
  scene.coding = 8;
  expect_number(kernels.allowed_change(scene), 2 + 3 * 4, "DEVIATIONS");
  StillScene steep;
  steep.picture[at(middle + 1, middle)] = 140;
  expect_number(kernels.allowed_change(steep), 2 + 0.25 * 40, "MAX_SHIFT");
  StillScene far;
  far.picture[at(middle + 3, middle)] = 200;
  expect_number(kernels.allowed_change(far), 2 + 0.08 * 100, "RINGING, RINGING_REACH");
  StillScene near;
  near.pixel().level = 99;
  expect_number(kernels.after(near).level - 99, 0.125, "STILL_GAIN");
}

// The motion of the background that an edge needs to be evidence, and the edge.
TEST(test_still_edges) {
  StillKernels kernels;
  StillScene scene;
  scene.pixel().motion.s[0] = 10;
  expect_number(kernels.after(scene).motion.s[0], 9.7, "MOTION_DECAY");
  expect_number(limit(0, 1,
                      [&](float step) {
                        scene.step = step;
                        return kernels.after(scene).motion.s[0] > 9.75f;
                      }),
                0.1, "MIN_MOTION");
  const auto least_edge = [&](float coding, float beside) {
    return limit(1, 99, [&](float height) {
      StillScene edge;
      edge.edge(height).pixel().motion.s[0] = 3;
      edge.coding = coding;
      edge.picture[at(middle, middle + 1)] += beside;
      return kernels.after(edge).evidence > 0;
    });
  };
  expect_number(least_edge(0, 0), 16, "MIN_EDGE");
  expect_number(least_edge(8, 0), 4 * 14, "MIN_EDGE_NOISE");
  expect_number(least_edge(0, 100), 1.5 * (2 + 25), "MIN_EDGE_ALLOWED");
  const auto least_path = [&](StillScene still) {
    return limit(0, 20, [&](float path) {
      still.pixel().motion.s[0] = path / 0.97f;
      return kernels.after(still).evidence > 0;
    });
  };
  expect_number(least_path(StillScene().edge(100)), 1.5, "MIN_PATH");
  StillScene plain;
  plain.before[at(middle + 1, middle)].evidence = 7;
  expect_number(least_path(plain), 4, "MIN_PATH_PLAIN");
}

// Evidence: its sources, its limits, and what an overlay loses.
TEST(test_still_evidence) {
  StillKernels kernels;
  StillScene plain;
  plain.pixel().motion.s[0] = 10;
  plain.before[at(middle, middle + 4)].evidence = 7;
  expect_number(kernels.after(plain).evidence, 7 - 4, "PLAIN_STEP");
  StillScene edge;
  edge.edge(100).pixel() = {{{10, 0}}, 100, 19.5f};
  expect_number(kernels.after(edge).evidence, 20, "MAX_EVIDENCE");
  StillScene other;
  other.pixel() = {{}, 30, 12};
  expect_number(kernels.after(other).evidence, 12 - 4, "EVIDENCE_LOSS");
  expect_number(limit(0, 20,
                      [&](float evidence) {
                        other.pixel().evidence = evidence;
                        return kernels.after(other).evidence > 0;
                      }),
                8, "OVERLAY_FRAMES");
  expect_number(limit(0, 20, [&](float evidence) { return kernels.mark(evidence, 0) > 0; }), 2,
                "DOUBTFUL_FRAMES");
  expect_number(limit(0, 20, [&](float evidence) { return kernels.mark(evidence, 0) == 2; }), 8,
                "OVERLAY_FRAMES");
  fail_unless(kernels.mark(9, 2) == 2 && kernels.mark(9, 4) == 0, "OVERLAY_MARGIN");
}

namespace {

/// A pixel of the background model and what it sees. All pixels are alike.
struct ModelScene {
  float background = 100, candidate = 0, level = 100;
  cl_uchar age = 50, candidate_age = 0;
  float variance = 0;   // levels²
  float noise = 0;      // levels², variance
  float deviation = 0;  // of the scene, levels
  float neighbour = 0;  // additional level of the background to the right of the middle
  int mark = 0;
  bool in_region = false;
  CameraState state = still_camera();
};

struct ModelPixel {
  float background, candidate, variance;
  int age, candidate_age, foreground;
};

class ModelKernel {
 public:
  ModelPixel after(const ModelScene &scene) {
    // As after a measurement, so that the scene's deviation counts.
    noise_.prepare(*bench_.queue, {noise_.variances(), 0, 0});
    NoiseState noise{};
    std::fill_n(noise.variances, 1 + glcl::noise::NOISE_BANDS, scene.noise);
    write(bench_, noise_.state(), std::vector{noise});
    std::vector<cl_float2> levels(pixels, cl_float2{{scene.background, scene.candidate}});
    for (int y = 0; y < side; y++) levels[at(middle + 1, y)].s[0] += scene.neighbour;
    write(bench_, model_.levels(), levels);
    write(bench_, model_.history(),
          std::vector<PixelHistory>(pixels, PixelHistory{{{scene.age, scene.candidate_age}},
                                                         cl_ushort(64 * scene.variance)}));
    write(bench_, model_.marks(), std::vector<cl_uchar>(pixels, cl_uchar(scene.mark)));
    Deviation deviation{};
    deviation.deviation = scene.deviation;
    write(bench_, model_.deviation(), std::vector{deviation});
    RegionList regions{};
    if (scene.in_region) regions.count = 1, regions.regions[0] = {0, 0, side, side, 9, 99, 0, 0};
    model_.run(*bench_.queue, {4.5f, 0.25f},
               glcl::upload_values(bench_.context->cl(), std::vector<float>(pixels, scene.level)),
               glcl::upload_values(bench_.context->cl(), std::vector{scene.state}), rows_, noise_,
               glcl::upload_values(bench_.context->cl(), std::vector{regions}));
    const cl_float2 now = download<cl_float2>(bench_, model_.levels(), pixels)[at(middle, middle)];
    const PixelHistory history =
        download<PixelHistory>(bench_, model_.history(), pixels)[at(middle, middle)];
    return {now.s[0],
            now.s[1],
            history.variance / 64.0f,
            history.ages.s[0],
            history.ages.s[1],
            download<cl_uchar>(bench_, model_.foreground(), pixels)[at(middle, middle)]};
  }

  /// The largest difference from the background that is not foreground.
  double bound(ModelScene scene) {
    return limit(0, 40, [&](float difference) {
      scene.level = scene.background + difference;
      return after(scene).foreground > 0;
    });
  }

  /// The number of frames in which a candidate must be seen, this one included.
  int candidate_frames(ModelScene scene) {
    scene.candidate = scene.level = 200;
    for (scene.candidate_age = 1; scene.candidate_age < 60; scene.candidate_age++)
      if (after(scene).background > 150) return scene.candidate_age + 1;
    return 0;
  }

 private:
  Bench bench_;
  const glcl::camera::FrameGeometry frame_ = glcl::camera::frame_geometry(side, side);
  glcl::noise::Noise noise_{*bench_.context, glcl::noise::Noise::Texels::luma, side, side};
  glcl::camera::RowBrightness rows_{*bench_.context, frame_};
  glcl::objects::BackgroundModel model_{*bench_.context, frame_};
};

const double quiet_bound = 4.5 * std::sqrt(0.15);

}  // namespace

// The difference from which a pixel is foreground.
TEST(test_bound) {
  ModelKernel model;
  ModelScene scene;
  expect_number(model.bound(scene), quiet_bound, "the minimum of compression noise");
  scene.in_region = true;
  expect_number(model.bound(scene), 0.5 * quiet_bound, "FAINT_PART");
  ModelScene noisy;
  noisy.noise = 100;
  expect_number(model.bound(noisy),
                4.5 * std::sqrt(0.375 * 0.375 * 1.33 * 100 * (1 + 1.0 / noisy.age) + 0.15),
                "CORRELATION");
  ModelScene lit;
  lit.state.brightness_peak = 4;
  expect_number(model.bound(lit), quiet_bound + 0.5 * 4, "LAG_PART");
  ModelScene turned;
  turned.neighbour = 20;
  turned.state.from_background.dilation = 1e-7f;
  expect_number(model.bound(turned), quiet_bound + 1.6 * 0.25 * 20, "RESAMPLED_EDGES");
  ModelScene own;
  own.deviation = 1, own.variance = 100;
  expect_number(model.bound(own), 4.5 * 2, "MAX_OWN_PART");
  expect_number(limit(200, 254,
                      [&](float background) {
                        ModelScene bright;
                        bright.background = background, bright.level = background + 4;
                        return model.after(bright).foreground > 0;
                      }),
                250, "SATURATED");
  ModelScene doubtful;
  doubtful.level = 200, doubtful.mark = 3;
  fail_unless(model.after(doubtful).foreground == 8, "DOUBTFUL_EIGHTHS");
}

// How the background follows its level.
TEST(test_means) {
  ModelKernel model;
  ModelScene scene;
  scene.level = 101;
  expect_number(model.after(scene).background - 100, 1.0 / 20, "MEAN_FRAMES");
  scene.state.brightness_peak = 2;
  expect_number(model.after(scene).background - 100, 1.0 / 8, "FOLLOWS_LIGHT");
  scene.age = 90;
  fail_unless(model.after(scene).age == 90, "MAX_AGE");
  ModelScene away;
  away.level = 110;
  expect_number(model.after(away).variance, 100.0 / 50, "VARIANCE_FRAMES");
  expect_number(limit(2, 90,
                      [&](float difference) {
                        away.level = 100 + difference;
                        return model.after(away).variance > 0;
                      }),
                24, "MAX_EXCESS");
}

// When a candidate replaces the background.
TEST(test_candidates) {
  ModelKernel model;
  ModelScene scene;
  scene.age = 10;
  fail_unless(model.candidate_frames(scene) == 5, "CANDIDATE_FRAMES");
  scene.age = 60;
  fail_unless(model.candidate_frames(scene) == 60 / 3, "CANDIDATE_AGES");
  scene.age = 8;
  const float radius = glcl::camera::frame_geometry(side, side).radius;
  scene.state.bend_background.s[0] = 1.4f / (radius * radius);
  fail_unless(model.candidate_frames(scene) == 3, "CANDIDATE_FRAMES_BENT");
  ModelScene young;
  young.level = 200, young.age = 2;
  fail_unless(model.after(young).background == 200, "YOUNG_AGE: a young background goes");
  young.age = 3;
  fail_unless(model.after(young).background == 100, "YOUNG_AGE: an older one stays");
}

// The scene's deviation after a frame with these counts of distances.
TEST(test_deviation) {
  Bench bench;
  const auto frame = glcl::camera::frame_geometry(80, 80);
  glcl::objects::Regions regions(*bench.context, frame);
  const glcl::objects::MotionGroups groups = no_groups(bench, 80, 80);
  const auto deviation = [&](float before, std::vector<std::pair<int, cl_uint>> counts) {
    Deviation state{};
    state.deviation = before;
    for (const auto &[counter, count] : counts) state.histogram[counter] = count;
    const cl::Buffer buffer = make(bench, sizeof state);
    write(bench, buffer, std::vector{state});
    const glcl::Context &context = *bench.context;
    regions.run(*bench.queue, 1, glcl::upload_values(context.cl(), std::vector<cl_uchar>(6400)),
                glcl::upload_values(context.cl(), std::vector<float>(6400)), groups,
                glcl::upload_values(context.cl(), std::vector{still_camera()}), buffer);
    return download<Deviation>(bench, buffer, 1)[0].deviation;
  };
  // Of the 100 counted pixels 97 are close, so a third of the others is within the quantile.
  const double distance = std::exp2((20 + 1.0 / 3) / 4 - 3);
  expect_number(deviation(0, {{4, 97}, {20, 3}}), 0.2 * distance / 2.17,
                "DEVIATION_PART, DEVIATION_SCALE, DEVIATION_RISE");
  expect_number(deviation(0, {{31, 100}}), 0.2 * 8, "MAX_DEVIATION");
  expect_number(deviation(5, {}), 0.99 * 5, "DEVIATION_DECAY");
}

namespace {

/// The number of regions of a list of foreground pixels.
class RegionCounter {
 public:
  int operator()(const std::vector<std::array<int, 4>> &boxes, int least = 1) {
    std::vector<cl_uchar> foreground(pixels);
    for (const auto &[left, top, right, bottom] : boxes)
      for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) foreground[at(x, y)] = 20;
    const glcl::Context &context = *bench_.context;
    regions_.run(*bench_.queue, least, glcl::upload_values(context.cl(), foreground),
                 glcl::upload_values(context.cl(), std::vector<float>(pixels)), groups_,
                 glcl::upload_values(context.cl(), std::vector{still_camera()}),
                 make(bench_, sizeof(Deviation)));
    return download<RegionList>(bench_, regions_.list(), 1)[0].count;
  }

 private:
  Bench bench_;
  glcl::objects::Regions regions_{*bench_.context, glcl::camera::frame_geometry(side, side)};
  glcl::objects::MotionGroups groups_ = no_groups(bench_, side, side);
};

}  // namespace

// The pixels of a cell of 2 × 2 that begin a region or join it.
TEST(test_cells) {
  RegionCounter regions;
  fail_unless(regions({{8, 8, 10, 9}, {8, 9, 9, 10}}) == 1, "STRONG: three pixels begin a region");
  fail_unless(regions({{8, 8, 10, 9}}) == 0, "STRONG: two do not");
  fail_unless(regions({{8, 8, 10, 10}, {10, 8, 12, 9}}, 6) == 1, "WEAK: two pixels join");
  fail_unless(regions({{8, 8, 10, 10}, {10, 8, 11, 9}}, 5) == 0, "WEAK: one does not");
  fail_unless(regions({{8, 8, 10, 10}, {12, 8, 14, 10}}) == 1, "REACH: across a cell");
  fail_unless(regions({{8, 8, 10, 10}, {14, 8, 16, 10}}) == 2, "REACH: not across two cells");
  // Blocks of 16 pixels, the corners missing.

  fail_unless(regions({{8, 8, 12, 11}, {9, 11, 11, 12}, {14, 8, 18, 12}}) == 2,
              "SOLID: blocks of 14 pixels are apart");
  fail_unless(regions({{9, 8, 12, 9},
                       {8, 9, 12, 11},
                       {9, 11, 11, 12},
                       {14, 8, 17, 9},
                       {14, 9, 18, 11},
                       {15, 11, 17, 12}}) == 1,
              "SOLID: sparser ones are one region");
}

namespace {

/// A shadow: the light of the picture relative to the background, and the foreground around.
struct ShadowScene {
  float light = 0.75f;
  float background_colour = 0, colour = 0;  // R - Y, levels
  cl_uchar age = 50;
  std::vector<cl_uchar> foreground = std::vector<cl_uchar>(pixels, 20);
};

class ShadowKernel {
 public:
  /// True if the middle is a shadow.
  bool operator()(const ShadowScene &scene) {
    run(scene);
    return download<cl_uchar>(bench_, marked_, pixels)[at(middle, middle)] == 1;
  }
  /// The colour of the background after the frame, in the middle.
  float colour(const ShadowScene &scene) {
    run(scene);
    return download<cl_short2>(bench_, colours_, pixels)[at(middle, middle)].s[0] / 64.0f;
  }

 private:
  void run(const ShadowScene &scene) {
    const glcl::Context &context = *bench_.context;
    const auto colours = [](float colour) {
      return std::vector<cl_short2>(pixels, cl_short2{{cl_short(64 * colour), 0}});
    };
    kernel_(*bench_.queue, {side, side},
            glcl::upload_values(context.cl(), std::vector<float>(pixels, 128 * scene.light)),
            glcl::upload_values(context.cl(), colours(scene.colour)),
            glcl::upload_values(context.cl(), std::vector{still_camera()}),
            glcl::camera::frame_geometry(side, side),
            glcl::upload_values(context.cl(), std::vector<cl_float2>(pixels, cl_float2{{128, 0}})),
            glcl::upload_values(
                context.cl(), std::vector<PixelHistory>(pixels, PixelHistory{{{scene.age, 0}}, 0})),
            glcl::upload_values(context.cl(), scene.foreground),
            glcl::upload_values(context.cl(), colours(scene.background_colour)), colours_,
            cl_int(0), marked_, changes_);
  }

  Bench bench_;
  glcl::Kernel kernel_{
      *bench_.context,
      bench_.context->program("objects/shadows.cl", glcl::frame_options(Layout::buffer)),
      "objects_shadows",
      {side, 1}};
  cl::Buffer colours_ = make(bench_, pixels * sizeof(cl_short2)), marked_ = make(bench_, pixels),
             changes_ = make(bench_, pixels * sizeof(cl_short));
};

}  // namespace

// How much light a shadow leaves, how much its colour may differ, and the pixels that are compared.
TEST(test_shadow_limits) {
  ShadowKernel is_shadow;
  ShadowScene scene;
  expect_number(limit(0.1, 0.9,
                      [&](float light) {
                        scene.light = light, scene.background_colour = 40;
                        scene.colour = 40 * light;
                        return is_shadow(scene);
                      }),
                0.5, "DARKEST");
  scene.light = 0.75f;
  expect_number(limit(0, 1,
                      [&](float residual) {
                        scene.colour = 30 * (1 + residual);
                        return is_shadow(scene);
                      }),
                0.4, "MAX_RESIDUAL");
  ShadowScene seen;
  seen.foreground.assign(pixels, 0), seen.colour = 40;
  expect_number(is_shadow.colour(seen), 40.0 / 10, "COLOUR_FRAMES");
  ShadowScene old;
  old.age = 3;
  fail_unless(is_shadow(old), "MIN_AGE");
  old.age = 2;
  fail_unless(!is_shadow(old), "MIN_AGE: the background is too young");
  const auto with = [&](int count, int distance) {
    ShadowScene few;  // in colour: without texture and colour only rounding decides
    few.background_colour = 40, few.colour = 30;
    few.foreground.assign(pixels, 0);
    few.foreground[at(middle, middle)] = 20;
    for (int i = 0; i < count - 1; i++) few.foreground[at(middle - 2 + i, middle + distance)] = 20;
    return is_shadow(few);
  };
  fail_unless(with(6, 2) && !with(5, 2), "MIN_PIXELS");
  fail_unless(with(6, 2) && !with(6, 3), "WINDOW");
}
