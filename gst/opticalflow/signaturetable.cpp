// SPDX-License-Identifier: LGPL-2.1-or-later
#include "signaturetable.h"

#include <algorithm>
#include <string>

#include "opencl/buffer.h"
#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

constexpr size_t most_clearing = 64;  // maximum rows of groups that only clear tables
constexpr Size pixel_group{256, 1};

size_t divide_up(int n, size_t unit) { return (n + unit - 1) / unit; }

/// The pixels of a group's tile. CPUs with enough local memory use larger tiles, which overlap
/// less.
Size tile_of(const Device &device) {
  const bool large =
      device.is_cpu() && device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >= 48 << 10;
  return large ? Size{64, 48} : Size{32, 24};
}
}  // namespace

int SignatureTable::slots(int width, int height) {
  int count = 1;
  while (count < 2.0 * width * height) count *= 2;
  return count;
}

Size SignatureTable::default_group(const Device &device) {
  return device.is_cpu() ? Size{8, 1} : Size{32, 8};
}

int SignatureTable::default_lanes(const Device &device) { return device.is_cpu() ? 8 : 1; }

Program SignatureTable::program(Context &context, int lanes) {
  const Size tile = tile_of(context.device());
  return context.program("opticalflow/signatures.cl",
                         "-DTILE_X=" + std::to_string(tile.x) +
                             " -DTILE_Y=" + std::to_string(tile.y) +
                             (lanes > 1 ? " -DV=" + std::to_string(lanes) : ""));
}

SignatureTable::SignatureTable(Context &context, int width, int height)
    : SignatureTable(context, width, height, default_group(context.device()),
                     default_lanes(context.device())) {}

SignatureTable::SignatureTable(Context &context, int width, int height, Size find_group, int lanes)
    : width_(width),
      height_(height),
      slot_count_(slots(width, height)),
      lanes_(lanes),
      tile_(tile_of(context.device())) {
  const Program kernels = program(context, lanes);
  find_ = Kernel(context, kernels, "signatures_find", find_group);
  insert_ = Kernel(context, kernels, "signatures_insert", pixel_group);
  claim_ = Kernel(context, kernels, "signatures_claim", pixel_group);
  const size_t pixels = size_t(width) * height;
  try {
    signatures_ = make_buffer(context.cl(), 2 * pixels * sizeof(cl_uint));
    slots_ = make_buffer(context.cl(), 2 * size_t(slot_count_) * sizeof(cl_uint));
    claims_ = make_buffer(context.cl(), pixels * sizeof(cl_uint));
    row_counts_ = make_buffer(context.cl(), rows(height) * sizeof(cl_uint));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for matching signatures on " + context.device().name + ".",
                error);
  }
}

void SignatureTable::claim(Queue &queue, const Plane &before, const Plane &after, bool known) {
  const int pixels = width_ * height_;
  const Size find = find_.group();
  const size_t sum_pitch = divide_up(int(tile_.x) + 2 * LATTICE_REACH, lanes_) * lanes_;
  const size_t texel_pitch = divide_up(int(sum_pitch) + 4, lanes_) * lanes_,
               tile_rows = tile_.y + 2 * SIGNATURE_MARGIN;
  if (known) earlier_ = 1 - earlier_, table_ = 1 - table_;
  const size_t frames = known ? 1 : 2;
  const size_t across = divide_up(width_, tile_.x), tiles = frames * divide_up(height_, tile_.y);
  const size_t clearing = std::clamp<size_t>(pixels / (find.x * find.y * across), 1, most_clearing);
  find_(queue, {across * find.x, (tiles + clearing) * find.y}, before.texels, after.texels,
        signatures_, slots_, claims_, row_counts_,
        SignatureSearch{{{width_, height_}},
                        before.pitch,
                        before.offset,
                        after.pitch,
                        after.offset,
                        earlier_,
                        known,
                        slot_count_,
                        table_,
                        rows(height_)},
        cl::Local((texel_pitch * tile_rows + lanes_) * sizeof(cl_ushort)),
        cl::Local((sum_pitch * tile_rows + lanes_) * sizeof(cl_uint)),
        cl::Local((sum_pitch * (tile_.y + 2 * LATTICE_REACH) + lanes_) * sizeof(cl_ushort)));
  if (!known)
    insert_(queue, {size_t(pixels), 1}, signatures_, pixels, earlier_, slots_, slot_count_, table_);
  claim_(queue, {size_t(pixels), 1}, signatures_, pixels, earlier_, slots_, slot_count_, table_,
         claims_);
}

}  // namespace glcl::opticalflow
