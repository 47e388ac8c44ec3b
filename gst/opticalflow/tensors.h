// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pyramids.h"
#include "tiles.h"

namespace glcl::opticalflow {

/// The nodes of a level, the place of their tensors, and the texels between nodes.
struct FlowLattice {
  int columns, rows, first_tensor, step;
  Size side() const { return {size_t(columns), size_t(rows)}; }
  cl_int2 size() const { return {{columns, rows}}; }
};

/// A program of the solver.
Program solver_program(Context &context, const std::string &file, const SolverForm &form,
                       FlowChannels channels, bool fused = false);

/// The lattices of all levels with their tensors and residuals, for every window, and the change of
/// brightness from row to row, which is found at the same time.
class FlowTensors {
 public:
  /// The lattices of all levels for windows up to a size, finest first.
  struct Lattices {
    cl::Buffer table;  ///< of TableRow
    std::vector<FlowLattice> of_level;
    std::vector<int> tiles;  ///< before each level, then the total
  };

  /// `form`: of flow_warp. `large`: in tiles of its size, else of half its height. Throws
  /// cl::Error.
  FlowTensors(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
              const SolverForm &form, bool large);

  /// Enqueues the sums for the finest `levels`.
  void run(Queue &queue, const FlowSettings &settings, const FramePair &frames, int levels);

  const Lattices &lattices(const FlowSettings &settings) const;
  /// The argument of sum_tensor_tiles() and find_row_ratios(), for a kernel that includes them.
  /// `tiles`: of all levels that it takes. `strip`: elements of a group's memory before those for
  /// sums along y.
  TensorSums sums(const FlowSettings &settings, int tiles, size_t strip) const;
  /// Groups of find_row_ratios().
  size_t row_groups(Size group) const;
  /// Local memory of a group with tiles, for sums of `sums` neighbours at a time.
  TileMemory memory(int sums) const;

  const cl::Buffer &tensors() const { return tensors_; }
  const cl::Buffer &residuals() const { return residuals_; }
  const cl::Buffer &slopes() const { return slopes_; }
  /// Float per row in ROW_SPACING: the ratio by which its grey changed.
  const cl::Buffer &row_ratios() const { return row_ratios_; }
  /// A FrameTally.
  const cl::Buffer &tally() const { return tally_; }

 private:
  void allocate(const cl::Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  int rows_;              // whose change of brightness is measured
  int sums_;              // that an item of flow_tensors adds up at a time
  Size tile_;             // nodes
  Lattices lattices_[3];  // for windows up to 15, 31 and 63 px
  Kernel kernel_;
  cl::Buffer tensors_, residuals_, slopes_, row_ratios_, tally_;
};

}  // namespace glcl::opticalflow
