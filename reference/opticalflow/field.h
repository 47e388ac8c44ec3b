// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "opticalflow/flow.h"

namespace reference::opticalflow {

/// Vectors (float2: x, y) and confidence per pixel.
struct Field {
  int width = 0, height = 0;
  std::vector<float> vectors, confidence;

  float x(int column, int row) const { return vectors[2 * (size_t(row) * width + column)]; }
  float y(int column, int row) const { return vectors[2 * (size_t(row) * width + column) + 1]; }
};

/// Downloads a field; waits.
Field download(glcl::Queue &queue, const glcl::opticalflow::FlowField &field);

/// Reads a .flo file (PIEH, width, height, then x, y per pixel, all little endian). Values beyond
/// 1e9 are unknown. Throws std::runtime_error if it cannot be read.
Field load_flo(const std::string &path);
/// Mean end-point error in px over the pixels with a known truth.
double end_point_error(const Field &field, const Field &truth);

}  // namespace reference::opticalflow
