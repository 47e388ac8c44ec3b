// SPDX-License-Identifier: LGPL-2.1-or-later
#include "classic.h"

#include <algorithm>
#include <cmath>

#include "opencl/error.h"

namespace glcl::research {

Classic::Classic(Context &context, int width, int height, size_t edges)
    : edges_(edges),
      cells_(size_t(scales) * width * height),
      argmax_(context),
      vote_(context, context.program("research/hough/classic.cl"), "classic_vote",
            {context.device().is_cpu() ? 16u : 128u, 1}) {
  const auto buffer = [&](size_t count) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  };
  try {
    auto count = static_cast<cl_uint>(cells_);
    count_ =
        cl::Buffer(context.cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof count, &count);
    space_ = buffer(cells_);
    maximum_ = buffer(2);
    most_ = buffer(2 * rotations);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the votes of the Hough transform on " +
                    context.device().name + ".",
                error);
  }
}

void Classic::run(Queue &queue, const hough::EdgePairs &before, const hough::EdgePairs &after,
                  const hough::Transform &known) {
  for (int rotation = 0; rotation < rotations; rotation++) {
    queue.cl().enqueueFillBuffer(space_, cl_uint(0), 0, cells_ * sizeof(cl_uint));
    vote_(queue, {edges_, scales}, before.edges(), before.edge_begins(),
          cl_int2{{before.width(), before.height()}}, after.edges(), after.edge_begins(),
          cl_int2{{after.width(), after.height()}}, known.rotations(), rotation, space_);
    argmax_.run(queue, space_, count_, maximum_);
    queue.cl().enqueueCopyBuffer(maximum_, most_, 0, 2 * rotation * sizeof(cl_uint),
                                 2 * sizeof(cl_uint));
  }
}

std::vector<uint32_t> classic_most(const EdgeList &before, const EdgeList &after) {
  const double pi = std::acos(-1.0);
  std::vector<uint32_t> most, space(size_t(Classic::scales) * after.width * after.height);
  for (int rotation = 0; rotation < Classic::rotations; rotation++) {
    std::fill(space.begin(), space.end(), 0);
    for (int scale = 0; scale < Classic::scales; scale++) {
      const double by = 4096 * (5 + scale) / 10.0, angle = rotation * pi / Classic::rotations;
      const int64_t c = std::lround(by * std::cos(angle)), s = std::lround(by * std::sin(angle));
      for (size_t k = 0; k < before.indices.size(); k++) {
        const auto x = int64_t(before.width) - 1 - 2 * int64_t(before.indices[k] % before.width);
        const auto y = int64_t(before.height) - 1 - 2 * int64_t(before.indices[k] / before.width);
        const auto dx = static_cast<int>(std::floor(double(c * x - s * y + 4096) / 8192));
        const auto dy = static_cast<int>(std::floor(double(s * x + c * y + 4096) / 8192));
        const auto [first, end] =
            std::equal_range(after.directions.begin(), after.directions.end(),
                             (before.directions[k] + rotation) % Classic::rotations);
        for (auto i = size_t(first - after.directions.begin());
             i < size_t(end - after.directions.begin()); i++) {
          const int to_x = static_cast<int>(after.indices[i] % after.width) + dx;
          const int to_y = static_cast<int>(after.indices[i] / after.width) + dy;
          if (to_x < 0 || to_y < 0 || to_x >= after.width || to_y >= after.height) continue;
          space[(size_t(scale) * after.height + to_y) * after.width + to_x]++;
        }
      }
    }
    const auto top = std::max_element(space.begin(), space.end());
    most.push_back(*top), most.push_back(static_cast<uint32_t>(top - space.begin()));
  }
  return most;
}

}  // namespace glcl::research
