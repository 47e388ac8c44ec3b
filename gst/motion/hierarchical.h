// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "search.h"

namespace glcl::motion {

// Searches that try few of the candidates −range … +range of a full search, with the same costs.
// Keys and `block` are as for Search.

/// Starts at the vector 0 and moves to the cheapest corner of a hexagon around it, until no corner
/// is cheaper. Then it moves to the cheapest of the eight neighbours. It tries about 15 candidates
/// per block. After Zhu, Lin and Chau, "Hexagon-based search pattern for fast block motion
/// estimation", 2002.
class Hexagon {
 public:
  Hexagon() = default;
  /// Throws Error::failed if the device refuses the kernel.
  Hexagon(Context &context, int block);

  /// Enqueues the search for `count` keys in rows of `columns` blocks. Throws Error::settings as
  /// check_search() does.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
           int lambda, const cl::Buffer &keys, int columns, size_t count);

 private:
  Kernel kernel_;
};

/// Searches coarse to fine, for large ranges. It begins with a full search of blocks of 8 px in
/// frames of a quarter of the size (half for ranges up to 16). At each finer size it tries all
/// candidates within 2 px of 0 and of the vectors of the coarser block and its four neighbours.
class Hierarchy {
 public:
  Hierarchy() = default;
  /// Throws Error::failed if the device refuses kernels, cl::Error if it refuses memory.
  Hierarchy(Context &context, int block, int width, int height);

  /// As Hexagon::run.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference, int range,
           int lambda, const cl::Buffer &keys, int columns, size_t count);

 private:
  /// Both frames at a reduced size, and the keys there.
  struct SearchLevel {
    LumaPlane current, reference;
    cl::Buffer keys;
  };

  void refine(Queue &queue, Kernel &kernel, const LumaPlane &current, const LumaPlane &reference,
              int range, int lambda, const cl::Buffer &keys, int columns, size_t count,
              const SearchLevel &parent);

  LumaConverter luma_;
  Search search_;  // of the coarsest planes
  Kernel refine_coarse_, refine_;
  SearchLevel levels_[2];  // half and a quarter of the size
};

}  // namespace glcl::motion
