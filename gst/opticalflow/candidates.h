// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "signatures.h"

namespace glcl::opticalflow {

/// Finds motion that the flow's pyramid loses: matches of single pixels by signature vote for two
/// candidate motions per cell. Then each node of the flow takes a candidate if its cost is clearly
/// lower than that of the node's own flow. The matches also measure the change of brightness. If no
/// candidate wins, the flow stays unchanged. docs/methods/signatures.md has the rules.
class Candidates {
 public:
  /// The texels of a level, in the layout of the kernels.
  struct MatchLevel {
    const cl::Buffer &before, &after;
    cl_int4 level;          ///< see kernels/opticalflow/level.clh
    cl_float4 gain;         ///< see kernels/opticalflow/noise.clh
    cl::Buffer brightness;  ///< gain and offset
    cl::Buffer noise;       ///< noise::Noise::variances()
  };
  /// A flow; its nodes are `spacing` texels of the level apart.
  struct Nodes {
    const cl::Buffer &flow;
    cl_int2 size;
    int spacing;
    float scale;  ///< multiplies the flow, which then is in texels of the level
  };

  /// Builds the kernels for frames of width × height px. Each level has half the size of the one
  /// before, rounded up. `census`: texels are census, else grey.
  Candidates(Context &context, int width, int height, bool census);

  /// The level whose grey propose() and match() take, 0 is the finest; and the level before which
  /// select() is called.
  static int matched_level(int width, int height);
  static int chosen_level(int width, int height);

  /// Enqueues the part of the search that does not depend on brightness. `before` and `after`:
  /// planes of one layout, as for Signatures::claim().
  void propose(Queue &queue, const Plane &before, const Plane &after, bool known) {
    signatures_.claim(queue, before, after, known);
  }
  /// Enqueues the vote for candidates, with the same planes. `brightness` has the gain and the
  /// offset that adjust the later frame to the earlier one. `matched_brightness` gets them as
  /// measured by matches, if there are enough of them; census does not measure them.
  void match(Queue &queue, const Plane &before, const Plane &after, const cl::Buffer &brightness,
             const cl::Buffer &matched_brightness);
  /// Enqueues the selection. `result` has as many nodes as the flow, in texels of the level.
  void select(Queue &queue, const MatchLevel &level, const Nodes &nodes, const cl::Buffer &result);

 private:
  int matched_, chosen_, columns_, rows_;
  bool census_;
  int nodes_;  // per group of flow_select
  Signatures signatures_;
  Kernel modes_kernel_, select_;
  cl::Buffer modes_, pairs_;
};

}  // namespace glcl::opticalflow
