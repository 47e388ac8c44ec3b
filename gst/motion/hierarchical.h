// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "search.h"

namespace glcl::motion {

/// Searches that try few of a full search's candidates −range … +range, at its costs. Keys are as
/// Search leaves them; `block` is as for Search.

/// From the vector 0 to the cheapest corner of a hexagon around it, again and again until none is
/// cheaper, then to the cheapest of the eight neighbours (Zhu, Lin and Chau, "Hexagon-based search
/// pattern for fast block motion estimation", 2002). The cheap one: about 15 candidates a block.
class Hexagon {
 public:
  Hexagon() = default;
  /// Throws Error::failed where the device refuses the kernel.
  Hexagon(Context &context, int block);

  /// Enqueues the search for `count` keys in rows of `columns` blocks.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
           int lambda, const cl::Buffer &keys, int columns, size_t count);

 private:
  Kernel kernel_;
};

/// Coarse to fine, for large ranges: a full search of blocks of 8 px in frames of a quarter of the
/// size (half for ranges up to 16). Then, from size to size, it tries all candidates within 2 px of
/// the vectors of the coarser block and its four neighbours, and of 0.
class Hierarchy {
 public:
  Hierarchy() = default;
  /// Throws Error::failed where the device refuses kernels or memory.
  Hierarchy(Context &context, int block, int width, int height);

  /// As Hexagon::run.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
           int lambda, const cl::Buffer &keys, int columns, size_t count);

 private:
  /// A reduced size of both frames, and its keys.
  struct SearchLevel {
    LumaPlane current, reference;
    cl::Buffer keys;
  };

  void follow(Queue &queue, Kernel &kernel, const LumaPlane &current, const LumaPlane &reference,
              int range, int lambda, const cl::Buffer &keys, int columns, size_t count,
              const SearchLevel &parent);

  LumaConverter luma_;
  Search search_;  // of the coarsest planes
  Kernel follow_coarse_, follow_;
  SearchLevel levels_[2];  // of half and of a quarter of the size
};

}  // namespace glcl::motion
