// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of kernels/motion/tuned.clh, each found by what kernels do with a block.
#include <vector>

#include "kernels/limit.h"
#include "kernels/motion/motion.h"
#include "motion/noisegate.h"

using glcl::noise::NoiseState;

namespace {

constexpr int block = 16, across = 3, side = block * across, middle = 4, pixels = block * block;
constexpr motion::Vector found{12, 8};

/// A block whose best vector costs `residual`, and the vector 0 `cost`. Its pixels alternate by
/// ± `contrast`.
struct GateScene {
  int residual = 0, cost = 20000, contrast = 40;
  int similar = 8, difference = 0;  // neighbours that move, by how much differently, quarter px
  float noise = 0, coding = 0;      // variances, levels²
  float flicker = 0, pan = 0;
  bool moves = true, between = false;
};

class Gate {
 public:
  /// True if the block's vector becomes 0.
  bool operator()(const GateScene &scene) {
    write_state(scene);
    // In pairs of pixels the differences between the frames add up to 0.
    reference::Plane current(side, side), before(side, side);
    int left = scene.cost / 2;
    for (int i = 0; i < side * side; i += 2) {
      const int x = i % side, y = i / side;
      const bool own = x / block == 1 && y / block == 1;
      const int change = own ? std::min(left, 100) : 0;
      left -= change;
      for (int k = 0; k < 2; k++) {
        const int level = 128 + ((y + k) % 2 ? scene.contrast : -scene.contrast);
        current.values[size_t(i + k)] = level;
        before.values[size_t(i + k)] = level + (level > 128 ? -change : change);
      }
    }
    fail_unless(left <= 0, "the cost is too high");
    std::vector<Key> keys(across * across, motion::key_of(0, {}));
    int similar = scene.similar;
    const auto moved = int16_t(found.x + scene.difference);
    for (int i = 0; i < across * across; i++)
      if (i != middle && similar-- > 0) keys[size_t(i)] = motion::key_of(0, {moved, found.y});
    keys[middle] = motion::key_of(uint32_t(scene.residual), scene.moves ? found : motion::Vector{});
    const cl::Buffer in = key_buffer(bench_, keys.size()), out = key_buffer(bench_, keys.size());
    bench_.queue->cl().enqueueWriteBuffer(in, CL_TRUE, 0, keys.size() * sizeof(Key), keys.data());
    gate_.run(*bench_.queue, upload(bench_, current), upload(bench_, before), 0, noise_,
              scene.between, in, out, across, keys.size());
    const motion::Vector v = motion::vector_of(download(bench_, out, keys.size())[middle]);
    return !v.x && !v.y;
  }

  /// The largest excess of the cost of the vector 0 that is explained.
  double explained(GateScene scene) {
    return limit(scene.residual, 12000,
                 [&](float cost) {
                   scene.cost = int(cost);
                   return (*this)(scene);
                 }) -
           scene.residual;
  }

  /// The static blocks that could have seemed to move.
  unsigned static_cells(const GateScene &scene) {
    (*this)(scene);
    NoiseState state;
    bench_.queue->cl().enqueueReadBuffer(noise_.state(), CL_TRUE, 0, sizeof state, &state);
    return state.flicker.static_cells;
  }

 private:
  void write_state(const GateScene &scene) {
    NoiseState state{};
    std::fill_n(state.variances, glcl::noise::NOISE_VALUES, scene.noise);
    state.variances[glcl::noise::NOISE_VALUES - 1] = scene.coding;
    state.flicker.variance = scene.flicker, state.flicker.pan = scene.pan;
    bench_.queue->cl().enqueueWriteBuffer(noise_.state(), CL_TRUE, 0, sizeof state, &state);
  }

  Bench bench_;
  motion::NoiseGate gate_{*bench_.context, block};
  glcl::noise::Noise noise_{*bench_.context, glcl::noise::Noise::Texels::luma, side, side};
};

const double deviation = 4, level = deviation * std::sqrt(1.33);

}  // namespace

// The excess cost of the vector 0 that noise and encoders explain.
TEST(test_explained) {
  Gate gate;
  GateScene coded;
  coded.residual = 100;
  expect_number(gate.explained(coded), 2.0 * 100, "ENCODER_PART");
  coded.residual = 400;
  expect_number(gate.explained(coded), 1.0 * pixels, "MOST_ENCODER");
  GateScene noisy;
  noisy.residual = 500, noisy.noise = float(deviation * deviation);
  const double chance = 4 * level * block;
  expect_number(gate.explained(noisy), chance, "CHANCE_DEVIATIONS");
  GateScene between = noisy;
  between.between = true;
  expect_number(gate.explained(between), chance + 0.15 * level * pixels, "SMOOTHING");
  GateScene compressed = noisy;
  compressed.coding = 1;
  expect_number(gate.explained(compressed), chance + pixels, "compression noise");
  GateScene alone = noisy;
  alone.similar = 0;
  expect_number(gate.explained(alone), 3 * chance + 0.8 * 500,
                "DISSIMILAR_FACTOR, DISSIMILAR_PART");
  GateScene flickering;
  flickering.flicker = 4 * 0.35254f;
  expect_number(gate.explained(flickering), 0.8 * 2 * pixels, "flicker");
}

// The neighbours that make a vector plausible.
TEST(test_neighbours) {
  Gate gate;
  GateScene scene;
  // Between what is explained with and without similar neighbours.
  scene.residual = 100, scene.cost = 100 + 240;
  scene.similar = 3;
  fail_unless(!gate(scene), "LEAST_SIMILAR: three are enough");
  scene.similar = 2;
  fail_unless(gate(scene), "LEAST_SIMILAR: two are not");
  scene.similar = 8, scene.difference = 4;
  fail_unless(!gate(scene), "SIMILAR: by a pixel");
  scene.difference = 5;
  fail_unless(gate(scene), "SIMILAR: not by more");
}

// The texture that a moving block needs.
TEST(test_texture) {
  Gate gate;
  const auto gated = [&](GateScene scene, int contrast) {
    scene.contrast = contrast;
    return gate(scene);
  };
  GateScene visible;
  fail_unless(gated(visible, 2) && !gated(visible, 3), "LEAST_VISIBLE");
  GateScene noisy;
  noisy.noise = float(deviation * deviation), noisy.residual = 640;
  fail_unless(gated(noisy, 6) && !gated(noisy, 7), "LEAST_TEXTURE");
  noisy.pan = 1;
  fail_unless(gated(noisy, 4) && !gated(noisy, 5), "LEAST_PAN_TEXTURE");
  GateScene exact;
  exact.noise = float(deviation * deviation), exact.contrast = 6;
  expect_number(limit(0, 2000,
                      [&](float residual) {
                        exact.residual = int(residual);
                        return gate(exact);
                      }),
                0.57 * deviation * pixels, "TRUE_MOTION");
  GateScene rests;
  rests.moves = false;
  expect_number(limit(0, 200,
                      [&](float residual) {
                        rests.residual = int(residual);
                        return gate.static_cells(rests) > 0;
                      }),
                0.125 * pixels, "LEAST_STATIC_RESIDUAL");
}

// The search around a prediction of 0 finds a motion of 2 px, and none of 3 px.
TEST(test_predictions) {
  Bench bench;
  const reference::Plane before = reference::luma(reference::random_frame(side, side, 3));
  const auto cost = [&](int shift) {
    reference::Plane current(side, side);
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++)
        current.values[size_t(y) * side + size_t(x)] = before.at(x + shift, y);
    glcl::Kernel refine(
        *bench.context,
        bench.context->program("motion/hierarchical.cl", motion::area_options(block)),
        "motion_refine_level", {});
    const std::vector<Key> none(across * across, motion::key_of(0, {}));
    const cl::Buffer parents = key_buffer(bench, none.size()),
                     keys = key_buffer(bench, none.size());
    bench.queue->cl().enqueueWriteBuffer(parents, CL_TRUE, 0, none.size() * sizeof(Key),
                                         none.data());
    const motion::LumaPlane plane = upload(bench, current);
    refine(*bench.queue, {across * refine.group().x, across}, plane.buffer,
           upload(bench, before).buffer, keys, parents,
           motion::KeySearch{plane.pitch, 0, 16, across, across * across},
           cl_int2{{across, across}});
    return motion::cost_of(download(bench, keys, none.size())[middle]);
  };
  fail_unless(cost(2) == 0 && cost(3) > 0, "REACH");
}
