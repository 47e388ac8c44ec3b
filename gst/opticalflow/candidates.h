// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "signaturetable.h"

namespace glcl::opticalflow {

/// Finds motion that the pyramid of the flow misses. Pixels that match by their signatures vote for
/// at most two candidate motions per cell. Each node of the flow then takes the best candidate if
/// its cost is clearly lower than that of the flow. In grey, the matches also measure the change of
/// brightness. docs/methods/signatures.md has the rules.
class Candidates {
 public:
  /// A level of both frames, in the layout of the kernels.
  struct MatchLevel {
    const cl::Buffer &before, &after;  ///< texels
    cl_int4 level;                     ///< see kernels/opticalflow/level.clh
    cl_float4 gain;                    ///< see kernels/opticalflow/noise.clh
    cl::Buffer brightness;             ///< see FramePair
    cl::Buffer noise;                  ///< noise::Noise::variances()
  };
  /// A flow, float2 per node, in rows.
  struct Nodes {
    const cl::Buffer &flow;
    cl_int2 size;  ///< columns and rows
    int spacing;   ///< texels of the level between nodes
    float scale;   ///< texels of the level per unit of the flow
  };

  /// Builds the kernels for frames of width × height px with the levels of FlowPyramids. `census`:
  /// select() compares census, else grey. Throws cl::Error or Error::failed.
  Candidates(Context &context, int width, int height, bool census);

  /// The level whose grey propose() and match() use; 0 is the finest.
  static int matched_level(int width, int height);
  /// The level before whose warps select() is called, at least 1.
  static int selection_level(int width, int height);

  /// Enqueues the search for matching pixels, which does not depend on brightness. `before` and
  /// `after` have the same pitch and offset; see SignatureTable::claim().
  void propose(Queue &queue, const Plane &before, const Plane &after, bool known) {
    signatures_.claim(queue, before, after, known);
  }
  /// Enqueues the vote for candidates, after propose() with the same planes. `brightness` adjusts
  /// the later frame to the earlier one, see FramePair. In grey, `matched_brightness` receives the
  /// gain and offset that the matches measure. It equals `brightness` if matches are few, or fit
  /// hardly better. Census does not write it.
  void match(Queue &queue, const Plane &before, const Plane &after, const cl::Buffer &brightness,
             const cl::Buffer &matched_brightness);
  /// Enqueues the selection between flow and candidates, after match(). `result` receives a float2
  /// per node of the flow, in texels of the level.
  void select(Queue &queue, const MatchLevel &level, const Nodes &nodes, const cl::Buffer &result);

 private:
  int matched_level_, selection_level_, columns_, rows_;
  bool census_;
  int nodes_per_group_;  // of flow_select
  SignatureTable signatures_;
  Kernel modes_kernel_, select_;
  cl::Buffer modes_, pairs_;
};

}  // namespace glcl::opticalflow
