// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opencl/kernel.h"
#include "opencl/rect.h"
#include "primitives.h"

namespace glcl::hough {

/// Lists the strongest values of a map, in the order of the map.
class TopK {
 public:
  /// The bits of a value: above the first `shift`, which are its key, there is its strength, less
  /// than `strengths`, a power of two up to 1024. Values count that have a bit of `wanted`. Lists
  /// have up to `room` of them. Throws
  /// Error::failed where the device refuses kernels or memory.
  TopK(Context &context, int shift, int strengths, int wanted, size_t room);

  /// Enqueues the list for a map of ushort in rows of `width`, within a region. Of values equal to
  /// the weakest that fits, the first are taken.
  void run(Queue &queue, const cl::Buffer &map, int width, int height, const Rect &region);

  /// Keys and indices in the map.
  const cl::Buffer &keys() const { return keys_; }
  const cl::Buffer &places() const { return places_; }
  /// Two uint: how many there are in the list, and in the map.
  const cl::Buffer &counts() const { return counts_; }
  /// How often each key is in the list.
  const cl::Buffer &histogram() const { return histogram_; }
  size_t room() const { return room_; }

 private:
  int strengths_, keys_count_;
  size_t room_;
  Blocks blocks_;
  Kernel strengths_kernel_, count_, move_;
  cl::Buffer strengths_buffer_, stronger_, equal_, keys_, places_, counts_, histogram_;
};

}  // namespace glcl::hough
