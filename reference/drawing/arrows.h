// SPDX-License-Identifier: LGPL-2.1-or-later
// Arrows over a frame, pixel by pixel, and those of fields of vectors.
#pragma once

#include "drawing/arrows.h"
#include "motion/vector.h"
#include "reference/frames.h"

namespace reference {

/// As glcl::drawing::Arrows: each pixel looks at all arrows.
Frame arrows(const Frame &frame, const std::vector<glcl::drawing::Arrow> &arrows,
             uint32_t outline_color, bool overlay = false);

/// A dense field: x, y per pixel and confidences.
struct DenseVectors {
  int width, height;
  const float *vectors, *confidence;
};
/// From the centres of cells of `cell` px; full speed is `gain`. With a `color` of alpha 0 each has
/// the hue of its direction.
std::vector<glcl::drawing::Arrow> flow_arrows(const DenseVectors &field, double least, double gain,
                                              int cell, uint32_t color);
/// The hues alone, as bright as it is fast, with the frame's alpha.
Frame flow_color(const Frame &frame, const DenseVectors &field, double least, double gain);
/// `frame` tinted by the field, or the tint alone.
Frame flow_overlay(const Frame &frame, const DenseVectors &field, double least, double gain,
                   bool overlay = false);

/// Vectors of cells and shapes of blocks, as glcl::motion::VectorField has them.
struct BlockVectors {
  int cell, columns, rows, block;
  const glcl::motion::Vector *vectors;
  const uint16_t *shapes;
};
/// For one block in each `step` along both axes.
std::vector<glcl::drawing::Arrow> block_arrows(const BlockVectors &field, int step, uint32_t color);
/// The edges of blocks and partitions, `line` px wide, over a frame.
Frame block_grid(const Frame &frame, const BlockVectors &field, int line);

}  // namespace reference
