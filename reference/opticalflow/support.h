// SPDX-License-Identifier: LGPL-2.1-or-later
// What of the changes between two frames the flow explains.
#pragma once

#include <array>
#include <vector>

#include "reference/noise/noise.h"
#include "reference/opticalflow/planes.h"

namespace reference::opticalflow {

/// A node of the flow: its squared change in time standing still and going with the flow, all
/// channels together, and what noise explains of it; nothing where the flow leaves the frame.
struct Change {
  float still = 0, moved = 0, noise = 0;
  float moved_noise = 0;                   ///< what noise explains of `moved`
  float still_level = 0, moved_level = 0;  ///< in grey, the changes themselves
  float grey = 0, grey_noise = 0;  ///< change in grey, levels; what of its variance noise explains
  /// Of census, change in grey of what goes with the flow, and what noise explains of its variance.
  float went = 0, went_noise = 0;
  /// Squared change in grey beside the light of its row, and what noise and that light explain.
  float unlit = 0, unlit_noise = 0;
  Vector flow{};
  float sure = 0;     ///< 0..1, of the flow by its texture
  float picture = 0;  ///< 0..1, whether it stands still in the picture while the flow goes on
  float level = 0;    ///< grey
  bool inside = false;
};

/// By what part the grey of every other row changed, whatever lies there.
struct RowLight {
  std::vector<float> ratios;
  double rolls = 0;  ///< 0..1, how far light rolls through the rows

  /// `after`: in the light of `before`.
  RowLight(const Plane<1> &before, const Plane<1> &after);
};

/// How much of the flow to keep, as kernels/opticalflow/support.clh has it.
class Support {
 public:
  /// Of nodes in raster order. Counts what the flow does not explain.
  /// `census`: whether they have `went`. `rolls`: of RowLight. `noise`: levels. `light`: how far
  /// the mean grey of the frame changes, levels. `keeps_all`: of the flow, whatever changes.
  Support(const std::vector<Change> &nodes, int width, int height, bool census, double rolls,
          double noise, double light, bool keeps_all, Flicker &flicker);

  /// 0..1, at a place in nodes.
  float at(float x, float y) const;
  /// The flow there, px, where all around is one motion up to what noise makes of it: that. `far`:
  /// 0..1, by how much.
  Vector with_all(Vector flow, float far, float x, float y) const;

 private:
  static constexpr int side = 8;

  struct Cell {
    double still = 0, moved = 0, noise = 0;  // changes, the first two beyond noise
    double weight = 0, x = 0, y = 0, square = 0;
    double grey = 0;  // the variance of its change beyond noise, levels²
    double unlit = 0, unlit_noise = 0;
    double contrast = 0;  // the variance of grey beyond noise, levels²
    double fits = 0;      // whether grey goes with the flow as well; 0: not known
    double sure = 0, sure_x = 0, sure_y = 0,
           sure_square = 0;  // the flow weighted by how sure it is
  };
  /// Sums of a cell's grey.
  struct Grey {
    double level = 0, level_square = 0, nodes = 0;
    double sum = 0, square = 0, noise = 0;
    double still = 0, moved = 0;
    double went = 0, went_square = 0, went_noise = 0;
  };
  void gather(const std::vector<Change> &nodes, int width, int height, std::vector<Cell> &whole,
              std::vector<Grey> &greys);
  double measure(bool census, double noise, const std::vector<Cell> &whole,
                 const std::vector<Grey> &greys, Flicker &flicker);
  double camera_moves(double fits, const std::vector<Cell> &whole, double light) const;
  double part(int column, int row, double camera, double light) const;
  /// How far the flow around a cell is one motion, and that times it.
  std::array<float, 3> one_motion(int column, int row, double noise) const;
  template <size_t n>
  std::array<float, n> between(const std::vector<std::array<float, n>> &cells, float x,
                               float y) const;

  int columns_, rows_;
  bool keeps_all_;
  double rolls_, flicker_;
  std::vector<Cell> cells_;
  std::vector<std::array<float, 1>> parts_;
  std::vector<std::array<float, 3>> motions_;
};

}  // namespace reference::opticalflow
