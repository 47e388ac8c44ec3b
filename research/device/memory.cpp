// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures coalesced and strided writes and reads: how much the order counts in which work-items
// access memory. These are micro-benchmarks of Farias et al., a survey of markerless augmented
// reality on GPUs, about 2008. images.cpp has the vertical filters.
#include <numeric>

#include "opencl/kernel.h"
#include "opencl/picture.h"
#include "reference/transfer.h"
#include "tools/bench/device.h"

namespace glcl::research {

namespace {

using namespace bench;
using ContextPointer = std::shared_ptr<Context>;

constexpr int width = 2048, height = 2048, count = width * height;

/// Where item i of n goes, and the same for the kernels.
struct Order {
  const char *name, *expression;
};

/// Side by side; 128 items of a group a row apart; neighbours one below the other.
constexpr Order orders[] = {{"side by side", "(i)"},
                            {"strided", "((i)%128*((n)/128)+(i)/128)"},
                            {"down a column", "((i)%((n)/(w))*(w)+(i)/((n)/(w)))"}};

struct Type {
  const char *name;
  int values;  // of 4 bytes
};
constexpr Type types[] = {{"uint", 1}, {"uint2", 2}, {"uint4", 4}};

std::string options(const Type &type, const Order &order) {
  return std::string("-DTYPE=") + type.name + " -DAT(i,n,w)=" + order.expression;
}

/// The elements' numbers, each as often as an element has values.
std::vector<cl_uint> numbers(const Type &type) {
  std::vector<cl_uint> all(size_t(count) * type.values);
  for (size_t i = 0; i < all.size(); i++) all[i] = static_cast<cl_uint>(i / type.values);
  return all;
}

DeviceTime writes(const ContextPointer &context, const Type &type, const Order &order) {
  Kernel kernel(*context, context->program("research/device/access.cl", options(type, order)),
                "fill", {128, 1});
  const std::vector<cl_uint> wanted = numbers(type);
  const cl::Buffer out = filled(*context, std::vector<cl_uint>(wanted.size()));
  return timed(
      context, 4.0 * static_cast<double>(wanted.size()),
      [&](Queue &queue) {
        kernel(queue, {size_t(count), 1}, out, count, width);
      },
      [&](Queue &queue) { return read<cl_uint>(queue, out, wanted.size()) == wanted; });
}

DeviceTime reads(const ContextPointer &context, const Type &type, const Order &order) {
  constexpr size_t items = count / 16;
  Kernel kernel(*context, context->program("research/device/access.cl", options(type, order)),
                "add_up", {128, 1});
  const std::vector<cl_uint> values = numbers(type);
  const cl::Buffer in = filled(*context, values),
                   sums = filled(*context, std::vector<cl_uint>(items * type.values));
  const auto wanted = std::accumulate(values.begin(), values.end(), cl_uint(0));
  return timed(
      context, 4.0 * static_cast<double>(values.size()),
      [&](Queue &queue) {
        kernel(queue, {items, 1}, in, sums, count, width);
      },
      [&](Queue &queue) {
        const auto found = read<cl_uint>(queue, sums, items * type.values);
        return std::accumulate(found.begin(), found.end(), cl_uint(0)) == wanted;
      });
}

DeviceTime image_writes(const ContextPointer &context, bool down) {
  constexpr int columns = 1920, rows = 1080;
  Kernel kernel(*context, context->program("research/device/access.cl", down ? "-DDOWN" : ""),
                "write_image", {128, 1});
  const Picture out = make_picture(context->cl(), columns, rows, Layout::image);
  return timed(
      context, 4.0 * columns * rows,
      [&](Queue &queue) {
        kernel(queue, down ? Size{rows, columns} : Size{columns, rows}, out.image);
      },
      [&](Queue &queue) {
        const reference::Frame frame = reference::download(queue, out);
        for (int y = 0; y < rows; y++)
          for (int x = 0; x < columns; x++) {
            const uint8_t *p = frame.at(x, y);
            if (p[0] != (x & 255) || p[1] != (y & 255) || p[2] != ((x + y) & 255) || p[3] != 255)
              return false;
          }
        return true;
      });
}

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  for (const Order &order : orders)
    for (const Type &type : types) {
      const std::string variant = std::string(type.name) + ", " + order.name;
      lines.push_back({"writes", variant, "GB/s", [=](const ContextPointer &context) {
                         return writes(context, type, order);
                       }});
      lines.push_back({"reads", variant, "GB/s",
                       [=](const ContextPointer &context) { return reads(context, type, order); }});
    }
  for (const bool down : {false, true})
    lines.push_back({"image writes", down ? "down a column" : "side by side", "GB/s",
                     [=](const ContextPointer &context) { return image_writes(context, down); }});
});

}  // namespace

}  // namespace glcl::research
