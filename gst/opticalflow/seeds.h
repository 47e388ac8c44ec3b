// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "signatures/signatures.h"

namespace glcl::opticalflow {

/// Finds motion that the flow's pyramid loses: matches of single pixels by signature vote for two
/// candidate motions per cell. Then each node of the flow takes a candidate if its cost is clearly
/// lower than that of the node's own flow. The matches also measure the change of light. If no
/// candidate wins, the flow stays unchanged. docs/methods/signatures.md has the rules.
class Seeds {
 public:
  /// What a level's texels are, as the kernels have them.
  struct Level {
    const cl::Buffer &before, &after;
    cl_int4 level;     ///< see kernels/opticalflow/level.clh
    cl_float4 gain;    ///< see kernels/opticalflow/noise.clh
    cl::Buffer light;  ///< gain and offset
    cl::Buffer noise;  ///< noise::Noise::variances()
  };
  /// A flow of nodes `apart` texels of the level from one to the next.
  struct Nodes {
    const cl::Buffer &flow;
    cl_int2 size;
    int apart;
    float scale;  ///< by which to multiply it for texels of the level
  };

  /// Builds the kernels for frames of width × height px, whose levels' sizes are halved, rounded
  /// up. `census`: texels are those, else grey.
  Seeds(Context &context, int width, int height, bool census);

  /// The level whose grey claim() and match() take, 0 is the finest; and the one ahead of which
  /// choose() comes.
  static int matched_level(int width, int height);
  static int chosen_level(int width, int height);

  /// Enqueues what match() needs first, for which light does not count: `before` and `after`,
  /// planes of one layout, as Signatures::claim() takes them.
  void claim(Queue &queue, const Plane &before, const Plane &after, bool known) {
    signatures_.claim(queue, before, after, known);
  }
  /// Enqueues the search for motions from the grey of the one frame to that of the other. `light`
  /// has the gain and the offset that give the later frame the light of the earlier one; `relit`
  /// gets those that matches tell where there are enough, but for census.
  void match(Queue &queue, const Plane &before, const Plane &after, const cl::Buffer &light,
             const cl::Buffer &relit);
  /// Enqueues the choice; `result` has as many nodes, in texels of the level.
  void choose(Queue &queue, const Level &level, const Nodes &nodes, const cl::Buffer &result);

 private:
  static constexpr int cell = 16;  ///< px; CELL in the kernels

  int matched_, chosen_, columns_, rows_;
  bool census_;
  int nodes_;  // of a group of flow_seed
  signatures::Signatures signatures_;
  Kernel modes_kernel_, seed_;
  cl::Buffer modes_, pairs_;
};

}  // namespace glcl::opticalflow
