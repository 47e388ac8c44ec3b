// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "opticalflow/flow.h"
#include "opticalflow/lucaskanade.h"
#include "reference/frames.h"

namespace reference {

/// Vectors and confidence per pixel; float2 as x, y.
struct Field {
  int width = 0, height = 0;
  std::vector<float> vectors, confidence;

  float x(int column, int row) const { return vectors[2 * (size_t(row) * width + column)]; }
  float y(int column, int row) const { return vectors[2 * (size_t(row) * width + column) + 1]; }
};

/// The flow as glcl::opticalflow::Flow defines it, one plane after the other.
Field flow(const Frame &before, const Frame &after, glcl::opticalflow::Flow::Channels channels,
           const glcl::opticalflow::Flow::Settings &settings);

/// As glcl::opticalflow::LucasKanade defines it: one window after the other, in double precision.
Field lucas_kanade(const Frame &before, const Frame &after,
                   const glcl::opticalflow::LucasKanade::Settings &settings);

/// A field on the host; waits.
Field download(glcl::Queue &queue, const glcl::opticalflow::Field &field);

/// A .flo file (PIEH, width, height, then x, y per pixel, all little endian); values beyond 1e9
/// mean that nothing is known. Throws std::runtime_error where it can't be read.
Field load_flo(const std::string &path);
/// Mean end-point error in px over the pixels whose truth is known.
double end_point_error(const Field &field, const Field &truth);

}  // namespace reference
