// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "bilateral.h"

namespace glcl::bilateral {

/// The grid for given settings.
struct GridShape {
  int channels = 1;    // grids
  size_t cell = 16;    // bytes
  double range[3]{};   // cells along z per level of R, G, B
  double planes = 0;   // planes that pixels can touch
  int stored = 0;      // planes in memory
  int columns = 0;     // nodes along x between which pixels lie
  int rows = 0;        // and along y
  int band_count = 0;  // pixel rows between two rows of nodes, including those outside the frame
  int strip = 1;       // bands that a group of the splat processes one after another

  size_t row_cells(int nodes) const { return size_t(nodes) * channels * stored; }
  /// The use of local memory on buffers: an interval while splatting, a node while blurring.
  size_t interval_bytes() const { return 8 * channels * stored * cell; }
  size_t node_bytes() const { return BLUR_ROWS * row_cells(1) * cell; }
};

/// The bilateral grids for frames of one size: how many cells and groups they have, and whether
/// the device can hold them.
class GridGeometry {
 public:
  using Settings = BilateralFilter::Settings;
  using Weight = BilateralFilter::Weight;

  /// `lanes`: work-items of a group of the splat on images.
  GridGeometry(const Device &device, int width, int height, Layout layout, int lanes);

  int width() const { return width_; }
  int height() const { return height_; }
  Layout layout() const { return layout_; }
  size_t local_bytes() const { return local_bytes_; }  ///< of local memory

  GridShape shape(const Settings &settings) const;
  size_t sums_bytes(const GridShape &shape) const;
  /// Nodes along x that a work-item fills on buffers.
  int stretch(const GridShape &shape, double cell) const;
  /// See Grid::suits().
  bool suits(const Settings &settings) const;

 private:
  int width_, height_;
  Layout layout_;
  int lanes_;
  size_t max_bytes_;    // of one allocation
  size_t local_bytes_;  // of local memory
  cl_uint compute_units_;
};

}  // namespace glcl::bilateral
