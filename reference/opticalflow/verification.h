// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures how much of the change between two frames the flow explains.
#pragma once

#include <array>
#include <vector>

#include "opticalflow/interface.h"
#include "reference/noise/noise.h"
#include "reference/opticalflow/planes.h"

namespace reference::opticalflow {

/// The measurements of a node of the flow: the squared difference between the frames without motion
/// and along the flow, over all channels, and what noise explains of it. All are 0 if the flow
/// leaves the frame.
struct Change {
  float frame_square = 0, displaced_square = 0, noise = 0;
  float displaced_noise = 0;  ///< what noise explains of displaced_square
  float frame_difference = 0, displaced_difference = 0;  ///< in grey, the differences themselves
  float grey_difference = 0,
        grey_noise = 0;  ///< change in grey, levels, and what noise explains of its variance
  /// Census: the change in grey along the flow, and what noise explains of its variance.
  float displaced_grey = 0, displaced_grey_noise = 0;
  /// Squared change in grey apart from the ratio of its row, and what noise and that ratio explain.
  float row_residual = 0, row_noise = 0;
  Vector flow{};
  float confidence = 0;  ///< 0..1, of the flow by its texture
  float overlay = 0;     ///< 0..1, whether it is a static overlay over moving flow
  float grey_level = 0;  ///< of the earlier frame
  bool inside = false;
};

/// The ratio by which the grey of every other row changed.
struct RowRatios {
  std::vector<float> ratios;
  double rolling = 0;  ///< 0..1, how much brightness rolls through the rows

  /// `after`: adjusted to the brightness of `before`.
  RowRatios(const Plane<1> &before, const Plane<1> &after);
};

/// The factors for the flow, as in kernels/opticalflow/verify.clh.
class Verification {
 public:
  /// `nodes`: in raster order. Counts unexplained changes in `flicker`. `census`: whether the nodes
  /// have `displaced_grey`. `rolling`: of RowRatios. `noise`: levels. `brightness`: the change of
  /// the frame's mean grey, levels. `keep_all`: keep all flow.
  Verification(const std::vector<Change> &nodes, int width, int height, bool census, double rolling,
               double noise, double brightness, bool keep_all, Flicker &flicker);

  /// 0..1, at a place in nodes.
  float keep_factor(float x, float y) const;
  /// Moves a vector, in px, towards the mean of its surroundings if those are a single motion
  /// within noise. `denoising`: 0..1, by how much.
  Vector toward_single_motion(Vector flow, float denoising, float x, float y) const;

 private:
  static constexpr int side = glcl::opticalflow::CELL_NODES;

  struct Cell {
    double frame_square = 0, displaced_square = 0,
           noise = 0;  // squared differences, the first two beyond noise
    double weight = 0, x = 0, y = 0, square = 0;
    double grey_variance = 0;  // of its change beyond noise, levels²
    double row_residual = 0, row_noise = 0;
    double contrast = 0;   // variance of grey beyond noise, levels²
    double agreement = 0;  // whether the flow explains the change in grey too; 0: unknown
    double confidence = 0, flow_x = 0, flow_y = 0,
           flow_square = 0;  // the flow weighted by confidence
  };
  /// Sums over the grey of a cell.
  struct Grey {
    double grey_level = 0, grey_square = 0, nodes = 0;
    double sum = 0, square = 0, noise = 0;
    double frame_difference = 0, displaced_difference = 0;
    double displaced_grey = 0, displaced_grey_square = 0, displaced_grey_noise = 0;
  };
  void gather(const std::vector<Change> &nodes, int width, int height,
              std::vector<Cell> &plain_sums, std::vector<Grey> &greys);
  double measure(bool census, double noise, const std::vector<Cell> &plain_sums,
                 const std::vector<Grey> &greys, Flicker &flicker);
  double camera_motion(double agreement, const std::vector<Cell> &plain_sums,
                       double brightness) const;
  double cell_keep_factor(int column, int row, double camera, double brightness) const;
  /// To what extent the surroundings of a cell are a single motion, 0..1, and that times this
  /// motion.
  std::array<float, 3> one_motion(int column, int row, double noise) const;
  template <size_t n>
  std::array<float, n> between(const std::vector<std::array<float, n>> &cells, float x,
                               float y) const;

  int columns_, rows_;
  bool keep_all_;
  double rolling_, flicker_;
  std::vector<Cell> cells_;
  std::vector<std::array<float, 1>> keep_factors_;
  std::vector<std::array<float, 3>> motions_;
};

}  // namespace reference::opticalflow
