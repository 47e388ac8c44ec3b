// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "description.h"
#include "opencl/tuning.h"

namespace glcl::chain {

/// One step of a chain: a filter's function or convolution, or half of a separable one.
struct Stage {
  enum class Kind { function, matrix, rows, columns };

  size_t item = 0;  ///< index in the description
  Kind kind = Kind::function;
  int radius_x = 0, radius_y = 0;  ///< px
  int frames = 1;
  bool channelwise = false;  ///< from its filter, unless that reads the Moment or the picture
  bool looks_up = false;     ///< from its filter
  bool exact = false;        ///< result not rounded to 8 bits: rows of a separable convolution
  double operations = 0;     ///< estimate, without its input's

  bool reads_around() const { return radius_x || radius_y; }
  double taps() const { return (2.0 * radius_x + 1) * (2.0 * radius_y + 1); }
};

/// A separable matrix as the product of a column and a row, each without zeros at its ends.
struct SeparableFactors {
  std::vector<double> row, column;  ///< odd lengths
};
/// True if the matrix is separable within a millionth of its largest value; then sets `parts`.
bool separate(const Matrix &matrix, SeparableFactors &parts);

/// The steps of all iterations. Throws Error::settings if there are too many.
std::vector<Stage> stages_of(const Description &chain);

/// How a stage gets its input.
struct Input {
  bool cut = false;   ///< from a picture that a kernel before this one wrote
  bool tile = false;  ///< through a tile in local memory; otherwise each read computes it again
};

/// The work-group of a chain's kernels: x × y work-items, each with columns × rows pixels.
struct WorkgroupShape {
  int x = 16, y = 16, rows = 1, columns = 1;
  bool deep = false;  ///< pixels have 16 bits a channel between filters, else 8
  int width() const { return x * columns; }
  int height() const { return y * rows; }
};

/// The costs of the parts of a plan on a device, in operations per pixel.
struct CostModel {
  double picture = 48;     ///< writing it, starting a kernel and reading it again
  double read = 6;         ///< a pixel of a picture
  double local = 3;        ///< a pixel of a tile
  size_t local_bytes = 0;  ///< limit of a group
};
/// The costs of an untuned device of this kind. The numbers of plans refer to them.
CostModel default_costs(const Device &device);
/// The costs that glcl-tune measures on a device, once for all chains: in tenths of an operation,
/// up to most_tenths.
const Tunable &cost_tunable();
constexpr const char *cost_problem = "operations of a pixel";
constexpr int most_tenths = 9999;
/// The measured costs of the device, else the default ones.
CostModel tuned_costs(const Device &device);

/// The input of each stage, and the total cost, in operations per pixel.
struct Plan {
  std::vector<Input> inputs;
  double cost = 0;
};

/// Bytes of local memory that the tiles of a plan's largest kernel need.
size_t local_bytes(const std::vector<Stage> &stages, const Plan &plan, const WorkgroupShape &shape);
double cost_of(const std::vector<Stage> &stages, const Plan &plan, const WorkgroupShape &shape,
               const CostModel &costs);
/// At most `most` plans, cheapest first by estimate, and at the end the plan with a kernel per
/// filter. All fit into local memory.
std::vector<Plan> plans_for(const std::vector<Stage> &stages, const WorkgroupShape &shape,
                            const CostModel &costs, size_t most);
/// A kernel for every stage.
Plan unfused(const std::vector<Stage> &stages);

/// Part of a kernel: stages [first, last]. Only the first stage reads neighbours, from a tile or a
/// picture.
struct Segment {
  size_t first = 0, last = 0;
  bool tile = false;  ///< its first stage reads a tile, filled by the source or the last segment
  int rim_x = 0, rim_y = 0;  ///< px of that tile around the group's pixels
};

/// Consecutive channelwise stages [first, last], some of which use a table. The combined result for
/// each level of each channel is computed once, and pixels look it up.
struct Map {
  size_t first = 0, last = 0;
};

/// A kernel: stages [first, last], in segments.
struct Pass {
  size_t first = 0, last = 0;
  std::vector<Segment> segments;
  std::vector<Map> maps;
};
std::vector<Pass> passes_of(const std::vector<Stage> &stages, const Plan &plan);
/// The number of maps in all passes.
size_t maps_of(const std::vector<Pass> &passes);

}  // namespace glcl::chain
