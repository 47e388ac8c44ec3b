// SPDX-License-Identifier: LGPL-2.1-or-later
// The full search in all its forms against the scalar reference, bit for bit.
#include "motion.h"

#include "kernels/bands.h"
#include "motion/search.h"
#include "opencl/source.h"

using glcl::Parameters;
using motion::Search;

namespace {

Parameters tile(int depth) {
  return {{"form", static_cast<int>(Search::Form::tile)}, {"depth", depth}};
}

const Parameters vector{{"form", static_cast<int>(Search::Form::vector)}, {"depth", 0}};
const Parameters forms[] = {tile(3), tile(11), tile(33), tile(2), vector};
constexpr int form_count = 5;

/// Blocks of 16 px by a form that has them, else partitions.
int macroblock(const Parameters &form) { return form.at("depth") == 2 ? Search::partitions : 16; }

/// The kinds of blocks that a form is for.
std::vector<int> blocks(const Parameters &form) {
  const int depth = form.at("depth");
  if (depth == 2) return {Search::partitions};
  if (depth > 3) return {4, 8, 16, 32};
  return {4, 8, 16, 32, Search::partitions};
}

std::vector<Key> search(Bench &bench, const Parameters &form, const Pair &pair, int block,
                        const SearchWindow &window, int lambda) {
  Search engine(*bench.context, block, form);
  const motion::LumaPlane current = upload(bench, pair.current);
  const motion::LumaPlane reference = upload(bench, pair.reference);
  const size_t count = engine.keys(current);
  const cl::Buffer keys = key_buffer(bench, count);
  engine.run(*bench.queue, current, reference, window, lambda, keys);
  return download(bench, keys, count);
}

void check(Bench &bench, const Parameters &form, const Pair &pair, int block,
           const SearchWindow &window, int lambda) {
  check_keys(search(bench, form, pair, block, window, lambda),
             reference::full_search(pair.current, pair.reference, block, window, lambda),
             pair.name + " " + std::to_string(pair.current.width) + "×" +
                 std::to_string(pair.current.height) + ", block " + std::to_string(block) +
                 ", window " + std::to_string(window.x.first) + "…" +
                 std::to_string(window.x.last()) + ", " + std::to_string(window.y.first) + "…" +
                 std::to_string(window.y.last()) + ", lambda " + std::to_string(lambda) + ", " +
                 glcl::describe(form));
}

}  // namespace

TEST_EACH(test_content, 0, form_count) {
  Bench bench;
  for (int block : blocks(forms[__i__]))
    for (const Pair &pair : pairs(97, 53))
      for (int lambda : {0, 4})
        check(bench, forms[__i__], pair, block, SearchWindow::of_range(8), lambda);
}

TEST_EACH(test_bands, 0, form_count) {
  Bench bench;
  for (int block : blocks(forms[__i__])) {
    const Pair pair = pairs(97, 211).front();
    // This also compiles the kernels.
    const std::vector<Key> whole =
        search(bench, forms[__i__], pair, block, SearchWindow::of_range(5), 2);
    std::vector<Key> got;
    const int bands = in_bands(*bench.queue, [&] {
      got = search(bench, forms[__i__], pair, block, SearchWindow::of_range(5), 2);
    });
    fail_unless(bands >= 2, "%d launches", bands);
    check_keys(got, whole, pair.name);
  }
}

TEST_EACH(test_sizes, 0, form_count) {
  Bench bench;
  const int sizes[][2] = {{1, 1},   {1, 37},  {37, 1},  {16, 16},
                          {17, 15}, {64, 32}, {65, 33}, {130, 7}};
  for (const auto &[width, height] : sizes)
    for (int block : blocks(forms[__i__]))
      for (const Pair &pair : pairs(width, height))
        check(bench, forms[__i__], pair, block, SearchWindow::of_range(3), 1);
}

// Windows of every kind: offsets far beyond the frame's edges, one candidate, several pieces.
TEST_EACH(test_windows, 0, form_count) {
  Bench bench;
  std::vector<SearchWindow> windows = {{{0, 1}, {0, 1}},          {{-128, 1}, {128, 1}},
                                       {{7, 5}, {-40, 2}},        {{-20, 34}, {-1, 3}},
                                       {{-1, 2}, {-3, 67}},       SearchWindow::of_range(16),
                                       SearchWindow::of_range(17)};
  for (int side : {25, 31, 35, 36, 40, 47, 55})
    windows.push_back(SearchWindow::of_window(side, 16));
  for (const SearchWindow &window : windows)
    for (int block : blocks(forms[__i__]))
      check(bench, forms[__i__], moved(reference::natural_frame(45, 33), 9, -7, "natural"), block,
            window, 2);
  for (const SearchWindow &window : {SearchWindow::of_range(40), SearchWindow::of_window(79, 16)})
    check(bench, forms[__i__], pairs(33, 18)[0], macroblock(forms[__i__]), window, 0);
  check(bench, forms[__i__], moved(reference::natural_frame(19, 9), 100, 90, "far"),
        macroblock(forms[__i__]), SearchWindow::of_range(128), 0);
}

// A frame that has moved as a whole is found everywhere but where new content comes in.
TEST_EACH(test_shift, 0, form_count) {
  Bench bench;
  const Frame frame = reference::random_frame(128, 96);
  Pair pair{reference::luma(frame), reference::luma(frame), "shifted"};
  for (int y = 0; y < 96; y++)
    for (int x = 0; x < 128; x++)
      pair.current.values[y * 128 + x] = pair.reference.at(x - 6, y + 5);
  const int block = macroblock(forms[__i__]), step = block == 16 ? 1 : block;
  const auto keys = search(bench, forms[__i__], pair, block, SearchWindow::of_range(8), 4);
  for (int row = 0; row < 5; row++)
    for (int column = 1; column < 8; column++) {
      const motion::Vector v = motion::vector_of(keys[(row * 8 + column) * step]);
      fail_unless(v.x == -24 && v.y == 20, "block (%d, %d) came from (%d, %d)", column, row, v.x,
                  v.y);
    }
}

// Wide frames of one row of blocks: more blocks than a work-group may have items.
TEST_EACH(test_wide, 0, form_count) {
  Bench bench;
  check(bench, forms[__i__], pairs(7680, 8)[0], macroblock(forms[__i__]), {{-17, 3}, {-1, 3}}, 0);
}

// The largest SADs that there are.
TEST_EACH(test_extremes, 0, form_count) {
  Bench bench;
  Pair pair{reference::Plane(40, 17), reference::Plane(40, 17), "black and white"};
  std::fill(pair.current.values.begin(), pair.current.values.end(), 255);
  for (int block : blocks(forms[__i__]))
    for (int lambda : {0, 5, 127}) {
      check(bench, forms[__i__], pair, block, SearchWindow::of_range(4), lambda);
      check(bench, forms[__i__], pair, block, {{60, 5}, {-90, 2}}, lambda);
    }
}

TEST(test_window_of_side) {
  for (int side : {25, 31, 35, 36, 40, 47, 55, 70, 79}) {
    const motion::Span span = motion::Span::of_window(side, 16);
    fail_unless_equals_int(span.count, side - 15);
    fail_unless(span.first <= 0 && span.last() >= 0, "0 is no candidate at W=%d", side);
    fail_unless(-span.first - span.last() == (span.count % 2 ? 0 : 1), "W=%d is not centred", side);
  }
}

TEST(test_errors) {
  Bench bench;
  Search engine(*bench.context, 16);
  const motion::LumaPlane plane = upload(bench, reference::Plane(32, 16));
  const motion::LumaPlane other = upload(bench, reference::Plane(16, 16));
  const cl::Buffer keys = key_buffer(bench, 2);
  const auto refuses = [&](const std::string &words, const auto &call) {
    try {
      call();
      fail("taken: %s", words.c_str());
    } catch (const glcl::Error &error) {
      fail_unless(error.kind() == glcl::Error::Kind::settings);
      fail_unless(std::string(error.what()).find(words) != std::string::npos, "%s", error.what());
    }
  };
  glcl::Queue &queue = *bench.queue;
  refuses("129", [&] { engine.run(queue, plane, plane, SearchWindow::of_range(129), 0, keys); });
  refuses("lambda=128",
          [&] { engine.run(queue, plane, plane, SearchWindow::of_range(1), 128, keys); });
  refuses("32×16", [&] { engine.run(queue, plane, other, SearchWindow::of_range(1), 0, keys); });
  refuses("block-size=12", [&] { Search(*bench.context, 12, vector); });
}

// Planes are what the reference says, from images and from buffers.
TEST(test_luma) {
  Bench bench;
  for (const auto layout : {Layout::image, Layout::buffer}) {
    motion::LumaConverter engine(*bench.context, layout);
    for (const auto &[width, height] : {std::pair{1, 1}, {17, 5}, {64, 32}, {131, 35}}) {
      const Frame frame = reference::random_frame(width, height);
      const motion::LumaPlane plane = motion::make_plane(bench.context->cl(), width, height);
      const motion::LumaPlane half =
          motion::make_plane(bench.context->cl(), (width + 1) / 2, (height + 1) / 2);
      engine.run(*bench.queue, bench.upload(frame, layout, layout == Layout::buffer ? 3 : 0),
                 plane);
      engine.halve(*bench.queue, plane, half);
      const reference::Plane expected = reference::luma(frame),
                             half_expected = reference::halved(expected);
      for (const auto &[got, expected] : {std::pair{&plane, &expected}, {&half, &half_expected}}) {
        std::vector<uint8_t> bytes(got->bytes());
        bench.queue->cl().enqueueReadBuffer(got->buffer, CL_TRUE, 0, bytes.size(), bytes.data());
        for (int y = 0; y < got->rows; y++)
          for (int x = 0; x < got->pitch; x++)
            fail_unless_equals_int(
                bytes[size_t(y) * got->pitch + x],
                expected->at(x - motion::LumaPlane::padding, y - motion::LumaPlane::padding));
      }
    }
  }
}

// The device's own instructions for absolute differences and the portable forms.
TEST(test_absdiff) {
  Bench bench;
  const std::string text = glcl::kernel_source("common/absdiff.clh") + R"(
      __kernel void four(__global const uint2 *in, __global uint2 *out) {
        const size_t i = get_global_id(0);
        out[i] = (uint2)(sad4(in[i].x, in[i].y, i), sad4_portable(in[i].x, in[i].y, i));
      }
      __kernel void eight(__global const ulong16 *in, __global ulong16 *out) {
        const size_t i = get_global_id(0);
        out[i] = (ulong16)(sad8(in[i].lo, in[i].hi), sad8_portable(in[i].lo, in[i].hi));
      })";
  cl::Program program(bench.context->cl(), text);
  program.build();
  const Frame frame = reference::random_frame(64, 32);
  std::vector<uint8_t> bytes = frame.rgba;
  std::fill_n(bytes.begin(), 64, 0);
  std::fill_n(bytes.begin() + 64, 128, 255);
  const auto run = [&](const char *name, size_t items, void *results) {
    cl::Buffer in(bench.context->cl(), cl_mem_flags(CL_MEM_COPY_HOST_PTR), bytes.size(),
                  bytes.data());
    cl::Buffer out(bench.context->cl(), cl_mem_flags(CL_MEM_WRITE_ONLY), bytes.size());
    cl::Kernel kernel(program, name);
    kernel.setArg(0, in);
    kernel.setArg(1, out);
    bench.queue->cl().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items));
    bench.queue->cl().enqueueReadBuffer(out, CL_TRUE, 0, bytes.size(), results);
  };
  /// Over `count` bytes from both of these on.
  const auto sum = [&](size_t a, size_t b, int count) {
    uint32_t sum = 0;
    for (int i = 0; i < count; i++) sum += std::abs(bytes[a + i] - bytes[b + i]);
    return sum;
  };
  std::vector<std::array<uint32_t, 2>> four(bytes.size() / 8);
  run("four", four.size(), four.data());
  for (size_t i = 0; i < four.size(); i++)
    for (uint32_t result : four[i]) fail_unless_equals_int(result, i + sum(8 * i, 8 * i + 4, 4));
  std::vector<std::array<uint64_t, 16>> eight(bytes.size() / 128);
  run("eight", eight.size(), eight.data());
  for (size_t i = 0; i < eight.size(); i++)
    for (int j = 0; j < 16; j++)
      fail_unless_equals_int(eight[i][j],
                             sum(128 * i + 8 * (j % 8), 128 * i + 64 + 8 * (j % 8), 8));
}
