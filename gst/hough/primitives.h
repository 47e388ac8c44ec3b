// SPDX-License-Identifier: LGPL-2.1-or-later
// Work on lists of uint that stay on the device, with their numbers of elements: the first uint of
// a buffer `count`, from 0 to what an engine was made for. Every result is the same on all devices.
// Nothing waits.
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::hough {

/// The division of a list among work-groups: each of `groups` processes a block, with `items`
/// work-items.
struct Blocks {
  size_t groups, items;
  static Blocks of(const Device &device);
};

/// Computes exclusive prefix sums.
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

/// Copies the elements that have a key, without gaps and in their order, and counts the elements of
/// each key.
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

  /// Enqueues a copy of the elements of `from` whose key is not no_key to `to`, up to `room` of
  /// them. The first uint of `kept` receives their number, and uint i of `histogram` the number
  /// with key i, for keys below `bins`, 0 … most_bins.
  void run(Queue &queue, const KeyedList &from, const cl::Buffer &count, const KeyedList &to,
           cl_uint room, const cl::Buffer &kept, const cl::Buffer &histogram, int bins);

 private:
  Blocks blocks_;
  Kernel count_, move_;
  cl::Buffer counts_;
};

/// Sorts elements by the low bits of their keys; equal keys keep their order.
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

/// Finds the largest value of a list and its index: of equal values, the first.
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
