// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "signatures.h"

namespace glcl::opticalflow {

/// Finds motion that the flow's pyramid loses: matches of single pixels by signature vote for two
/// candidate motions per cell. Then each node of the flow takes a candidate if its cost is clearly
/// lower than that of the node's own flow. The matches also measure the change of light. If no
/// candidate wins, the flow stays unchanged. docs/methods/signatures.md has the rules.
class Candidates {
 public:
  /// What a level's texels are, as the kernels have them.
  struct MatchLevel {
    const cl::Buffer &before, &after;
    cl_int4 level;          ///< see kernels/opticalflow/level.clh
    cl_float4 gain;         ///< see kernels/opticalflow/noise.clh
    cl::Buffer brightness;  ///< gain and offset
    cl::Buffer noise;       ///< noise::Noise::variances()
  };
  /// A flow of nodes `spacing` texels of the level from one to the next.
  struct Nodes {
    const cl::Buffer &flow;
    cl_int2 size;
    int spacing;
    float scale;  ///< by which to multiply it for texels of the level
  };

  /// Builds the kernels for frames of width × height px, whose levels' sizes are halved, rounded
  /// up. `census`: texels are those, else grey.
  Candidates(Context &context, int width, int height, bool census);

  /// The level whose grey propose() and match() take, 0 is the finest; and the one ahead of which
  /// select() comes.
  static int matched_level(int width, int height);
  static int chosen_level(int width, int height);

  /// Enqueues what match() needs first, for which light does not count: `before` and `after`,
  /// planes of one layout, as Signatures::claim() takes them.
  void propose(Queue &queue, const Plane &before, const Plane &after, bool known) {
    signatures_.claim(queue, before, after, known);
  }
  /// Enqueues the search for motions from the grey of the one frame to that of the other.
  /// `brightness` has the gain and the offset that give the later frame the light of the earlier
  /// one; `matched_brightness` gets those that matches tell where there are enough, but for census.
  void match(Queue &queue, const Plane &before, const Plane &after, const cl::Buffer &brightness,
             const cl::Buffer &matched_brightness);
  /// Enqueues the choice; `result` has as many nodes, in texels of the level.
  void select(Queue &queue, const MatchLevel &level, const Nodes &nodes, const cl::Buffer &result);

 private:
  static constexpr int cell = 16;  ///< px; CELL in the kernels

  int matched_, chosen_, columns_, rows_;
  bool census_;
  int nodes_;  // of a group of flow_seed
  Signatures signatures_;
  Kernel modes_kernel_, seed_;
  cl::Buffer modes_, pairs_;
};

}  // namespace glcl::opticalflow
