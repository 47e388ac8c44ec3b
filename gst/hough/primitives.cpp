// SPDX-License-Identifier: LGPL-2.1-or-later
#include "primitives.h"

#include <algorithm>

#include "hough/interface.h"
#include "opencl/error.h"

namespace glcl::hough {

namespace {

constexpr int digit_bits = 4;
static_assert(DIGITS == 1 << digit_bits);

Kernel kernel(Context &context, const char *name, Blocks blocks) {
  return {context, context.program("hough/primitives.cl"), name, {blocks.items, 1}};
}

cl::Buffer allocate(Context &context, size_t count) {
  try {
    return {context.cl(), CL_MEM_READ_WRITE, std::max<size_t>(count, 1) * sizeof(cl_uint)};
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for lists on " + context.device().name + ".", error);
  }
}

/// The global size of a launch.
Size items(const Kernel &kernel, Blocks blocks) { return {blocks.groups * kernel.group().x, 1}; }

cl::LocalSpaceArg words(size_t count) { return cl::Local(count * sizeof(cl_uint)); }

}  // namespace

Blocks Blocks::of(const Device &device) {
  return device.is_cpu() ? Blocks{16, 64} : Blocks{128, 256};
}

Scan::Scan(Context &context) : Scan(context, Blocks::of(context.device())) {}

Scan::Scan(Context &context, Blocks blocks)
    : blocks_(blocks),
      count_(kernel(context, "scan_count", blocks)),
      write_(kernel(context, "scan_write", blocks)),
      counts_(allocate(context, blocks.groups)) {}

void Scan::run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count,
               const cl::Buffer &sums) {
  count_(queue, items(count_, blocks_), values, count, counts_, words(count_.group().x));
  write_(queue, items(write_, blocks_), values, count, counts_, sums, words(write_.group().x));
}

Compaction::Compaction(Context &context) : Compaction(context, Blocks::of(context.device())) {}

Compaction::Compaction(Context &context, Blocks blocks)
    : blocks_(blocks),
      count_(kernel(context, "compact_count", blocks)),
      move_(kernel(context, "compact_move", blocks)),
      counts_(allocate(context, blocks.groups)) {}

void Compaction::run(Queue &queue, const KeyedList &from, const cl::Buffer &count,
                     const KeyedList &to, cl_uint capacity, const cl::Buffer &kept_count,
                     const cl::Buffer &histogram, int bins) {
  count_(queue, items(count_, blocks_), from.keys, count, counts_, histogram, bins,
         words(count_.group().x));
  move_(queue, items(move_, blocks_), from.keys, from.a, from.b, count, counts_, to.keys, to.a,
        to.b, kept_count, histogram, CompactionLimits{capacity, bins},
        words(move_.group().x + bins));
}

RadixSort::RadixSort(Context &context, size_t most)
    : RadixSort(context, most, Blocks::of(context.device())) {}

RadixSort::RadixSort(Context &context, size_t most, Blocks blocks)
    : blocks_(blocks),
      count_(kernel(context, "sort_count", blocks)),
      move_(kernel(context, "sort_move", blocks)),
      table_(allocate(context, DIGITS * blocks.groups)),
      keys_(allocate(context, most)),
      values_(allocate(context, most)) {}

void RadixSort::run(Queue &queue, const cl::Buffer &keys, const cl::Buffer &values,
                    const cl::Buffer &count, int bits) {
  // The number of passes is even, so the last one writes to the caller's buffers.
  const int passes = (bits + 2 * digit_bits - 1) / (2 * digit_bits) * 2;
  int shift = 0;
  for (int pass = 0; pass < passes; pass++) {
    const int width = (bits - shift + passes - pass - 1) / (passes - pass);
    const cl_uint mask = (1u << width) - 1;
    const cl::Buffer &keys_from = pass % 2 ? keys_ : keys, &keys_to = pass % 2 ? keys : keys_;
    const cl::Buffer &values_from = pass % 2 ? values_ : values,
                     &values_to = pass % 2 ? values : values_;
    // With one bit, the last pass sorts by none. A shift by 32 would be undefined.
    const int key_shift = std::min(shift, 31);
    count_(queue, items(count_, blocks_), keys_from, count, key_shift, mask, table_, words(DIGITS));
    move_(queue, items(move_, blocks_), keys_from, values_from, count, key_shift, mask, table_,
          keys_to, values_to, words(DIGITS * move_.group().x), words(DIGITS * DIGITS),
          words(DIGITS));
    shift += width;
  }
}

Argmax::Argmax(Context &context) : Argmax(context, Blocks::of(context.device())) {}

Argmax::Argmax(Context &context, Blocks blocks)
    : blocks_(blocks),
      blocks_kernel_(kernel(context, "argmax_blocks", blocks)),
      all_(kernel(context, "argmax_all", blocks)),
      block_maxima_(allocate(context, 2 * blocks.groups)) {}

void Argmax::run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count,
                 const cl::Buffer &maximum) {
  blocks_kernel_(queue, items(blocks_kernel_, blocks_), values, count, block_maxima_,
                 words(2 * blocks_kernel_.group().x));
  all_(queue, all_.group(), block_maxima_, int(blocks_.groups), maximum, words(2 * all_.group().x));
}

}  // namespace glcl::hough
