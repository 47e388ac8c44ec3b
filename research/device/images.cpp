// SPDX-License-Identifier: LGPL-2.1-or-later
// Images beside buffers: reads along rows, down columns and of five taps along y, in values of 32
// bits, launched in one or two dimensions. Farias et al., a survey of markerless augmented reality
// on GPUs, about 2008, found this difference to matter most.
#include <cstring>

#include "opencl/kernel.h"
#include "tools/bench/device.h"

namespace glcl::research {

namespace {

using namespace bench;
using ContextPointer = std::shared_ptr<Context>;

constexpr int width = 1024, height = 1024;
constexpr size_t count = size_t(width) * height;

/// Values of 32 bits, with the sums that are made of them.
struct Type {
  const char *name, *sum, *to, *from;
  cl_channel_order order;
  cl_channel_type channel;
  int values;  ///< of a sum
};
constexpr Type types[] = {
    {"uchar4", "uint4", "convert_uint4", "read_imageui", CL_RGBA, CL_UNSIGNED_INT8, 4},
    {"int", "int", "(int)", "INT4", CL_R, CL_SIGNED_INT32, 1},
    {"float", "float", "(float)", "FLOAT4", CL_R, CL_FLOAT, 1}};

struct Way {
  bool image, rows;
};

std::string options_of(const Type &type, const Way &way, bool down) {
  return std::string("-DTYPE=") + type.name + " -DSUM=" + type.sum + " -DTO=" + type.to +
         " -DFROM=" + type.from + (way.image ? " -DIMAGE" : "") + (way.rows ? " -DROWS" : "") +
         (down ? " -DDOWN" : "") + " -DINT4(i,s,p)=read_imagei(i,s,p).x" +
         " -DFLOAT4(i,s,p)=read_imagef(i,s,p).x";
}

/// Small numbers, as bytes of pixels or as values.
cl_uint number(const Type &type, size_t i) {
  const auto mixed = static_cast<cl_uint>(i * 2654435761u >> 8);
  return type.values == 4 ? mixed : mixed % 1000;
}

template <class Value>
cl_uint bits_of(Value value) {
  cl_uint bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::vector<cl_uint> bits_of(const Type &type) {
  std::vector<cl_uint> all(count);
  for (size_t i = 0; i < count; i++)
    all[i] = type.channel == CL_FLOAT ? bits_of(float(number(type, i))) : number(type, i);
  return all;
}

/// What a place is to hold, by value: the number at (x, y) or its byte.
cl_uint level(const Type &type, int x, int y, int value) {
  const cl_uint whole = number(type, size_t(y) * width + size_t(x));
  return type.values == 4 ? whole >> (8 * value) & 255 : whole;
}

/// The scalar results, as the bits of a sum.
std::vector<cl_uint> expected(const Type &type, bool taps, bool down) {
  std::vector<cl_uint> all(count * size_t(type.values));
  constexpr cl_uint weights[] = {1, 2, 4, 2, 1};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int v = 0; v < type.values; v++) {
        const int i = y * width + x;
        cl_uint sum = 0;
        if (!taps)
          sum = down ? level(type, i / height, i % height, v) : level(type, x, y, v);
        else if (y >= 2 && y < height - 2)
          for (int k = 0; k < 5; k++) sum += weights[k] * level(type, x, y + k - 2, v);
        all[size_t(i) * size_t(type.values) + size_t(v)] =
            type.channel == CL_FLOAT ? bits_of(float(sum)) : sum;
      }
  return all;
}

DeviceTime reads(const ContextPointer &context, const Type &type, const Way &way, bool taps,
                 bool down) {
  Kernel kernel(*context,
                context->program("research/device/images.cl", options_of(type, way, down)),
                taps ? "taps" : "turned", {128, 1});
  std::vector<cl_uint> bits = bits_of(type);
  const cl::Buffer buffer = filled(*context, bits);
  cl::Image2D image;
  if (way.image)
    image = cl::Image2D(context->cl(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                        cl::ImageFormat(type.order, type.channel), width, height, 0, bits.data());
  const size_t values = count * size_t(type.values);
  const cl::Buffer out = filled(*context, std::vector<cl_uint>(values, 7));
  const Size items = way.rows ? Size{width, height} : Size{count, 1};
  return timed(
      context, 4.0 * count * (taps ? 5 : 1),
      [&](Queue &queue) {
        if (way.image)
          kernel(queue, items, image, out, width, height);
        else
          kernel(queue, items, buffer, out, width, height);
      },
      [&](Queue &queue) {
        return read<cl_uint>(queue, out, values) == expected(type, taps, down);
      });
}

const DeviceLines registration([](std::vector<DeviceLine> &lines) {
  for (const Type &type : types)
    for (const Way way : {Way{false, false}, {false, true}, {true, false}, {true, true}}) {
      const std::string variant = std::string(type.name) + (way.image ? ", image" : ", buffer") +
                                  (way.rows ? ", 2D" : ", 1D");
      const auto add = [&](const char *what, bool taps, bool down) {
        lines.push_back({what, variant, "GB/s", [=](const ContextPointer &context) {
                           return reads(context, type, way, taps, down);
                         }});
      };
      add("values along rows", false, false);
      add("values down columns", false, true);
      add("values of five taps along y", true, false);
    }
});

}  // namespace

}  // namespace glcl::research
