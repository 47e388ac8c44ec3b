// SPDX-License-Identifier: LGPL-2.1-or-later
// Arrows and the displays of vector fields, against their scalar reference.
#include "drawing/arrows.h"

#include "kernels/engine.h"
#include "motion/renderer.h"
#include "opticalflow/renderer.h"
#include "reference/drawing/arrows.h"

using glcl::drawing::Arrow;
using glcl::drawing::Arrows;
using glcl::drawing::Canvas;
using glcl::motion::BlockMotion;
using glcl::motion::VectorField;

namespace {

constexpr Layout layouts[] = {Layout::image, Layout::buffer};  // the loop index of the tests
constexpr int sizes[][2] = {{161, 90}, {1, 1}, {1, 40}, {40, 1}, {37, 211}, {9, 2160}};

/// Numbers from 0 to 1 that look random.
class Random {
 public:
  double operator()() {
    state_ = state_ * 1664525 + 1013904223;
    return (state_ >> 8) / double(1 << 24);
  }

 private:
  uint32_t state_ = 7;
};

/// Long and short ones, also some that leave the frame, none among them.
std::vector<Arrow> some_arrows(int count, int width, int height) {
  Random random;
  std::vector<Arrow> list;
  for (int i = 0; i < count; i++) {
    Arrow arrow{};
    arrow.x = float(random() * (width + 20) - 10), arrow.y = float(random() * (height + 20) - 10);
    const double angle = i % 5 ? random() * 2 * M_PI : i % 4 * M_PI / 2;
    arrow.right = float(std::cos(angle)), arrow.down = float(std::sin(angle));
    arrow.length = i % 7 ? float(random() * random() * 60) : -1;
    for (auto &part : arrow.colour.s) part = static_cast<uint8_t>(random() * 256);
    list.push_back(arrow);
  }
  return list;
}

/// Where an arrow's distance is at the edge of two of its 255 steps, the device may take another
/// one; a value may be rounded otherwise.
void check_drawn(const Frame &got, const Frame &expected, const std::string &what) {
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(got.rgba[i]) - int(expected.rgba[i])) > 1;
  fail_unless(off * 1000 <= expected.rgba.size(), "%s, %d×%d: %zu of %zu values differ",
              what.c_str(), expected.width, expected.height, off, expected.rgba.size());
}

std::vector<Frame> frames(int width, int height) {
  return {reference::random_frame(width, height), reference::natural_frame(width, height)};
}

}  // namespace

TEST_EACH(test_arrows, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  for (const auto &[width, height] : sizes) {
    Arrows engine(*bench.context, width, height, layout);
    for (const Frame &frame : frames(width, height))
      for (const bool overlay : {false, true})
        for (const int count : {1, 60}) {  // the second time the keys are those of the first
          const std::vector<Arrow> list = some_arrows(count, width, height);
          bench.queue->cl().enqueueWriteBuffer(engine.reserve(count), CL_TRUE, 0,
                                               list.size() * sizeof(Arrow), list.data());
          const Picture in = bench.upload(frame, layout, layout == Layout::buffer ? 3 : 0),
                        out = bench.upload(frame, layout);
          const Canvas canvas{in, out, overlay};
          canvas.begin(*bench.queue);
          engine.draw(*bench.queue, count, 0xc0102030, canvas);
          check_drawn(bench.download(out), reference::arrows(frame, list, 0xc0102030, overlay),
                      std::to_string(count) + " arrows");
        }
  }
}

// The owner of a pixel among several arrows does not depend on the order of the work.
TEST_EACH(test_order, 0, 2) {
  Bench bench;
  const Layout layout = layouts[__i__];
  const Frame frame = reference::natural_frame(200, 100);
  Arrows engine(*bench.context, 200, 100, layout);
  const std::vector<Arrow> list = some_arrows(400, 200, 100);
  bench.queue->cl().enqueueWriteBuffer(engine.reserve(400), CL_TRUE, 0, list.size() * sizeof(Arrow),
                                       list.data());
  Frame first;
  for (int i = 0; i < 20; i++) {
    const Picture in = bench.upload(frame, layout), out = bench.upload(frame, layout);
    const Canvas canvas{in, out};
    canvas.begin(*bench.queue);
    engine.draw(*bench.queue, 400, 0xff000000, canvas);
    const Frame got = bench.download(out);
    if (!i) first = got;
    check_equal(got, first, "the same arrows once more");
  }
}

// A width that shows grows with the frame.
TEST(test_width) {
  fail_unless_equals_float(Arrows::width(1, 1).half_width, 0.75);
  fail_unless_equals_float(Arrows::width(640, 360).half_width, 0.75);
  fail_unless_equals_float(Arrows::width(1280, 720).half_width, 1);
  fail_unless_equals_float(Arrows::width(3840, 2160).half_width, 3);
  fail_unless_equals_float(Arrows::width(2160, 3840).outline_width, 3);
  fail_unless(glcl::drawing::dot(480, 272) == 2 && glcl::drawing::dot(3840, 2160) == 8);
}

namespace {

/// A field that turns around the middle, unsure in places.
struct RotatingField {
  RotatingField(Bench &bench, int width, int height) : vectors(2 * size_t(width) * height) {
    Random random;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const size_t i = size_t(y) * width + x;
        vectors[2 * i] = float(height - 2 * y) / 16 + float(random());
        vectors[2 * i + 1] = float(2 * x - width) / 16;
        confidence.push_back(float(random()));
      }
    const auto upload = [&](std::vector<float> &values) {
      return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        values.size() * sizeof(float), values.data());
    };
    field.width = width, field.height = height;
    field.vectors = upload(vectors), field.confidence = upload(confidence);
  }
  reference::DenseVectors dense() const {
    return {field.width, field.height, vectors.data(), confidence.data()};
  }

  std::vector<float> vectors, confidence;
  glcl::opticalflow::FlowField field;
};

}  // namespace

TEST_EACH(test_flow, 0, 2) {
  using glcl::opticalflow::FlowRenderer;
  Bench bench;
  const Layout layout = layouts[__i__];
  for (const auto &[width, height] : sizes) {
    FlowRenderer view(*bench.context, width, height, layout);
    const RotatingField turning(bench, width, height);
    const Frame frame = reference::natural_frame(width, height);
    const float least = 0.3f, gain = 5;
    view.summarize(*bench.queue, turning.field, least, gain, true);
    for (const bool overlay : {false, true})
      for (const int spacing : {0, 1, 13})
        for (const cl_uint color : {0u, 0x80ff8000u}) {
          FlowRenderer::FlowStyle drawing;
          drawing.display = FlowRenderer::Display::arrows;
          drawing.spacing = spacing, drawing.color = color;
          const Picture in = bench.upload(frame, layout), out = bench.upload(frame, layout);
          const Canvas canvas{in, out, overlay};
          view.draw(*bench.queue, drawing, &turning.field, least, canvas);
          const int cell = spacing ? std::max(spacing, 4) : Arrows::spacing(width, height);
          check_drawn(bench.download(out),
                      reference::arrows(
                          frame, reference::flow_arrows(turning.dense(), least, gain, cell, color),
                          drawing.outline_color, overlay),
                      "arrows of a flow");
          drawing.display = FlowRenderer::Display::overlay;
          view.draw(*bench.queue, drawing, &turning.field, least, canvas);
          check_drawn(bench.download(out),
                      reference::flow_overlay(frame, turning.dense(), least, gain, overlay),
                      "a flow over a frame");
          if (!overlay) {
            drawing.display = FlowRenderer::Display::color;
            view.draw(*bench.queue, drawing, &turning.field, least, canvas);
            check_drawn(bench.download(out),
                        reference::flow_color(frame, turning.dense(), least, gain), "a flow");
            drawing.display = FlowRenderer::Display::overlay;
          }
          view.draw(*bench.queue, drawing, nullptr, least, canvas);
          check_equal(bench.download(out), overlay ? Frame(width, height) : frame, "no flow");
        }
  }
}

// The legend covers its box and nothing else.
TEST_EACH(test_legend, 0, 2) {
  using glcl::opticalflow::FlowRenderer;
  Bench bench;
  const Layout layout = layouts[__i__];
  for (const auto &[width, height] : {std::pair{480, 272}, {31, 272}, {1, 1}}) {
    FlowRenderer view(*bench.context, width, height, layout);
    const RotatingField turning(bench, width, height);
    const Frame frame = reference::flat_frame(width, height);
    view.summarize(*bench.queue, turning.field, 2, 1, true);  // unsure everywhere: nothing moves
    FlowRenderer::FlowStyle drawing;
    drawing.display = FlowRenderer::Display::arrows;
    drawing.legend = true;
    const Picture in = bench.upload(frame, layout), out = bench.upload(frame, layout);
    view.draw(*bench.queue, drawing, &turning.field, 2, {in, out});
    const Frame got = bench.download(out);
    const int shorter = std::min(width, height), dot = std::max(2, (shorter + 180) / 360),
              side = shorter / 9;
    const int left = width - std::max(side, 59 * dot) - 4 * dot, upper = height - side - 13 * dot;
    int white = 0;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const bool same = std::equal(got.at(x, y), got.at(x, y) + 4, frame.at(x, y));
        fail_unless(same == (x < left || y < upper), "the legend at (%d, %d)", x, y);
        white += got.at(x, y)[0] == 255 && got.at(x, y)[1] == 255 && got.at(x, y)[2] == 255;
      }
    if (width == 480) fail_unless(white > 100 * dot, "a text and a circle: %d px", white);
  }
}

TEST_EACH(test_blocks, 0, 2) {
  using glcl::motion::MotionRenderer;
  Bench bench;
  const Layout layout = layouts[__i__];
  for (const auto &[width, height] : {std::pair{161, 90}, {1, 1}, {97, 20}, {21, 300}}) {
    const Frame before = reference::natural_frame(width + 20, height + 20),
                frame = reference::crop(before, 7, 12, width, height);
    for (const int block : {4, 16, 0}) {
      BlockMotion::Settings settings;
      settings.range = 6, settings.noise = 0;
      settings.partitions = !block;
      if (block) settings.block = block;
      settings.precision = BlockMotion::Precision::quarter;
      BlockMotion motion(*bench.context, width, height, layout);
      motion.prepare(settings);
      motion.next(*bench.queue, settings,
                  bench.upload(reference::crop(before, 10, 10, width, height), layout));
      motion.next(*bench.queue, settings, bench.upload(frame, layout));
      const VectorField &field = motion.field();
      const cl::Buffer copy(bench.context->cl(), CL_MEM_READ_WRITE, field.bytes);
      motion.copy_field(*bench.queue, copy);
      std::vector<uint8_t> data(field.bytes);
      bench.queue->cl().enqueueReadBuffer(copy, CL_TRUE, 0, data.size(), data.data());
      const reference::BlockVectors vectors{
          field.cell,
          field.columns,
          field.rows,
          field.block,
          reinterpret_cast<const glcl::motion::Vector *>(data.data()),
          reinterpret_cast<const uint16_t *>(&data[field.shapes])};
      MotionRenderer view(*bench.context, width, height, layout);
      for (const bool grid : {false, true})
        for (const int spacing : {0, 5, 40}) {
          MotionRenderer::MotionStyle drawing;
          drawing.display = MotionRenderer::Display::vectors;
          drawing.grid = grid, drawing.spacing = spacing;
          const Picture in = bench.upload(frame, layout), out = bench.upload(frame, layout);
          view.draw(*bench.queue, drawing, motion, {in, out});
          const int wanted = spacing ? spacing : Arrows::spacing(width, height) / 2,
                    step = std::max((wanted + field.block / 2) / field.block, 1);
          // Arrows are drawn over the frame, the grid is left where they are not.
          const Frame lines = grid ? reference::block_grid(frame, vectors, 1) : frame;
          const auto list = reference::block_arrows(vectors, step, drawing.color);
          const Frame drawn = reference::arrows(frame, list, drawing.outline_color),
                      covered = reference::arrows(frame, list, drawing.outline_color, true);
          Frame expected = lines;
          for (size_t i = 0; i < drawn.rgba.size(); i += 4)
            if (covered.rgba[i + 3]) std::copy_n(&drawn.rgba[i], 4, &expected.rgba[i]);
          check_drawn(bench.download(out), expected, "blocks of " + std::to_string(block));
        }
    }
  }
}
