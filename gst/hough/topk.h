// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "primitives.h"

namespace glcl::hough {

/// Lists the strongest values of a map, in the order of the map.
class TopK {
 public:
  /// The lowest `shift` bits of a value are its key. The bits above are its strength, below
  /// `strengths`, a power of two up to 1024. Only values with a bit of `wanted` count. `capacity`:
  /// the capacity of the list. Throws Error::failed if the device refuses kernels or memory.
  TopK(Context &context, int shift, int strengths, int wanted, size_t capacity);

  /// Enqueues the list for a region of a map, ushort in rows of `width`. If not all values of the
  /// least strength fit, the first ones are listed.
  void run(Queue &queue, const cl::Buffer &map, int width, int height, const Rect &region);

  /// The keys of the listed values and their indices in the map, uint.
  const cl::Buffer &keys() const { return keys_; }
  const cl::Buffer &indices() const { return indices_; }
  /// Two uint: the number of values in the list, and of all that count.
  const cl::Buffer &counts() const { return counts_; }
  /// A uint per key: how often it is in the list.
  const cl::Buffer &histogram() const { return histogram_; }
  size_t capacity() const { return capacity_; }

 private:
  int strengths_, keys_count_;
  size_t capacity_;
  Blocks blocks_;
  Kernel strengths_kernel_, count_, move_;
  cl::Buffer strengths_buffer_, stronger_, equal_, keys_, indices_, counts_, histogram_;
};

}  // namespace glcl::hough
