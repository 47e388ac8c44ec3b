// SPDX-License-Identifier: LGPL-2.1-or-later
// Parallel primitives on lists of uint that stay on the device. The first uint of a buffer `count`
// is the number of elements. Results are the same on all devices. No call waits.
#pragma once

#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/queue.h"

namespace glcl::hough {

/// The division of a list into blocks, one per work-group.
struct Blocks {
  size_t groups, items;  ///< work-groups; work-items per group
  static Blocks of(const Device &device);
};

/// Computes exclusive prefix sums.
class Scan {
 public:
  /// All constructors in this file throw Error::failed if the device refuses kernels or memory.
  explicit Scan(Context &context);
  Scan(Context &context, Blocks blocks);

  /// Enqueues sums[i] = values[0] + … + values[i − 1] modulo 2³² for i = 0 … count.
  /// `sums` may be `values`.
  void run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count, const cl::Buffer &sums);

 private:
  Blocks blocks_;
  Kernel count_, write_;
  cl::Buffer counts_;
};

/// Copies the elements that have a key, without gaps and in the same order, and counts the elements
/// of each key.
class Compaction {
 public:
  static constexpr cl_uint no_key = ~cl_uint(0);
  static constexpr int most_bins = 1024;

  explicit Compaction(Context &context);
  Compaction(Context &context, Blocks blocks);

  /// Keys with two values each.
  struct KeyedList {
    const cl::Buffer &keys, &a, &b;
  };

  /// Enqueues copying elements whose key is not no_key from `from` to `to`, at most `capacity`.
  /// `kept_count` receives their number, a uint. Element i of `histogram`, uint, receives the
  /// number with key i, for keys below `bins`, 0 … most_bins.
  void run(Queue &queue, const KeyedList &from, const cl::Buffer &count, const KeyedList &to,
           cl_uint capacity, const cl::Buffer &kept_count, const cl::Buffer &histogram, int bins);

 private:
  Blocks blocks_;
  Kernel count_, move_;
  cl::Buffer counts_;
};

/// Sorts elements by the low bits of their keys. The sort is stable.
class RadixSort {
 public:
  /// For lists of up to `most` elements.
  RadixSort(Context &context, size_t most);
  RadixSort(Context &context, size_t most, Blocks blocks);

  /// Enqueues sorting keys and their values in place, by the low `bits` bits, 1 … 32.
  void run(Queue &queue, const cl::Buffer &keys, const cl::Buffer &values, const cl::Buffer &count,
           int bits);

 private:
  Blocks blocks_;
  Kernel count_, move_;
  cl::Buffer table_, keys_, values_;
};

/// Finds the largest value of a list and its index, the first one of equal values.
class Argmax {
 public:
  explicit Argmax(Context &context);
  Argmax(Context &context, Blocks blocks);

  /// Enqueues the search: `maximum` receives two uint, the value and its index. For an empty list
  /// these are 0 and 2³² − 1.
  void run(Queue &queue, const cl::Buffer &values, const cl::Buffer &count,
           const cl::Buffer &maximum);

 private:
  Blocks blocks_;
  Kernel blocks_kernel_, all_;
  cl::Buffer block_maxima_;
};

}  // namespace glcl::hough
