// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of the motion engines.
#pragma once

#include "kernels/engine.h"
#include "motion/plane.h"
#include "motion/vector.h"
#include "reference/motion/motion.h"

namespace motion = glcl::motion;
using motion::Key;
using motion::SearchWindow;

/// Two frames of which the second has moved, by another vector in each part, over repeated edges.
struct Pair {
  reference::Plane current, reference;
  std::string name;
};

inline Pair moved(const Frame &frame, int dx, int dy, const std::string &name) {
  Pair pair{reference::luma(frame), reference::luma(frame), name};
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      pair.current.values[size_t(y) * frame.width + x] = x * 2 < frame.width
                                                             ? pair.reference.at(x + dx, y + dy)
                                                             : pair.reference.at(x - dy, y + dx);
  return pair;
}

/// Random, flat, gradient and natural content of a size.
inline std::vector<Pair> pairs(int width, int height) {
  using namespace reference;
  return {
      {luma(random_frame(width, height, 3)), luma(random_frame(width, height, 4)), "random"},
      {luma(flat_frame(width, height)), luma(flat_frame(width, height)), "flat"},
      moved(gradient_frame(width, height), 2, -3, "gradient"),
      moved(natural_frame(width, height), -5, 4, "natural"),
  };
}

inline motion::LumaPlane upload(Bench &bench, const reference::Plane &plane) {
  motion::LumaPlane padded = motion::make_plane(bench.context->cl(), plane.width, plane.height);
  const std::vector<uint8_t> bytes = reference::padded(plane);
  bench.queue->cl().enqueueWriteBuffer(padded.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
  return padded;
}

inline cl::Buffer key_buffer(Bench &bench, size_t count) {
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE, count * sizeof(Key));
}

inline std::vector<Key> download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  std::vector<Key> keys(count);
  bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Key), keys.data());
  return keys;
}

inline std::string text(Key key) {
  const motion::Vector v = motion::vector_of(key);
  return std::to_string(motion::cost_of(key)) + " at (" + std::to_string(v.x / 4.0) + ", " +
         std::to_string(v.y / 4.0) + ")";
}

inline void check_keys(const std::vector<Key> &keys, const std::vector<Key> &expected,
                       const std::string &what) {
  fail_unless_equals_int(keys.size(), expected.size());
  for (size_t i = 0; i < expected.size(); i++)
    fail_unless(keys[i] == expected[i], "%s: block %zu costs %s, reference %s", what.c_str(), i,
                text(keys[i]).c_str(), text(expected[i]).c_str());
}
