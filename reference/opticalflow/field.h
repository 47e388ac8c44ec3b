// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "opticalflow/flow.h"

namespace reference::opticalflow {

/// Vectors and confidence per pixel; float2 as x, y.
struct Field {
  int width = 0, height = 0;
  std::vector<float> vectors, confidence;

  float x(int column, int row) const { return vectors[2 * (size_t(row) * width + column)]; }
  float y(int column, int row) const { return vectors[2 * (size_t(row) * width + column) + 1]; }
};

/// A field on the host; waits.
Field download(glcl::Queue &queue, const glcl::opticalflow::FlowField &field);

/// A .flo file (PIEH, width, height, then x, y per pixel, all little endian); values beyond 1e9
/// mean that nothing is known. Throws std::runtime_error where it can't be read.
Field load_flo(const std::string &path);
/// Mean end-point error in px over the pixels whose truth is known.
double end_point_error(const Field &field, const Field &truth);

}  // namespace reference::opticalflow
