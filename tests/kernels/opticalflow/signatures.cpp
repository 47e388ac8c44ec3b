// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares matches by signature with their reference, exactly, and with known motion.
#include "opticalflow/signatures.h"

#include <array>
#include <cstring>
#include <tuple>

#include "film.h"
#include "kernels/engine.h"
#include "reference/opticalflow/signatures.h"
#include "reference/textured.h"

using glcl::opticalflow::Signatures;
using reference::Match;
using reference::Motion;

namespace {

/// A plane in a buffer whose rows are longer than the plane's.
struct Plane {
  explicit Plane(const Frame &frame)
      : width(frame.width), height(frame.height), values(size_t(pitch()) * (height + 3)) {
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const uint8_t *p = frame.at(x, y);
        values[offset() + size_t(y) * pitch() + x] = float(p[0] + p[1] + p[2]) / 3;
      }
  }
  float at(int x, int y) const { return values[offset() + size_t(y) * pitch() + x]; }
  int pitch() const { return width + 5; }
  int offset() const { return 2 * pitch() + 3; }
  cl::Buffer upload(Bench &bench) {
    return cl::Buffer(bench.context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      values.size() * sizeof(float), values.data());
  }

  int width, height;
  std::vector<float> values;
};

using List = std::vector<std::array<float, 4>>;

List download(Bench &bench, Signatures &engine, int width, int height) {
  const size_t offset = 48, bytes = offset + Signatures::list_bytes(width, height);
  cl::Buffer result(bench.context->cl(), CL_MEM_READ_WRITE, bytes);
  engine.list(*bench.queue, result, offset);
  std::vector<char> host(bytes);
  bench.queue->cl().enqueueReadBuffer(result, CL_TRUE, 0, bytes, host.data());
  cl_int count = -1;
  std::memcpy(&count, host.data() + offset, sizeof count);
  fail_unless(count >= 0 && (size_t(count) + 1) * 16 + offset <= bytes, "%d vectors", count);
  List list(count);
  if (count) std::memcpy(list.data(), host.data() + offset + 16, list.size() * 16);
  return list;
}

/// The list of the engine, which must equal the reference's.
List matches(Bench &bench, Signatures &engine, const Frame &before, const Frame &after,
             const char *what, bool known = false) {
  Plane from(before), to(after);
  const cl::Buffer a = from.upload(bench), b = to.upload(bench);
  engine.match(*bench.queue, {a, from.pitch(), from.offset()}, {b, to.pitch(), to.offset()}, known);
  const List list = download(bench, engine, before.width, before.height);
  const std::vector<Match> expected = reference::signature_matches(
      before.width, before.height, [&](int x, int y) { return from.at(x, y); },
      [&](int x, int y) { return to.at(x, y); });
  fail_unless(list.size() == expected.size(), "%s, %d×%d: %zu vectors, expected %zu", what,
              before.width, before.height, list.size(), expected.size());
  for (size_t i = 0; i < list.size(); i++) {
    const auto &[x, y, vx, vy] = list[i];
    const Match &e = expected[i];
    fail_unless(x == e.x && y == e.y && vx == e.vx && vy == e.vy,
                "%s, number %zu: (%g, %g) by (%g, %g), expected (%d, %d) by (%d, %d)", what, i, x,
                y, vx, vy, e.x, e.y, e.vx, e.vy);
  }
  return list;
}

List matches(Bench &bench, const Frame &before, const Frame &after, const char *what) {
  Signatures engine(*bench.context, before.width, before.height);
  return matches(bench, engine, before, after, what);
}

/// The fraction of a list that is more than 1.5 px off.
double wrong(const List &list, const Motion &motion, int width, int height) {
  size_t off = 0;
  for (const auto &[x, y, vx, vy] : list) {
    const reference::Point to = motion.apply({x, y}, width, height);
    off += std::hypot(to.x - x - vx, to.y - y - vy) > 1.5;
  }
  return list.empty() ? 1 : double(off) / double(list.size());
}

}  // namespace

// In a sequence, the signatures of each frame are computed once.
TEST(test_row) {
  Bench bench;
  const int w = 161, h = 97;
  Signatures engine(*bench.context, w, h);
  std::vector<Frame> frames;
  for (int i = 0; i < 6; i++)
    frames.push_back(reference::noisy(reference::textured_frame(w, h, {2.0 * i, 1.0 * i}), 2, i));
  for (int i = 0; i < 5; i++)
    matches(bench, engine, frames[i], frames[i + 1], "in a row", i > 0 && i != 3);
}

TEST(test_content) {
  Bench bench;
  const int w = 161, h = 97;
  const Motion motion{9.4, -5.7, 0.02, 1.01};
  const Frame unmoved = reference::textured_frame(w, h),
              moved = reference::textured_frame(w, h, motion);
  matches(bench, unmoved, unmoved, "unmoved");
  matches(bench, unmoved, moved, "moved");
  matches(bench, reference::noisy(unmoved, 8, 1), reference::noisy(moved, 8, 2), "moved, noise");
  matches(bench, reference::random_frame(w, h, 1), reference::random_frame(w, h, 2), "random");
  matches(bench, reference::natural_frame(w, h), reference::natural_frame(w, h), "natural");
  matches(bench, reference::gradient_frame(w, h), reference::gradient_frame(w, h), "gradient");
  matches(bench, reference::flat_frame(w, h), reference::flat_frame(w, h), "flat");
}

TEST(test_sizes) {
  Bench bench;
  for (const auto &[w, h] : {std::array{1, 1},
                             {1, 40},
                             {40, 1},
                             {16, 16},
                             {17, 17},
                             {18, 33},
                             {64, 48},
                             {65, 49},
                             {127, 130}})
    matches(bench, reference::textured_frame(w, h), reference::textured_frame(w, h, {2, 1}),
            "size");
}

TEST(test_groups) {
  Bench bench;
  const int w = 150, h = 101;
  const Frame before = reference::textured_frame(w, h),
              after = reference::textured_frame(w, h, {7, -4});
  for (const auto &[find, pick, lanes] : {std::tuple{Size{32, 6}, Size{16, 16}, 1},
                                          {Size{16, 1}, Size{8, 4}, 4},
                                          {Size{5, 3}, Size{7, 5}, 8},
                                          {Size{64, 4}, Size{32, 1}, 1},
                                          {Size{2, 2}, Size{32, 1}, 4}}) {
    Signatures engine(*bench.context, w, h, find, pick, lanes);
    for (int i = 0; i < 2; i++) matches(bench, engine, before, after, "groups");
    matches(bench, engine, after, before, "back");
  }
}

// Large motion gives many correct vectors with every texture.
TEST(test_large) {
  Bench bench;
  const int w = 320, h = 240;
  for (const Motion &motion : {Motion{-31, 12}, {-60, 30}, {63, -63}, {-30.5, 11.5}}) {
    const List list = matches(bench, reference::textured_frame(w, h),
                              reference::textured_frame(w, h, motion), "large");
    fail_unless(list.size() >= 1500, "%zu vectors", list.size());
    fail_unless(wrong(list, motion, w, h) <= 0.01, "%g are wrong", wrong(list, motion, w, h));
  }
  const Frame scene = reference::fine_frame(w + 64, h + 64),
              before = reference::crop(scene, 60, 8, w, h);
  const List list = matches(bench, before, reference::crop(scene, 29, 20, w, h), "fine texture");
  fail_unless(list.size() >= 5000 && wrong(list, {31, -12}, w, h) <= 0.001);
  fail_unless(matches(bench, reference::textured_frame(w, h),
                      reference::textured_frame(w, h, {80, 0}), "too far")
                  .size() <= 4);
}

// A photograph in noise, and with another brightness.
TEST(test_noise) {
  Bench bench;
  const int w = 320, h = 240;
  for (const Frame &picture : film::pictures()) {
    const int x = (picture.width - w) / 2, y = (picture.height - h) / 2;
    const Frame before = reference::crop(picture, x, y, w, h),
                after = reference::crop(picture, x + 31, y - 12, w, h);
    const Motion motion{-31, 12};
    const List light = matches(bench, before, reference::relit(after, 0.8, 10), "other light");
    fail_unless(light.size() >= 3000 && wrong(light, motion, w, h) <= 0.005,
                "%zu vectors, %g are wrong", light.size(), wrong(light, motion, w, h));
    for (const auto &[noise, least, most] :
         {std::tuple{4, 1500, 0.06}, {8, 700, 0.08}, {16, 100, 0.15}}) {
      const List list = matches(bench, reference::noisy(before, noise, 1),
                                reference::noisy(after, noise, 2), "noise");
      fail_unless(list.size() >= size_t(least) && wrong(list, motion, w, h) <= most,
                  "%zu vectors in noise of %d levels, %g are wrong", list.size(), noise,
                  wrong(list, motion, w, h));
    }
  }
}

// Frames without matches give no vectors: another scene, noise, repeated texture.
TEST(test_none) {
  Bench bench;
  const int w = 320, h = 240;
  const auto count = [&](const Frame &before, const Frame &after, const char *what) {
    return matches(bench, before, after, what).size();
  };
  fail_unless(count(reference::textured_frame(w, h), reference::textured_frame(w, h, {}, 2),
                    "another scene") <= 4);
  const Frame flat = reference::flat_frame(w, h);
  for (int level : {2, 16})
    fail_unless(
        count(reference::noisy(flat, level, 1), reference::noisy(flat, level, 2), "noise") <= 4);
  Frame repeated(w, h);
  const Frame tile = reference::textured_frame(20, 20);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) std::copy_n(tile.at(x % 20, y % 20), 4, repeated.at(x, y));
  fail_unless(count(repeated, repeated, "repeated") == 0);
}
