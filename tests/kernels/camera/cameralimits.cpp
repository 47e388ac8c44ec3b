// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/camera/tuned.clh, each found by what the kernels do with a small scene.
#include "reference/camera/ransac.h"

#include <array>
#include <cmath>
#include <vector>

#include "camera/align.h"
#include "camera/ransac.h"
#include "kernels/buffers.h"
#include "kernels/probe.h"
#include "opencl/buffer.h"
#include "reference/textured.h"

using glcl::camera::CameraState;
using glcl::camera::PixelHistory;

namespace {

CameraState camera() {
  CameraState state{};
  state.reliable = 1;
  state.frames = 100;
  state.fit.gain = 1;
  return state;
}

/// Vectors: x and y relative to the centre, motion along both axes, px.
using Vectors = std::vector<cl_float4>;
constexpr cl_float4 unused = {{1e9f, 1e9f, 0, 0}};

class Estimate {
 public:
  CameraState operator()(const Vectors &vectors, bool directed, float moved = 0) {
    CameraState state = camera();
    state.frame_motion.x = moved;
    glcl::camera::Ransac::Settings settings;
    settings.width = 640, settings.height = 480, settings.directed = directed;
    const cl::Buffer states = upload(bench_, std::vector{state});
    ransac_.run(*bench_.queue, settings, upload(bench_, vectors), int(vectors.size()), states);
    return download<CameraState>(bench_, states, 1)[0];
  }

 private:
  Bench bench_;
  glcl::camera::Ransac ransac_{*bench_.context};
};

/// 40 × 40 vectors of a motion along x, evenly over parts of the width and height.
Vectors spread(float width, float height) {
  Vectors list;
  for (int i = 0; i < 1600; i++)
    list.push_back({{640 * width * (float(i % 40) + 0.5f - 20) / 40,
                     480 * height * (float(i / 40) + 0.5f - 20) / 40, 5, 0}});
  return list;
}

}  // namespace

// How far the vectors of a camera reach, and how many there are.
TEST(test_reach_limits) {
  Estimate estimate;
  const auto reached = [&](double from, float height, bool directed, float part) {
    return limit(from, 1, [&](float width) {
      return estimate(spread(width, height < 0 ? width : height), directed).coverage > part;
    });
  };
  expect_number(reached(0.1, -1, false, 0.001f), 0.6, "NARROW");
  expect_number(reached(0.1, -1, false, 0.999f), 0.8, "WIDE");
  expect_number(reached(0.1, 1, true, 0.001f), 0.35, "NARROW_ALONG");
  expect_number(reached(0.1, 1, true, 0.999f), 0.5, "WIDE_ALONG");
  expect_number(
      limit(0, 8,
            [&](float moved) { return estimate(spread(0.2f, 0.2f), false, moved).reliable == 0; }),
      1, "MOVES");
  expect_number(limit(2, 1000,
                      [&](float count) {
                        Vectors few = spread(1, 1);
                        few.resize(size_t(count));
                        few.resize(1000, unused);
                        return estimate(few, false, 9).reliable == 0;
                      }),
                1000.0 / 25, "LEAST_SHARE");
}

// The rotation and scaling that two vectors may define.
TEST(test_turn_limit) {
  Estimate estimate;
  expect_number(limit(0.1, 2,
                      [&](float turn) {
                        const Vectors two{{{50, 0, 0, 50 * turn}}, {{-50, 0, 0, -50 * turn}}};
                        return estimate(two, false).vector_motion.rotation > 0.05f;
                      }),
                0.5, "MAX_TURN");
}

namespace {

/// True if the middle of a plane has a vector. Its level is 100 + height · (wave(x) + wave(y)), up
/// to `reach` px from the middle along both axes.
bool has_vector(Bench &bench, bool (*wave)(int), int height, int reach, float noise) {
  constexpr int side = 64, pitch = 64 * ((side + 2 * glcl::motion::PAD + 63) / 64);
  std::vector<cl_uchar> plane(size_t(pitch) * (side + 2 * glcl::motion::PAD), 100);
  for (int y = side / 2 - reach; y < side / 2 + reach; y++)
    for (int x = side / 2 - reach; x < side / 2 + reach; x++)
      plane[size_t(y + glcl::motion::PAD) * pitch + size_t(x + glcl::motion::PAD)] =
          cl_uchar(100 + height * (int(wave(x)) + int(wave(y))));
  glcl::Kernel collect(*bench.context, bench.context->program("camera/ransac.cl", "-DITEMS=16"),
                       "camera_collect", {1, 1});
  const cl::Buffer list = glcl::make_buffer(bench.context->cl(), sizeof(cl_float4));
  collect(*bench.queue, {1, 1}, upload(bench, plane), upload(bench, std::vector<cl_short2>(1)),
          upload(bench, std::vector<float>(glcl::noise::NOISE_VALUES, noise)), list,
          glcl::camera::VectorGrid{{{1, 1}}, {{side, side}}, pitch, side, 1, 1});
  return download<cl_float4>(bench, list, 1)[0].s[0] < 1e9f;
}

/// A square wave of 4 px, whose slopes are half of its height.
bool square(int x) { return x & 1 ? (x & 3) == 1 : (x & 3) == 2; }

/// A wave with slopes only at 2, 6, 10 … px.
bool sparse(int x) { return (x & 7) == 3 || (x & 7) == 5; }

}  // namespace

// The texture that a vector needs, and the pixels where it is measured.
TEST(test_texture_limits) {
  Bench bench;
  fail_unless(has_vector(bench, square, 4, 24, 0) && !has_vector(bench, square, 3, 24, 0),
              "LEAST_GRADIENT");
  fail_unless(!has_vector(bench, square, 4, 24, 1.5f), "noise adds to LEAST_GRADIENT");
  fail_unless(has_vector(bench, square, 8, 4, 0) && !has_vector(bench, square, 5, 4, 0), "SIDE");
  // Every fourth pixel has no slope, and all pixels together have too little.
  fail_unless(has_vector(bench, sparse, 5, 24, 0) && !has_vector(bench, sparse, 4, 24, 0), "STEP");
}

namespace {

/// The ratios of bands of rows, of which the first `rolling` have changed.
class Rows {
 public:
  static constexpr int width = 64, most = 16;
  struct Scene {
    int bands = most, rolling = most;
    float ratio = 1, level = 100, part_before = 0;
  };

  /// The elements of the brightness of rows.
  std::vector<float> operator()(const Scene &scene) {
    const int pixels = width * scene.bands * glcl::camera::ROW_BAND;
    std::vector<float> current(size_t(pixels), scene.level);
    for (int i = 0; i < width * scene.rolling * glcl::camera::ROW_BAND; i++)
      current[size_t(i)] *= scene.ratio;
    std::vector<float> before(glcl::camera::RATIOS + most, 1);
    before[glcl::camera::ROLL_PART] = scene.part_before, before[glcl::camera::SWING] = 0;
    const cl::Buffer rows = glcl::make_buffer(bench_.context->cl(), before.size() * sizeof(float));
    const auto frame =
        glcl::camera::frame_geometry(width, scene.bands * glcl::camera::ROW_BAND, pixels);
    kernel_(*bench_.queue, {size_t(scene.bands), 1}, upload(bench_, current),
            upload(bench_, std::vector<cl_float2>(size_t(pixels), cl_float2{{scene.level, 0}})),
            upload(bench_, std::vector<PixelHistory>(size_t(pixels), PixelHistory{{{9, 0}}, 0})),
            upload(bench_, std::vector<cl_uchar>(size_t(pixels))),
            upload(bench_, std::vector{camera()}), upload(bench_, before), rows, tally_,
            glcl::camera::RowMeasurement{frame, scene.bands, 0, 0});
    return download<float>(bench_, rows, size_t(glcl::camera::RATIOS + scene.bands));
  }
  float part(const Scene &scene) { return (*this)(scene)[glcl::camera::ROLL_PART]; }

 private:
  Bench bench_;
  glcl::Kernel kernel_{
      *bench_.context, bench_.context->program("camera/rows.cl", "-DITEMS=1"), "camera_rows", {}};
  glcl::camera::RowTally none_{};
  cl::Buffer tally_{bench_.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof(glcl::camera::RowTally), &none_};
};

}  // namespace

// The changes of bands that count as rolling, and how long they do. A counter is 1 / 256.
TEST(test_row_limits) {
  Rows rows;
  fail_unless(rows.part({16, 16, 1 + 3 / 256.0f}) > 0 && rows.part({16, 16, 1 + 2 / 256.0f}) == 0,
              "LEAST_ROLL");
  fail_unless(
      rows.part({16, 10, 1 + 6 / 256.0f}) > 0.9f && rows.part({16, 10, 1 + 5 / 256.0f}) < 0.5f,
      "MOST_ROLL");
  fail_unless(rows.part({6, 6, 1.1f}) > 0.9f && rows.part({5, 5, 1.1f}) == 0, "FEWEST");
  expect_number(limit(2, 60,
                      [&](float level) {
                        return rows({16, 16, 1.1f, level})[glcl::camera::RATIOS] > 1.05f;
                      }),
                16, "DARKEST");
  expect_number(rows.part({16, 16, 1, 100, 1}), 0.9, "DECAY");
  expect_number(limit(0, 0.1,
                      [&](float before) {
                        return rows.part({16, 16, 1, 100, before}) > 0;
                      }),
                0.01 / 0.9, "LEAST_PART");
}

namespace {

/// The motion along x that a frame shows against the background, which moved by 24 px as the last
/// frame did, if a part of the vectors agree on another motion.
float motion_found(Bench &bench, float part, float vectors) {
  constexpr int width = 160, height = 120;
  const auto frame = glcl::camera::frame_geometry(width, height);
  const auto picture = [&](double shift) {
    const Frame world = reference::textured_frame(width, height, {shift, 0});
    std::vector<float> levels;
    for (size_t i = 0; i < world.rgba.size(); i += 4) levels.push_back(world.rgba[i + 1]);
    return levels;
  };
  std::vector<cl_float2> background;
  for (float level : picture(0)) background.push_back({{level, 0}});
  CameraState state = camera();
  state.frame_motion.x = 24;
  state.vector_motion.x = vectors;
  state.vector_count = 1000, state.inliers = 1000 * part;
  glcl::camera::Align engine(*bench.context, frame);
  const std::vector<float> small = picture(24);
  bench.queue->cl().enqueueWriteBuffer(engine.small(), CL_TRUE, 0, small.size() * sizeof(float),
                                       small.data());
  const cl::Buffer states(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          sizeof state, &state);
  engine.run(*bench.queue, glcl::camera::Compensation::translation, false,
             upload(bench, background),
             upload(bench, std::vector<PixelHistory>(background.size(), PixelHistory{{{9, 0}}, 0})),
             upload(bench, std::vector<cl_uchar>(background.size())), states);
  return download<CameraState>(bench, states, 1)[0].fit.motion.x;
}

}  // namespace

// The vectors that show a camera at rest. Then the frame's motion before is not tested.
TEST(test_rest_limits) {
  Bench bench;
  expect_number(limit(0, 1, [&](float part) { return motion_found(bench, part, 0) > 20; }), 0.9,
                "STATIC_SHARE");
  expect_number(limit(0, 2, [&](float vectors) { return motion_found(bench, 1, vectors) > 20; }),
                0.25, "LEAST_MOTION");
}

// Functions of the alignment: the motions that are tried, votes by contrast, and the ridge.
TEST(test_alignment_numbers) {
  const std::vector<std::string> file{"camera/align.cl"};
  Probe step(file, "",
             "__global CameraState *state = (__global CameraState *)(out + 16);\n"
             "const FrameGeometry frame = {(int2)(64), (float2)(32.0f), 32.0f, 1.0f};\n"
             "state->frame_motion = (float4)(7.0f, 0.0f, 0.0f, 0.0f);\n"
             "*out = step_before(state, frame, 5).x;");
  expect_number(step(0), 7 + 4, "NEAR_STEP");
  expect_number(Probe(file, "", "*out = votes_of(16.0f);")(0), 0.5, "CONTRAST");
  // Of 100 pixels one has a slope, 1 along x.
  Probe solved(file, "",
               "__local float sums[ALIGN_SUMS];\n"
               "for (int i = 0; i < ALIGN_SUMS; i++) sums[i] = 0.0f;\n"
               "sums[0] = a, sums[PRODUCTS] = a, sums[PRODUCTS + PARAMETERS] = 100.0f;\n"
               "float result[PARAMETERS];\n"
               "solve(sums, 1, 1, result);\n"
               "*out = result[0];");
  expect_number(solved(1), 1 / (1 + 0.01 * 100), "RIDGE");
}

// The refinements of a motion. Vectors are denser the faster they are, so each one moves it on.
TEST(test_refinements) {
  Bench bench;
  glcl::camera::Ransac::Settings settings;
  settings.min_iterations = settings.max_iterations = 1;
  settings.translation = true, settings.max_error = 3;
  std::vector<reference::CameraVector> vectors;
  for (int i = 0; i < 1000; i++)
    vectors.push_back({0, 0, float(5 * std::log(1 + i * (std::exp(4) - 1) / 1000)), 0});
  const cl::Buffer states = upload(bench, std::vector{camera()});
  glcl::camera::Ransac ransac(*bench.context);
  ransac.run(*bench.queue, settings, upload(bench, vectors), int(vectors.size()), states);
  int inliers = 0;
  const float expected = reference::Ransac(vectors, settings).fitted(0, &inliers).x,
              found = download<CameraState>(bench, states, 1)[0].vector_motion.x;
  fail_unless(std::abs(found - expected) < 0.05f, "REFINEMENTS: %g, expected %g", found, expected);
}

namespace {

/// A step of the alignment by a few levels.
class Step {
 public:
  static constexpr int side = 64;
  using Levels = std::vector<float>;
  /// A function of the place.
  template <class Function>
  static Levels levels(Function level) {
    Levels all;
    for (int i = 0; i < side * side; i++) all.push_back(float(level(i % side, i / side)));
    return all;
  }

  CameraState state = camera();
  Levels sums = Levels(size_t(glcl::camera::ALIGN_GROUPS * glcl::camera::ALIGN_SUMS));
  glcl::camera::AlignStep settings{glcl::camera::frame_geometry(side, side),
                                   side / glcl::camera::ROW_BAND};
  Step() {
    settings.row_spacing = settings.block_side = 1;
    settings.residual_scale = 1000;
  }
  /// The sum over groups.
  float sum(int number) const {
    float total = 0;
    for (size_t i = size_t(number); i < sums.size(); i += glcl::camera::ALIGN_SUMS)
      total += sums[i];
    return total;
  }

  void operator()(const Levels &now, const Levels &background) {
    std::vector<cl_float2> known;
    for (float level : background) known.push_back({{level, 0}});
    const cl::Buffer after = upload(bench_, Levels(sums.size())),
                     states = upload(bench_, std::vector{state});
    align_(*bench_.queue, {groups_ * size_t(glcl::camera::ALIGN_ITEMS), 1}, upload(bench_, now),
           upload(bench_, known),
           upload(bench_, std::vector<PixelHistory>(known.size(), PixelHistory{{{9, 0}}, 0})),
           upload(bench_, std::vector<cl_uchar>(known.size())), upload(bench_, sums), after, states,
           rows_, settings);
    sums = download<float>(bench_, after, sums.size());
    state = download<CameraState>(bench_, states, 1)[0];
  }
  /// The end of an alignment.
  void finish() {
    const cl::Buffer states = upload(bench_, std::vector{state});
    update_(*bench_.queue, {size_t(glcl::camera::ALIGN_ITEMS), 1}, upload(bench_, sums), states,
            rows_, settings);
    state = download<CameraState>(bench_, states, 1)[0];
  }

 private:
  Bench bench_;
  const bool cpu_ = bench_.context->device().is_cpu();
  const size_t groups_ = size_t(cpu_ ? glcl::camera::ALIGN_GROUPS_CPU : glcl::camera::ALIGN_GROUPS);
  const glcl::Program program_ =
      bench_.context->program("camera/align.cl", cpu_ ? "" : "-DUNROLLED");
  glcl::Kernel align_{*bench_.context, program_, "camera_align", {}};
  glcl::Kernel update_{*bench_.context, program_, "camera_update_state", {}};
  const cl::Buffer rows_ = upload(bench_, Levels(glcl::camera::RATIOS + side));
};

// Sums of a group: of the votes for the motion of the vectors, for no motion.
constexpr int votes_for_vectors = 45, votes_for_rest = 46;

}  // namespace

// The samples that vote, and the votes by which a motion wins.
TEST(test_votes) {
  Step step;
  // 16 × 16 samples of 4 × 4 px with a contrast of 16 levels, each with half a vote.
  step.settings.row_spacing = step.settings.block_side = 4;
  step(Step::levels([](int, int) { return 100; }),
       Step::levels([](int x, int y) { return (x + y) % 2 ? 108 : 92; }));
  expect_number(step.sum(votes_for_vectors), 0.5 * 256 / 4, "VOTING");

  const Step::Levels flat = Step::levels([](int, int) { return 100; });
  const auto rests = [&](float votes) {
    step.settings.number = 1, step.settings.free_shift = 1;
    step.state.inliers = 0, step.state.vector_count = 1;
    step.state.fits[0] = {{5, 0, 0, 0}, {}, 1, 0};
    std::fill(step.sums.begin(), step.sums.end(), 0.0f);
    step.sums[votes_for_vectors] = 1, step.sums[votes_for_rest] = votes;
    step(flat, flat);
    return step.state.fits[1].motion.x == 0;
  };
  expect_number(limit(1.00001, 1.001, rests) - 1, 0.0001, "MORE_VOTES");
}

// The unit of the gain, by what the ridge leaves of it, and the bend of a lens.
TEST(test_light_and_lens) {
  Step step;
  const double deviation = std::sqrt(0.01) * 64;  // levels, for which the ridge takes half
  const auto halves = [&](double gain) {
    return Step::levels(
        [=](int x, int) { return 128 + gain * (x < Step::side / 2 ? -deviation : deviation); });
  };
  step(halves(1.1), halves(1));
  step.settings.number = 1;
  step(halves(1.1), halves(1));
  expect_number(step.state.fits[1].gain - 1, 0.1 / 2, "LIGHT");

  const float radius = step.settings.frame.radius;
  std::fill(step.sums.begin(), step.sums.end(), 0.0f);
  step.settings.free_shift = 1;
  step.state.fits[0] = {{4, 0, 0, 0}, {{1, 0}}, 1, 0};
  step.finish();
  expect_number(step.state.bend_rate * radius * radius, 0.3 * 1.5, "MAX_CURVE, BEND_FOLLOWS");
}

// A camera at rest: the distance of pixels that light changes alike, and the shift of edges that is
// not the camera's.
TEST(test_shadow_limits) {
  const auto slopes_found = [](int period) {
    Step step;
    step.settings.number = step.settings.free_shift = 1;
    step.state.fits[0].gain = 1;
    const Step::Levels waves =
        Step::levels([=](int x, int) { return x % period < period / 2 ? 80 : 120; });
    step(waves, waves);
    return step.sum(0);
  };
  fail_unless(slopes_found(4) < 0.1f * slopes_found(8), "APART: %g, %g", slopes_found(4),
              slopes_found(8));
  const auto furthest = [](const char *slope) {
    Probe weight({"camera/align.cl"}, "",
                 std::string("*out = weight_at_rest(a, ") + slope + ", 1000.0f);");
    return limit(0.01, 1000, [&](float residual) { return weight(residual) < 0.25f; });
  };
  expect_number(furthest("(float2)(30.0f, 40.0f)"), 2 * (50 + 0.5), "STANDS");
  expect_number(furthest("(float2)(0.0f)"), 2 * 0.5, "FAINT");
}

// The fits after which the camera begins anew or moves its background by whole pixels, and the sum
// of changes of brightness.
TEST(test_frame_ends) {
  Step step;
  step.settings.number = step.settings.free_shift = step.settings.free_rotation = 1;
  const auto ends = [&](const glcl::camera::SimilarityMotion &motion, float gain,
                        float brightness = 0, float peak = 0) {
    std::fill(step.sums.begin(), step.sums.end(), 0.0f);
    step.state = camera();
    step.state.brightness = brightness, step.state.brightness_peak = peak;
    step.state.fits[0] = {motion, {}, gain, 0};
    step.finish();
    return step.state;
  };
  const auto goes_on = [&](const CameraState &state) { return !state.model_empty; };
  expect_number(limit(0.1, 0.9,
                      [&](float turn) {
                        return !goes_on(ends({0, 0, turn, 0}, 1));
                      }),
                0.5, "MOST_TURN");
  expect_number(limit(0.1, 0.9,
                      [&](float turn) {
                        return !goes_on(ends({0, 0, 0, turn}, 1));
                      }),
                0.5, "MOST_TURN");
  expect_number(limit(2, 8, [&](float gain) { return !goes_on(ends({}, gain)); }), 4, "MOST_GAIN");
  expect_number(limit(0.125, 0.5, [&](float gain) { return goes_on(ends({}, gain)); }), 0.25,
                "MOST_GAIN");
  const float radius = step.settings.frame.radius;
  expect_number(limit(0.1, 2,
                      [&](float px) {
                        return ends({3.2f, 0, px / radius, 0}, 1).from_frame.dilation == 0;
                      }),
                0.5, "WHOLE_SHIFT");
  const float none = ends({}, 1).brightness;
  expect_number(ends({}, 1, 10).brightness - none, 9, "BRIGHTNESS_KEPT");
  expect_number(ends({}, 1, 0, 1000).brightness_peak, 900, "PEAK_KEPT");
}
