// SPDX-License-Identifier: LGPL-2.1-or-later
// The measures of pictures for events of the scene against the reference.
#include "objects/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "kernels/buffers.h"
#include "kernels/engine.h"
#include "kernels/objects/regions.h"
#include "motion/lumahistory.h"
#include "reference/objects/scene.h"
#include "reference/textured.h"

using glcl::objects::RegionList;
using glcl::objects::SceneCell;
using glcl::objects::SceneMeasurement;
using glcl::objects::SceneSums;

namespace {

/// A measurement with its frames on the device.
class Scene {
 public:
  Scene(int width, int height)
      : frame_(glcl::camera::frame_geometry(width, height)),
        engine_(*bench_.context, frame_),
        noise_(*bench_.context, glcl::noise::Noise::Texels::luma, width, height),
        before_(glcl::motion::make_plane(bench_.context->cl(), width, height)),
        now_(glcl::motion::make_plane(bench_.context->cl(), width, height)),
        list_(upload(bench_, std::vector<char>(sizeof(RegionList) + sizeof(SceneSums)))) {}

  /// Measures a frame. `moved`: the byte of the luma that differs from the frame before, counted
  /// from the first one of the frame; below 0: none.
  SceneSums run(const std::vector<float> &small, const std::vector<cl_short2> &colours,
                double noise, long moved) {
    std::vector<cl_uchar> luma(now_.bytes(), 90);
    bench_.queue->cl().enqueueWriteBuffer(before_.buffer, CL_TRUE, 0, luma.size(), luma.data());
    if (moved >= 0)
      luma[now_.origin() + size_t(moved / now_.width) * now_.pitch + size_t(moved % now_.width)]++;
    bench_.queue->cl().enqueueWriteBuffer(now_.buffer, CL_TRUE, 0, luma.size(), luma.data());
    if (noise > 0) noise_.set(*bench_.queue, noise);
    const cl::Buffer colour_buffer = colours.empty() ? cl::Buffer() : upload(bench_, colours);
    engine_.run(*bench_.queue,
                {{now_, before_},
                 upload(bench_, small),
                 colours.empty() ? nullptr : &colour_buffer,
                 noise > 0 ? &noise_ : nullptr},
                list_);
    SceneSums sums;
    bench_.queue->cl().enqueueReadBuffer(list_, CL_TRUE, sizeof(RegionList), sizeof sums, &sums);
    return sums;
  }
  const glcl::camera::FrameGeometry &frame() const { return frame_; }

 private:
  Bench bench_;
  glcl::camera::FrameGeometry frame_;
  SceneMeasurement engine_;
  glcl::noise::Noise noise_;
  glcl::motion::LumaPlane before_, now_;
  cl::Buffer list_;
};

/// True if the luma differs from that of the frame before.
bool changes(const SceneSums &sums) {
  return std::any_of(std::begin(sums.changed), std::end(sums.changed),
                     [](cl_uchar part) { return part != 0; });
}

/// The levels of a kind of picture.
std::vector<float> levels_of_kind(int kind, int width, int height) {
  std::vector<float> levels(size_t(width) * height);
  std::mt19937 random(7);
  const Frame natural = reference::textured_frame(width, height);
  for (size_t i = 0; i < levels.size(); i++) {
    const int x = int(i) % width;
    levels[i] = kind == 0   ? float(random() % 4081) / 16
                : kind == 1 ? 77.25f
                : kind == 2 ? 255.0f * float(x) / float(width)
                            : float(natural.rgba[4 * i]);
  }
  return levels;
}

}  // namespace

// Cells are those of the reference, for all kinds of pictures and sizes.
TEST(test_cells) {
  for (const auto &[width, height] : {std::array{1, 1},
                                      {1, 90},
                                      {200, 1},
                                      {47, 26},
                                      {49, 28},
                                      {320, 240},
                                      {401, 303},
                                      {1920, 1080},
                                      {1283, 721}}) {
    Scene scene(width, height);
    const int w = scene.frame().size.s[0], h = scene.frame().size.s[1];
    for (int kind = 0; kind < 4; kind++) {
      const std::vector<float> small = levels_of_kind(kind, w, h);
      std::vector<cl_short2> colours;
      std::mt19937 random(3);
      for (size_t i = 0; kind != 1 && i < small.size(); i++)
        colours.push_back({{cl_short(random() % 30000 - 15000), cl_short(random() % 9000 - 4500)}});
      const double level = kind == 2 ? 0 : 3;
      const reference::NoiseTable table = reference::even_noise(level);
      const std::vector<SceneCell> expected =
          reference::scene_cells({w, h, SceneMeasurement::spacing_of(scene.frame()), small, colours,
                                  level > 0 ? &table : nullptr});
      const SceneSums sums = scene.run(small, colours, level, -1);
      fail_unless(!changes(sums), "%d×%d: it repeats", width, height);
      for (size_t i = 0; i < expected.size(); i++) {
        const SceneCell &a = sums.cells[i], &b = expected[i];
        fail_unless(a.level == b.level && a.detail == b.detail && a.colour == b.colour &&
                        std::abs(a.noise - b.noise) <= 1e-5f * b.noise,
                    "%d×%d, kind %d, cell %zu: %u %u %u %g, expected %u %u %u %g", width, height,
                    kind, i, a.level, a.detail, a.colour, a.noise, b.level, b.detail, b.colour,
                    b.noise);
      }
    }
  }
}

// Any pixel of the frame counts, and nothing repeats after a change.
TEST(test_changed) {
  for (const auto &[width, height] : {std::array{1, 1}, {61, 47}, {640, 362}}) {
    Scene scene(width, height);
    const std::vector<float> small =
        levels_of_kind(1, scene.frame().size.s[0], scene.frame().size.s[1]);
    const long pixels = long(width) * height;
    for (const long moved : {0L, pixels - 1, pixels / 2, -1L, pixels / 3, -1L}) {
      const SceneSums sums = scene.run(small, {}, 0, moved);
      fail_unless(changes(sums) == (moved >= 0), "%d×%d, pixel %ld", width, height, moved);
      fail_unless(sums.cells[0].colour == 0 && sums.cells[0].noise == 0, "without colours");
    }
  }
}

// The detail of noise is what white noise leaves in reduced frames.
TEST(test_noise_detail) {
  for (const int width : {480, 1200}) {
    const int height = width;
    const auto frame = glcl::camera::frame_geometry(width, height);
    const int f = int(frame.reduction), w = frame.size.s[0], h = frame.size.s[1];
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 8);
    std::vector<double> blocks(size_t(w) * h);
    for (double &block : blocks) {
      for (int i = 0; i < f * f; i++) block += noise(random);
      block = block / (f * f) + 128;
    }
    std::vector<float> small(blocks.size());
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        double sum = 0;
        for (int i = 0; i < 9; i++) {
          const int u = std::clamp(x + i % 3 - 1, 0, w - 1),
                    v = std::clamp(y + i / 3 - 1, 0, h - 1);
          sum += blocks[size_t(v) * w + u] * (2 - std::abs(i % 3 - 1)) * (2 - std::abs(i / 3 - 1));
        }
        small[size_t(y) * w + x] = float(sum / 16);
      }
    double detail = 0;
    for (const SceneCell &cell : reference::scene_cells({w, h, 1, small, {}, nullptr}))
      detail += cell.detail / (16.0 * w * h);
    const double expected = 64 * SceneMeasurement::noise_detail(frame);
    fail_unless(std::abs(detail - expected) < 0.05 * expected, "%d px: %g, expected %g", width,
                detail, expected);
  }
}
