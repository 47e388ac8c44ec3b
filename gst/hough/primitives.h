// SPDX-License-Identifier: LGPL-2.1-or-later
// Work on lists of uint that stay on the device, with their numbers of elements: the first uint of
// a buffer `count`, from 0 to what an engine was made for. Every result is the same on all devices.
// Nothing waits.
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::hough {

/// How a list is divided: a block for each group.
struct Blocks {
  size_t groups, items;
  static Blocks of(const Device &device);
};

/// Exclusive sums.
class Scan {
 public:
  /// Throws Error::failed, as all of these do, where the device refuses kernels or memory.
  explicit Scan(Context &context);
  Scan(Context &context, Blocks blocks);

  /// Enqueues sums[i] = values[0] + … + values[i − 1] modulo 2³² for i from 0 to the count itself.
  /// `sums` may be `values`.
  void run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count, const cl::Buffer &sums);

 private:
  Blocks blocks_;
  Kernel count_, write_;
  cl::Buffer counts_;
};

/// Moves the elements that have a key together, in their order, and counts the keys.
class Compaction {
 public:
  static constexpr cl_uint no_key = ~cl_uint(0);
  static constexpr int most_bins = 1024;

  explicit Compaction(Context &context);
  Compaction(Context &context, Blocks blocks);

  /// Keys with two more numbers each.
  struct KeyedList {
    const cl::Buffer &keys, &a, &b;
  };

  /// Enqueues that elements of `from` whose key is not no_key go to `to`, as long as there is room;
  /// how many those are goes to the first uint of `kept`, and how many have key i to uint i of
  /// `histogram`, for keys below `bins`, 0 … most_bins.
  void run(Queue &queue, const KeyedList &from, const cl::Buffer &count, const KeyedList &to,
           cl_uint room, const cl::Buffer &kept, const cl::Buffer &histogram, int bins);

 private:
  Blocks blocks_;
  Kernel count_, move_;
  cl::Buffer counts_;
};

/// Sorts by the low bits of keys; equal ones keep their order.
class RadixSort {
 public:
  /// For lists of up to `most` elements.
  RadixSort(Context &context, size_t most);
  RadixSort(Context &context, size_t most, Blocks blocks);

  /// Enqueues the sort of keys, and of a number with each, in place. `bits`: 1 … 32.
  void run(Queue &queue, const cl::Buffer &keys, const cl::Buffer &values, const cl::Buffer &count,
           int bits);

 private:
  Blocks blocks_;
  Kernel count_, move_;
  cl::Buffer table_, keys_, values_;
};

/// The largest of a list.
class Argmax {
 public:
  explicit Argmax(Context &context);
  Argmax(Context &context, Blocks blocks);

  /// Enqueues the search: `place` receives two uint, the largest value and its index, the first of
  /// equal ones. An empty list gives 0 at 2³² − 1.
  void run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count,
           const cl::Buffer &place);

 private:
  Blocks blocks_;
  Kernel blocks_kernel_, all_;
  cl::Buffer found_;
};

}  // namespace glcl::hough
