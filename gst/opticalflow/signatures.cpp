// SPDX-License-Identifier: LGPL-2.1-or-later
#include "signatures.h"

#include <algorithm>
#include <string>

#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

constexpr size_t most_clearing = 64;  // maximum rows of groups that only clear tables
constexpr Size list_group{128, 1};
constexpr Size pixel_group{256, 1};

size_t divide_up(int n, size_t unit) { return (n + unit - 1) / unit; }

/// True for CPUs with enough local memory for larger tiles, which overlap less.
bool has_large_tiles(const Device &device) {
  return device.is_cpu() && device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >= 48 << 10;
}
Size find_group(const Device &device) { return device.is_cpu() ? Size{8, 1} : Size{32, 8}; }

}  // namespace

int Signatures::slots(int width, int height) {
  int count = 1;
  while (count < 2.0 * width * height) count *= 2;
  return count;
}

Signatures::Signatures(Context &context, int width, int height)
    : Signatures(context, width, height, find_group(context.device()), {16, 16},
                 context.device().is_cpu() ? 8 : 1) {}

Signatures::Signatures(Context &context, int width, int height, Size find_group, Size pick_group,
                       int lanes)
    : width_(width),
      height_(height),
      columns_(columns(width)),
      rows_(rows(height)),
      slot_count_(slots(width, height)),
      lanes_(lanes),
      tile_(has_large_tiles(context.device()) ? Size{64, 48} : Size{32, 24}) {
  const Program program = context.program("opticalflow/signatures.cl",
                                          "-DTILE_X=" + std::to_string(tile_.x) +
                                              " -DTILE_Y=" + std::to_string(tile_.y) +
                                              (lanes_ > 1 ? " -DV=" + std::to_string(lanes_) : ""));
  find_ = Kernel(context, program, "signatures_find", find_group);
  insert_ = Kernel(context, program, "signatures_insert", pixel_group);
  claim_ = Kernel(context, program, "signatures_claim", pixel_group);
  pick_ = Kernel(context, program, "signatures_pick", pick_group);
  list_ = Kernel(context, program, "signatures_list", list_group);
  const auto buffer = [&](size_t count, size_t size) {
    return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * size);
  };
  const size_t pixels = size_t(width) * height;
  try {
    signatures_ = buffer(2 * pixels, sizeof(cl_uint));
    slots_ = buffer(2 * size_t(slot_count_), sizeof(cl_uint));
    claims_ = buffer(pixels, sizeof(cl_uint));
    picked_ = buffer(size_t(columns_) * rows_, sizeof(Match));
    counts_ = buffer(rows_, sizeof(cl_uint));
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for matching signatures on " + context.device().name + ".",
                error);
  }
}

void Signatures::claim(Queue &queue, const Plane &before, const Plane &after, bool known) {
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
        signatures_, slots_, claims_, counts_,
        SignatureSearch{{{width_, height_}},
                        before.pitch,
                        before.offset,
                        after.pitch,
                        after.offset,
                        earlier_,
                        known,
                        slot_count_,
                        table_,
                        rows_},
        cl::Local((texel_pitch * tile_rows + lanes_) * sizeof(cl_ushort)),
        cl::Local((sum_pitch * tile_rows + lanes_) * sizeof(cl_uint)),
        cl::Local((sum_pitch * (tile_.y + 2 * LATTICE_REACH) + lanes_) * sizeof(cl_ushort)));
  if (!known)
    insert_(queue, {size_t(pixels), 1}, signatures_, pixels, earlier_, slots_, slot_count_, table_);
  claim_(queue, {size_t(pixels), 1}, signatures_, pixels, earlier_, slots_, slot_count_, table_,
         claims_);
}

void Signatures::match(Queue &queue, const Plane &before, const Plane &after, bool known) {
  claim(queue, before, after, known);
  const Size pick = pick_.group();
  pick_(queue, {size_t(columns_), size_t(rows_)}, claims_, cl_int2{{width_, height_}}, picked_,
        cl_int2{{columns_, rows_}}, counts_,
        cl::Local((pick.x + 2 * CONFIRM_X) * (pick.y + 2 * CONFIRM_Y) * sizeof(cl_short4)));
}

void Signatures::list(Queue &queue, const cl::Buffer &result, size_t offset) {
  const Size group = list_.group();
  list_(queue, {group.x * rows_, 1}, picked_, cl_int2{{columns_, rows_}}, counts_, result,
        static_cast<cl_int>(offset / sizeof(cl_float4)), cl::Local(group.x * sizeof(cl_int)));
}

}  // namespace glcl::opticalflow
