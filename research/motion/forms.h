// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "motion/search.h"

namespace glcl::research {

using motion::LumaPlane;
using motion::SearchWindow;

/// The full search as A. Uta laid it out ("Collaborative multi-device motion estimation on
/// multi/many-core platforms", 2012), of whose keys, for blocks of 16 px, every form finds each
/// bit.
class SearchForms {
 public:
  enum class Form {
    reference_naive,       ///< a group per block, an item per candidate, pixels from global memory
    reference_local,       ///< the same with block and window in local memory
    collaborative_naive,   ///< a launch per candidate, an item per block
    collaborative_local,   ///< the same with aligned rows shared in local memory
    collaborative_single,  ///< that in one launch; costs above 65535 count as that
    unaligned,             ///< a launch per candidate, unaligned rows: CPU devices
  };
  static constexpr int block = 16;

  /// Throws Error::failed where the device refuses the kernels.
  SearchForms(Context &context, Form form);

  /// As Search::run. Throws Error::settings too where the reference method has more candidates than
  /// a work-group may have items: windows of up to √P + 15 px, and where collaborative_single has
  /// more than 65536.
  void run(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
           const SearchWindow &window, int lambda, const cl::Buffer &keys);

 private:
  void run_reference(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                     const SearchWindow &window, int lambda, const cl::Buffer &keys);
  void run_single(Queue &queue, const LumaPlane &current, const LumaPlane &reference,
                  const SearchWindow &window, int lambda, const cl::Buffer &keys);

  Context *context_;
  Form form_;
  Program program_;
  Kernel kernel_, keys_kernel_;
  cl::Buffer min_costs_;  // collaborative_single
  size_t min_costs_blocks_ = 0;
};

}  // namespace glcl::research
