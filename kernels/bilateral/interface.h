// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the bilateral filter, the bilateral grid and their kernels share.
#ifndef BILATERAL_INTERFACE_H
#define BILATERAL_INTERFACE_H
#include "common/interface.h"

INTERFACE(bilateral)

// A weight is one exp2 of the sum of two exponents: range * (squared difference) + space * (dx² +
// dy²), range = -log2(e) / (2 sigma_range²) in the units of the difference, space = -log2(e) / (2
// sigma_space²). Kinds of range weight, constants at each call:
CONSTANT(INTENSITY, 0);    // one weight from the difference of 0.30 R + 0.59 G + 0.11 B
CONSTANT(COLOR, 1);        // one weight from the Euclidean distance of R, G, B
CONSTANT(PER_CHANNEL, 2);  // a weight per channel
CONSTANT(SOFT_COLOR, 3);   // COLOR for a sigma_range of at least 0.07, in the forms with a tile

// The grid's blur:
CONSTANT(BLUR_REACH, 2);  // nodes: five taps
CONSTANT(BLUR_ROWS, 4);   // rows of nodes that a work-item blurs along y
CONSTANT(BLUR_STEP, 6);   // planes that it blurs along z, on images
// The splat and the look-up on buffers:
CONSTANT(GRID_PIXELS, 16);    // pixels of a row that a work-item takes at once
CONSTANT(SPLAT_STREAMS, 4);   // from so many places of the row
CONSTANT(LOOKUP_VECTORS, 8);  // of GRID_PIXELS each that are looked up at once, at most
// The splat on images:
CONSTANT(SPLAT_COLUMNS, 8);  // of pixels between two nodes that are added up at once, at most
CONSTANT(SPLAT_PLANES, 30);  // of a channel per group, at most; a word has a bit for each

// The sums of pixels, for grid_splat.
typedef struct {
  float4 range;  // cells along z per unit of R, G and B: a level on buffers, full scale on images
  float cell, inverse;  // px between nodes along x and y, and 1 / cell
  int planes;           // of the grid, in memory
  int nodes;            // of a row, from -BLUR_REACH on
  int bands, strip;     // bands of pixel rows; those of a group, one after another
} GridSplat;

// The part that a group has on images.
typedef struct {
  int intervals, parts;  // between nodes along x; the stretches of an interval
  int columns, pitch;    // of a stretch: px, at most; sums in local memory
  int chunk;             // planes of each channel
  float one;             // what a weight of 1 counts as
} SplatTile;

// The blur of the sums, for grid_blur.
typedef struct {
  float4 space, range;       // taps along x and y, and along z: centre, next, far
  int planes, nodes, strip;  // as in GridSplat
  int rows;                  // of nodes
  int part;                  // nodes along x of a work-item on buffers, planes of a group on images
} GridBlur;

// The look-up of pixels, for grid_slice.
typedef struct {
  float4 range;   // cells along z per level of R, G and B
  int2 size;      // of the frame, px
  float inverse;  // 1 / cell
  int planes;     // as in GridSplat
  int split;      // the first filtered column
} GridLookup;

INTERFACE_END
#endif
