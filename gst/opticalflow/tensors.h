// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pyramids.h"
#include "tiles.h"

namespace glcl::opticalflow {

/// A lattice of nodes on a level. `first_tensor`: index of its first node in the buffers of
/// FlowTensors. `step`: texels between nodes.
struct FlowLattice {
  int columns, rows, first_tensor, step;
  Size side() const { return {size_t(columns), size_t(rows)}; }
  cl_int2 size() const { return {{columns, rows}}; }
};

/// Builds a program of the solver. `fused`: for flow_fused. Throws Error::failed.
Program solver_program(Context &context, const std::string &file, const SolverForm &form,
                       FlowChannels channels, bool fused = false);

/// The lattices of all levels with their tensors and residuals, for every window class. The same
/// kernel measures the change of brightness from row to row.
class FlowTensors {
 public:
  /// The lattices of all levels for a window class, finest first.
  struct Lattices {
    cl::Buffer table;  ///< a LatticeLevel per level
    std::vector<FlowLattice> of_level;
    std::vector<int> tiles;  ///< number before each level, then of all levels
  };

  /// `form`: of flow_warp. `large`: tiles have its size, else half its height; less if local memory
  /// is small. Throws cl::Error.
  FlowTensors(Context &context, const FlowPyramids &pyramids, FlowChannels channels,
              const SolverForm &form, bool large);

  /// Enqueues tensors, residuals and row ratios for the finest `levels` levels.
  void run(Queue &queue, const FlowSettings &settings, const FramePair &frames, int levels);

  const Lattices &lattices(const FlowSettings &settings) const;
  /// The argument of sum_tensor_tiles() and find_row_ratios(), for a kernel that includes them.
  /// `tiles`: the number of groups with a tile. `strip`: elements of a group's memory before the
  /// sums along y.
  TensorSums sums(const FlowSettings &settings, int tiles, size_t strip) const;
  /// The number of groups for find_row_ratios().
  size_t row_groups(Size group) const;
  /// Local memory of a group with a tile. `sums`: neighbouring sums that an item adds up at a time.
  TileMemory memory(int sums) const;

  /// The tables of a frame pair, which begin with its FrameTally, see FlowTables.
  const cl::Buffer &tables() const { return tables_; }
  const FlowTables &starts() const { return starts_; }

 private:
  void allocate(const cl::Context &context, const FlowPyramids &pyramids, FlowChannels channels);

  int rows_;              // whose ratios are measured
  int sums_;              // neighbouring sums that an item adds up at a time
  Size tile_;             // nodes
  Lattices lattices_[3];  // for windows up to 15, 31 and 63 px
  Kernel kernel_;
  FlowTables starts_{};
  cl::Buffer tables_;
};

}  // namespace glcl::opticalflow
