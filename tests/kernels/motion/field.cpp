// SPDX-License-Identifier: LGPL-2.1-or-later
// Fields of vectors, with all that leads to them, and their predictions against the scalar
// reference.
#include <cstring>

#include "kernels/bands.h"
#include "motion.h"
#include "motion/motion.h"
#include "motion/renderer.h"
#include "opencl/queuesync.h"
#include "reference/textured.h"

using glcl::Queue;
using motion::BlockMotion;
using motion::DevicePool;
using motion::MotionRenderer;
using motion::MotionSummary;
using motion::VectorField;
using Precision = BlockMotion::Precision;

namespace {

int kind(const BlockMotion::Settings &settings) {
  return settings.partitions ? motion::Search::partitions : settings.block;
}

std::string text(const BlockMotion::Settings &s, const Frame &frame) {
  return std::to_string(frame.width) + "×" + std::to_string(frame.height) + ", block " +
         std::to_string(kind(s)) + ", method " + std::to_string(static_cast<int>(s.method)) +
         ", range " + std::to_string(s.range) + ", precision " +
         std::to_string(static_cast<int>(s.precision)) + ", lambda " + std::to_string(s.lambda);
}

/// A frame whose parts moved by fractions of pixels: means of neighbours, with other noise.
Frame follow(const Frame &frame) {
  Frame next = reference::random_frame(frame.width, frame.height, 9);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      for (int c = 0; c < 3; c++) {
        const auto at = [&](int px, int py) {
          return int(
              frame.at(std::clamp(px, 0, frame.width - 1), std::clamp(py, 0, frame.height - 1))[c]);
        };
        const int moved = x < frame.width / 2 ? (3 * at(x + 2, y - 1) + at(x + 3, y - 1)) / 4
                                              : (at(x - 3, y + 1) + at(x - 3, y + 2)) / 2;
        next.at(x, y)[c] = static_cast<uint8_t>((15 * moved + next.at(x, y)[c]) / 16);
      }
  return next;
}

std::vector<uint8_t> read(Queue &queue, const cl::Buffer &buffer, size_t bytes) {
  std::vector<uint8_t> data(bytes);
  queue.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, data.data());
  return data;
}
std::vector<uint8_t> read(Bench &bench, const cl::Buffer &buffer, size_t bytes) {
  return read(*bench.queue, buffer, bytes);
}

/// Luma of what the engine shows.
reference::Plane shown(Bench &bench, const Frame &frame, Layout layout, BlockMotion &engine,
                       MotionRenderer::Display display) {
  MotionRenderer view(*bench.context, frame.width, frame.height, layout);
  MotionRenderer::MotionStyle drawing;
  drawing.display = display;
  const Picture out = bench.upload(Frame(frame.width, frame.height), layout);
  const Picture in = bench.upload(frame, layout);
  wait_for(*bench.queue, engine.results(*bench.queue));
  view.draw(*bench.queue, drawing, engine, {in, out});
  const Frame result = bench.download(out);
  for (size_t i = 3; i < result.rgba.size(); i += 4)
    fail_unless_equals_int(result.rgba[i], frame.rgba[i]);
  return reference::luma(result);
}

/// Frames whose grain changes in the second one and moves in the third. Compares the last vectors
/// with the reference. Returns the fraction of moving blocks.
enum class SceneKind {
  coded,
  same,    // the grain stays
  camera,  // the camera pans
  faint,   // the same, with hardly any contrast in half of the frame
};
double flicker(Bench &bench, const BlockMotion::Settings &settings, SceneKind scene) {
  const bool camera = scene >= SceneKind::camera;
  constexpr int w = 160, h = 112;
  std::vector<Frame> frames;
  for (int i = 0; i < 4; i++) {
    const int shift = camera ? 3 * i : i == 3 ? 4 : 0;
    const Frame grain =
        reference::textured_frame(w, h, {double(shift), 0}, i || scene == SceneKind::same ? 2 : 3);
    frames.push_back(camera ? grain : reference::flat_frame(w, h));
    for (int y = 0; y < h && !camera; y++)
      for (int x = 0; x < w; x++)
        std::fill_n(frames[i].at(x, y), 3, uint8_t(100 + (grain.at(x, y)[0] - 128) / 10));
    for (int y = h / 2; y < h && scene == SceneKind::faint; y++)
      for (int x = 0; x < w; x++)
        std::fill_n(frames[i].at(x, y), 3, uint8_t(100 + (grain.at(x, y)[0] - 128) / 40));
  }
  BlockMotion engine(*bench.context, w, h, Layout::buffer);
  reference::Flicker noise;
  reference::Field expected;
  for (int i = 0; i < 4; i++) {
    engine.next(*bench.queue, settings, bench.upload(frames[i], Layout::buffer));
    if (!i) continue;
    const reference::Plane current = reference::luma(frames[i]),
                           before = reference::luma(frames[i - 1]);
    auto keys = reference::full_search(current, before, kind(settings),
                                       SearchWindow::of_range(settings.range), settings.lambda);
    reference::keep_still(keys, current, before, kind(settings), settings.lambda,
                          reference::noise_of(before, current), false, &noise);
    expected = reference::field(keys, w, h, kind(settings), settings.lambda);
  }
  const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
  engine.copy_field(*bench.queue, buffer);
  const auto data = read(bench, buffer, engine.field().bytes);
  const auto *vectors = reinterpret_cast<const motion::Vector *>(data.data());
  double moving = 0;
  for (size_t i = 0; i < expected.vectors.size(); i++) {
    const motion::Vector v = vectors[i], w = expected.vectors[i];
    fail_unless(v.x == w.x && v.y == w.y, "block %d: cell %zu has (%d, %d), reference (%d, %d)",
                kind(settings), i, v.x, v.y, w.x, w.y);
    moving += v.x || v.y;
  }
  return moving / static_cast<double>(expected.vectors.size());
}

/// Pixels that changed by more than noise, and those that are predicted.
void check_changes(const MotionSummary &summary, const reference::Plane &current,
                   const reference::Plane &before, const reference::Plane &predicted) {
  const int limit = std::max<int>(
      motion::LEAST_CHANGE, std::lrint(float(motion::CHANGE_DEVIATIONS) * float(summary.noise)));
  int changed = 0, explained = 0;
  for (size_t i = 0; i < current.values.size(); i++) {
    const bool changes = std::abs(current.values[i] - before.values[i]) > limit;
    changed += changes;
    explained += changes && std::abs(current.values[i] - predicted.values[i]) <= limit;
  }
  fail_unless_equals_float(summary.changed, changed / static_cast<double>(current.values.size()));
  fail_unless_equals_float(summary.explained,
                           changed ? explained / static_cast<double>(changed) : 0);
}

/// Two frames through an engine, everything that comes out of it compared with the reference.
void check(Bench &bench, Layout layout, const BlockMotion::Settings &settings, const Frame &first,
           const Frame &second, std::unique_ptr<DevicePool> pool = {}) {
  const std::string what = text(settings, first);
  BlockMotion engine(*bench.context, first.width, first.height, layout);
  if (pool) engine.share(std::move(pool));
  fail_unless(!engine.next(*bench.queue, settings, bench.upload(first, layout)));
  fail_unless(engine.next(*bench.queue, settings, bench.upload(second, layout)));

  const reference::Plane current = reference::luma(second), before = reference::luma(first);
  const reference::Samples samples(before, settings.range + 3);
  auto keys =
      settings.method == BlockMotion::Method::hexagon
          ? reference::hexagon(current, before, kind(settings), settings.range, settings.lambda)
      : settings.method == BlockMotion::Method::hierarchical
          ? reference::hierarchical(current, before, kind(settings), settings.range,
                                    settings.lambda)
          : reference::full_search(current, before, kind(settings),
                                   SearchWindow::of_range(settings.range), settings.lambda);
  if (settings.precision != Precision::full)
    reference::refine(keys, current, samples, kind(settings), settings.lambda,
                      settings.precision == Precision::quarter);
  if (settings.noise != 0)
    reference::keep_still(keys, current, before, kind(settings), settings.lambda,
                          settings.noise < 0 ? reference::noise_of(before, current)
                                             : reference::even_noise(settings.noise),
                          settings.precision != Precision::full);
  const reference::Field expected =
      reference::field(keys, first.width, first.height, kind(settings), settings.lambda);
  const reference::Plane predicted =
      reference::predict(samples, expected, first.width, first.height);

  Queue &results = engine.results(*bench.queue);
  const VectorField &field = engine.field();
  fail_unless_equals_int(field.cell, expected.cell);
  fail_unless_equals_int(field.columns, expected.columns);
  fail_unless_equals_int(size_t(field.columns) * field.rows, expected.vectors.size());
  const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE, field.bytes);
  engine.copy_field(results, buffer);
  const auto data = read(results, buffer, field.bytes);
  const auto *vectors = reinterpret_cast<const motion::Vector *>(data.data());
  const auto *costs = reinterpret_cast<const uint32_t *>(&data[field.costs]);
  const auto *shapes = reinterpret_cast<const uint16_t *>(&data[field.shapes]);
  for (size_t i = 0; i < expected.costs.size(); i++)
    fail_unless(costs[i] == expected.costs[i] && shapes[i] == expected.shapes[i],
                "%s: block %zu has cost %u, shape %x, reference %u, %x", what.c_str(), i, costs[i],
                shapes[i], expected.costs[i], expected.shapes[i]);
  double x = 0, y = 0, zero = 0;
  int inside = 0;
  for (size_t i = 0; i < expected.vectors.size(); i++) {
    const motion::Vector v = vectors[i];
    fail_unless(v.x == expected.vectors[i].x && v.y == expected.vectors[i].y,
                "%s: cell %zu has (%d, %d), reference (%d, %d)", what.c_str(), i, v.x, v.y,
                expected.vectors[i].x, expected.vectors[i].y);
    if (int(i) % field.columns * field.cell >= first.width ||
        int(i) / field.columns * field.cell >= first.height)
      continue;
    inside++;
    x += v.x / 4.0, y += v.y / 4.0, zero += !v.x && !v.y;
  }
  const reference::Plane picture =
      shown(bench, second, layout, engine, MotionRenderer::Display::prediction);
  const reference::Plane residual =
      shown(bench, second, layout, engine, MotionRenderer::Display::residual);
  for (size_t i = 0; i < predicted.values.size(); i++) {
    fail_unless(picture.values[i] == predicted.values[i],
                "%s: pixel %zu predicted as %d, reference %d", what.c_str(), i, picture.values[i],
                predicted.values[i]);
    fail_unless_equals_int(residual.values[i],
                           std::clamp(128 + current.values[i] - predicted.values[i], 0, 255));
  }
  const MotionSummary summary(
      field, first.width, first.height,
      read(results, engine.sum_up(results), BlockMotion::sums_bytes).data());
  fail_unless_equals_float(summary.mse, reference::mse(current, predicted));
  fail_unless_equals_float(summary.zero, zero / inside);
  fail_unless_equals_float(summary.mean_x, x / inside);
  fail_unless_equals_float(summary.mean_y, y / inside);
  check_changes(summary, current, before, predicted);
}

BlockMotion::Settings settings(int range, int block, Precision precision, int lambda) {
  BlockMotion::Settings settings;
  settings.range = range;
  settings.partitions = block == motion::Search::partitions;
  if (!settings.partitions) settings.block = block;
  settings.precision = precision;
  settings.lambda = lambda;
  return settings;
}

constexpr int kinds[] = {4, 8, 16, 32, motion::Search::partitions};
constexpr Precision precisions[] = {Precision::full, Precision::half, Precision::quarter};

}  // namespace

TEST_EACH(test_content, 0, 5) {
  Bench bench;
  const int block = kinds[__i__];
  for (Precision precision : precisions)
    for (const Frame &frame : {reference::random_frame(61, 43), reference::natural_frame(75, 37),
                               reference::flat_frame(33, 17), reference::gradient_frame(40, 40)})
      for (int lambda : {0, 4})
        check(bench, Layout::buffer, settings(5, block, precision, lambda), frame, follow(frame));
}

TEST_EACH(test_sizes, 0, 5) {
  Bench bench;
  const int block = kinds[__i__];
  for (const auto &[width, height] : {std::pair{1, 1}, {17, 1}, {3, 33}, {64, 32}, {130, 20}}) {
    const Frame frame = reference::random_frame(width, height);
    check(bench, Layout::buffer, settings(3, block, Precision::quarter, 1), frame,
          reference::random_frame(width, height, 5));
    check(bench, Layout::image, settings(3, block, Precision::quarter, 1), frame, follow(frame));
  }
}

TEST_EACH(test_methods, 0, 5) {
  Bench bench;
  for (auto method : {BlockMotion::Method::hexagon, BlockMotion::Method::hierarchical})
    for (int range : {3, 16, 33, 128})
      for (const Frame &frame : {reference::random_frame(61, 43), reference::natural_frame(150, 70),
                                 reference::flat_frame(33, 17), reference::random_frame(1, 1)}) {
        BlockMotion::Settings s = settings(range, kinds[__i__], Precision::quarter, range % 5);
        s.method = method;
        check(bench, Layout::buffer, s, frame, follow(frame));
      }
}

// Searches of few candidates in bands, and the parts of pixels.
TEST_EACH(test_bands, 0, 3) {
  Bench bench;
  const Frame frame = reference::random_frame(161, 143);
  for (auto method : {BlockMotion::Method::hexagon, BlockMotion::Method::hierarchical}) {
    BlockMotion::Settings s = settings(33, kinds[__i__], Precision::quarter, 2);
    s.method = method;
    const auto work = [&] { check(bench, Layout::buffer, s, frame, follow(frame)); };
    work();
    const int kernels = method == BlockMotion::Method::hexagon ? 2 : 4;
    const int more = more_bands(bench, work);
    fail_unless(more >= kernels, "%s: %d more bands", text(s, frame).c_str(), more);
  }
}

// Blocks that noise seems to move, at all block sizes and methods.
TEST_EACH(test_noise, 0, 5) {
  Bench bench;
  for (auto method : {BlockMotion::Method::full, BlockMotion::Method::hexagon})
    for (Precision precision : {Precision::full, Precision::quarter})
      for (double noise : {-1.0, 5.0})
        for (const Frame &frame :
             {reference::flat_frame(81, 53), reference::natural_frame(110, 70)}) {
          BlockMotion::Settings s = settings(6, kinds[__i__], precision, 4);
          s.method = method, s.noise = noise;
          check(bench, Layout::buffer, s, reference::noisy(frame, 5, 1),
                reference::noisy(frame, 5, 2));
          check(bench, Layout::image, s, frame, reference::noisy(follow(frame), 2, 3));
        }
}

// The noise of an intra frame does not move in the next frames. A panning camera does, although
// everything changes.
TEST_EACH(test_flicker, 0, 5) {
  Bench bench;
  BlockMotion::Settings s = settings(6, kinds[__i__], Precision::full, 4);
  s.noise = -1;
  const double coded = flicker(bench, s, SceneKind::coded),
               same = flicker(bench, s, SceneKind::same);
  if (kinds[__i__] >= 16) {
    fail_unless(same >= 0.9, "%g of a grain that moves does", same);
    fail_unless(coded <= 0.25, "%g of the noise moves", coded);
  }
  const double camera = flicker(bench, s, SceneKind::camera);
  fail_unless(camera >= 0.9, "%g moves with the camera", camera);
  const double faint = flicker(bench, s, SceneKind::faint);
  if (kinds[__i__] >= 16)
    fail_unless(faint >= 0.9, "%g moves with the camera, where half has hardly any contrast",
                faint);
}

// Searches that devices share, here one device as two.
TEST(test_shared) {
  Bench bench;
  const Frame frame = reference::natural_frame(90, 50);
  for (int block : {8, motion::Search::partitions})
    check(bench, Layout::buffer, settings(5, block, Precision::quarter, 2), frame, follow(frame),
          std::make_unique<DevicePool>(std::vector<glcl::Device>(2, bench.context->device())));
}

// A frame whose last row of macroblocks is half outside.
TEST(test_full_frame) {
  Bench bench;
  const Frame frame = reference::natural_frame(1920, 1080);
  for (int block : {16, motion::Search::partitions})
    check(bench, Layout::buffer, settings(3, block, Precision::full, 4), frame, follow(frame));
}

// Reaches far over every edge.
TEST(test_far) {
  Bench bench;
  const Frame frame = reference::random_frame(35, 18);
  check(bench, Layout::buffer, settings(128, 32, Precision::quarter, 0), frame,
        reference::random_frame(35, 18, 2));
}

TEST(test_settings_change) {
  Bench bench;
  const Frame a = reference::natural_frame(70, 40), b = follow(a);
  BlockMotion engine(*bench.context, a.width, a.height, Layout::buffer);
  const Picture pictures[] = {bench.upload(a, Layout::buffer), bench.upload(b, Layout::buffer)};
  engine.next(*bench.queue, {}, pictures[0]);
  int frame = 0;
  for (int block : kinds)
    for (Precision precision : precisions) {
      const BlockMotion::Settings s = settings(4, block, precision, 2);
      frame++;
      engine.prepare(s);
      fail_unless(engine.next(*bench.queue, s, pictures[frame % 2]));
      const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
      engine.copy_field(*bench.queue, buffer);
      BlockMotion fresh(*bench.context, a.width, a.height, Layout::buffer);
      fresh.next(*bench.queue, s, pictures[(frame + 1) % 2]);
      fresh.next(*bench.queue, s, pictures[frame % 2]);
      const cl::Buffer other(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
      fresh.copy_field(*bench.queue, other);
      const size_t bytes = engine.field().columns * engine.field().rows * 4;
      fail_unless(read(bench, buffer, bytes) == read(bench, other, bytes), "%s",
                  text(s, a).c_str());
    }
}

// A change of the kind of blocks is built in the background; until then frames are divided as
// before.
TEST(test_change_in_the_background) {
  Bench bench;
  const Frame a = reference::natural_frame(70, 40), b = follow(a);
  BlockMotion engine(*bench.context, a.width, a.height, Layout::buffer);
  const Picture pictures[] = {bench.upload(a, Layout::buffer), bench.upload(b, Layout::buffer)};
  BlockMotion::Settings s;
  s.range = 16;
  engine.next(*bench.queue, s, pictures[0]);
  s.block = 4;
  engine.next(*bench.queue, s, pictures[1]);
  fail_unless_equals_int(engine.field().block, 16);
  int frame = 1;
  for (; engine.field().block == 16 && frame < 60000; frame++) {
    g_usleep(1000);
    engine.next(*bench.queue, s, pictures[(frame + 1) % 2]);
    bench.queue->cl().finish();
  }
  fail_unless_equals_int(engine.field().block, 4);
  const auto keys =
      reference::full_search(reference::luma(frame % 2 ? b : a), reference::luma(frame % 2 ? a : b),
                             4, SearchWindow::of_range(s.range), s.lambda);
  const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
  engine.copy_field(*bench.queue, buffer);
  const auto data = read(bench, buffer, engine.field().bytes);
  const auto *vectors = reinterpret_cast<const motion::Vector *>(data.data());
  for (size_t i = 0; i < keys.size(); i++) {
    const motion::Vector v = -motion::vector_of(keys[i]);
    fail_unless(vectors[i].x == v.x && vectors[i].y == v.y, "block %zu", i);
  }
}

// The same for the adaptive range. The first frame has the largest one.
TEST(test_range_of_a_change) {
  Bench bench;
  const Frame a = reference::natural_frame(70, 40);
  const Picture pictures[] = {bench.upload(a, Layout::buffer),
                              bench.upload(follow(a), Layout::buffer)};
  BlockMotion::Settings fixed, other;
  fixed.range = 8;
  other.block = 4;
  for (const BlockMotion::Settings &before : {fixed, BlockMotion::Settings()}) {
    BlockMotion engine(*bench.context, a.width, a.height, Layout::buffer);
    const auto next = [&](const BlockMotion::Settings &wanted, int frame) {
      engine.next(*bench.queue, wanted, pictures[frame % 2]);
      bench.queue->cl().finish();
    };
    next(before, 0);
    fail_unless_equals_int(engine.field().range, before.range);
    int frame = 1;
    for (; frame < 60000 && (frame == 1 || engine.field().block == 16); frame++) {
      next(other, frame);
      const bool changed = engine.field().block == 4;
      fail_unless_equals_int(engine.field().range, changed ? 0 : before.range);
      g_usleep(1000);
    }
    fail_unless_equals_int(engine.field().block, 4);
  }
}

namespace {

/// Those that a field begins with, against whole blocks of the reference's full search.
void check_vectors(const std::vector<uint8_t> &field, const Frame &now, const Frame &before,
                   const BlockMotion::Settings &settings) {
  const auto keys = reference::full_search(reference::luma(now), reference::luma(before), 16,
                                           SearchWindow::of_range(settings.range), settings.lambda);
  const auto *vectors = reinterpret_cast<const motion::Vector *>(field.data());
  for (size_t i = 0; i < keys.size(); i++) {
    const motion::Vector v = -motion::vector_of(keys[i]);
    fail_unless(vectors[i].x == v.x && vectors[i].y == v.y, "block %zu", i);
  }
}

}  // namespace

// The host never waits, not even where devices share the search: a queue that stands still does
// not keep it.
TEST(test_no_wait) {
  Bench bench;
  const Frame a = reference::natural_frame(90, 50);
  BlockMotion::Settings s;
  s.range = 16;
  for (const bool shared : {false, true}) {
    BlockMotion engine(*bench.context, a.width, a.height, Layout::buffer);
    if (shared)
      engine.share(
          std::make_unique<DevicePool>(std::vector<glcl::Device>(2, bench.context->device())));
    const Picture pictures[] = {bench.upload(a, Layout::buffer),
                                bench.upload(follow(a), Layout::buffer)};
    engine.prepare(s);
    std::vector<cl::Event> stop{cl::UserEvent(bench.context->cl())};
    bench.queue->cl().enqueueBarrierWithWaitList(&stop);
    const cl::Buffer buffer(bench.context->cl(), CL_MEM_READ_WRITE, 1 << 20);
    Queue &results = engine.results(*bench.queue);
    for (int frame = 0; frame < 12; frame++) {
      engine.next(*bench.queue, s, pictures[frame % 2]);
      engine.copy_field(results, buffer);
    }
    clSetUserEventStatus(stop[0](), CL_COMPLETE);
    const auto data = read(results, buffer, engine.field().bytes);
    check_vectors(data, follow(a), a, s);
  }
}

// While devices search, the queue takes the frames after that one, as many as there are planes for;
// each is still searched in the frame before it.
TEST(test_ahead) {
  Bench bench;
  constexpr size_t frames = 14;
  std::vector<Frame> all{reference::natural_frame(90, 50)};
  while (all.size() < frames) all.push_back(follow(all.back()));
  auto pool = std::make_unique<DevicePool>(std::vector<glcl::Device>(2, bench.context->device()));
  const DevicePool::Worker &worker = pool->worker(0);
  BlockMotion engine(*bench.context, 90, 50, Layout::buffer);
  engine.share(std::move(pool));
  const BlockMotion::Settings s = settings(4, 16, Precision::full, 2);
  engine.prepare(s);
  std::vector<cl::Event> stop{cl::UserEvent(worker.context->cl())};  // the search
  worker.queue->cl().enqueueBarrierWithWaitList(&stop);
  std::vector<Picture> pictures;
  for (const Frame &frame : all) pictures.push_back(bench.upload(frame, Layout::buffer));
  std::vector<cl::Event> taken(frames);
  std::vector<cl::Buffer> fields;
  Queue &results = engine.results(*bench.queue);
  for (size_t i = 0; i < frames; i++) {
    engine.next(*bench.queue, s, pictures[i]);
    bench.queue->cl().enqueueMarkerWithWaitList(nullptr, &taken[i]);
    bench.queue->cl().flush();
    fields.emplace_back(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
    engine.copy_field(results, fields.back());
  }
  const auto has_taken = [&](size_t i) {
    return taken[i].getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE;
  };
  for (int ms = 0; ms < 60000 && !has_taken(4); ms++) g_usleep(1000);
  const bool ahead = has_taken(4);
  g_usleep(50000);
  const bool all_taken = has_taken(frames - 1);
  clSetUserEventStatus(stop[0](), CL_COMPLETE);
  for (size_t i = 1; i < frames; i++)
    check_vectors(read(results, fields[i], engine.field().bytes), all[i], all[i - 1], s);
  fail_unless(ahead, "the queue waits for the devices");
  fail_unless(!all_taken, "planes that are searched are written over");
}

// Devices that share a search try a small window ahead, and no more where that predicts as well as
// the target.
TEST(test_window_ahead) {
  Bench bench;
  constexpr int width = 90, height = 50;
  const Frame still = reference::natural_frame(width + 40, height + 40);
  for (int block : {8, motion::Search::partitions})
    for (const int shift : {3, 9}) {
      const Frame a = reference::crop(still, 20, 20, width, height),
                  b = follow(reference::crop(still, 20 - shift, 20, width, height));
      const reference::Plane current = reference::luma(b), before = reference::luma(a);
      BlockMotion::Settings s = settings(0, block, Precision::full, 2);
      s.min_range = 4, s.max_range = 16;
      const SearchWindow least = SearchWindow::of_range(4);
      // The prediction by whole blocks.
      const int side = block == motion::Search::partitions ? 16 : block;
      const auto few = reference::full_search(current, before, side, least, s.lambda);
      const double mse = reference::mse(
          current,
          reference::predict(reference::Samples(before, 8),
                             reference::field(few, width, height, side, s.lambda), width, height));
      const motion::LumaPlane planes[] = {upload(bench, current), upload(bench, before)};
      const motion::Search search(*bench.context, block);
      const cl::Buffer keys = key_buffer(bench, search.keys(planes[0]));
      const auto all = reference::full_search(current, before, block, least, s.lambda);
      bench.queue->cl().enqueueWriteBuffer(keys, CL_TRUE, 0, all.size() * sizeof(Key), all.data());
      const cl::Buffer sums(bench.context->cl(), CL_MEM_READ_WRITE, motion::SquaredErrors::bytes);
      motion::SquaredErrors(*bench.context, search)
          .run(*bench.queue, planes[0], planes[1], keys, sums);
      fail_unless_equals_float(
          motion::SquaredErrors::total(read(bench, sums, motion::SquaredErrors::bytes).data()),
          mse * width * height);
      for (const double off : {-0.01, 0.01, 0.0}) {
        s.target_psnr = off != 0 ? 10 * std::log10(255 * 255 / mse) + off : 0;
        const int range = off < 0 ? s.min_range : s.max_range;
        BlockMotion engine(*bench.context, width, height, Layout::buffer);
        engine.share(
            std::make_unique<DevicePool>(std::vector<glcl::Device>(2, bench.context->device())));
        for (const Frame *frame : {&a, &b, &a, &b})
          engine.next(*bench.queue, s, bench.upload(*frame, Layout::buffer));
        Queue &results = engine.results(*bench.queue);
        const MotionSummary summary(
            engine.field(), width, height,
            read(results, engine.sum_up(results), BlockMotion::sums_bytes).data());
        fail_unless_equals_int(summary.range, range);
        const cl::Buffer field(bench.context->cl(), CL_MEM_READ_WRITE, engine.field().bytes);
        engine.copy_field(results, field);
        const auto data = read(results, field, engine.field().bytes);
        const auto expected = reference::field(
            reference::full_search(current, before, block, SearchWindow::of_range(range), s.lambda),
            width, height, block, s.lambda);
        fail_unless(std::memcmp(data.data(), expected.vectors.data(),
                                expected.vectors.size() * sizeof(motion::Vector)) == 0,
                    "%s, %d px: other vectors than the reference's within %d px",
                    text(s, a).c_str(), shift, range);
      }
    }
}

// A first frame, and one after a reset, has no motion and predicts itself.
TEST(test_first_frame) {
  Bench bench;
  const Frame frame = reference::random_frame(50, 30);
  const Picture picture = bench.upload(frame, Layout::buffer);
  for (int block : kinds) {
    const BlockMotion::Settings s = settings(4, block, Precision::quarter, 0);
    BlockMotion engine(*bench.context, frame.width, frame.height, Layout::buffer);
    for (int run = 0; run < 2; run++) {
      fail_unless(!engine.next(*bench.queue, s, picture));
      const MotionSummary summary(
          engine.field(), frame.width, frame.height,
          read(bench, engine.sum_up(*bench.queue), BlockMotion::sums_bytes).data());
      fail_unless(summary.mse == 0 && summary.zero == 1 && std::isinf(summary.psnr()));
      engine.next(*bench.queue, s, bench.upload(follow(frame), Layout::buffer));
      engine.reset();
    }
  }
}
