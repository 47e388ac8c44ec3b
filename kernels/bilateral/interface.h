// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the bilateral filter, the bilateral grid and their kernels share.
#ifndef BILATERAL_INTERFACE_H
#define BILATERAL_INTERFACE_H
#include "common/interface.h"

INTERFACE(bilateral)

// A code is the number of a channel, see code.clh. A level is 1/255 of full scale.

// A weight is exp2 of the sum of two exponents: range * (squared difference) + space * (dx² + dy²).
// range = -log2(e) / (2 sigma_range²) in the units of the difference, space = -log2(e) / (2
// sigma_space²). The kinds of range weight are compile-time constants:
CONSTANT(INTENSITY, 0);    // one weight from the difference of 0.30 R + 0.59 G + 0.11 B
CONSTANT(COLOR, 1);        // one weight from the Euclidean distance of R, G, B
CONSTANT(PER_CHANNEL, 2);  // a weight per channel
CONSTANT(SOFT_COLOR, 3);   // COLOR for a sigma_range of at least 0.07, in the forms with a tile

// The grid's blur:
CONSTANT(BLUR_REACH, 2);  // nodes on each side; five taps
CONSTANT(BLUR_ROWS, 4);   // rows of nodes per work-item, blurred along y
CONSTANT(BLUR_STEP, 6);   // planes per work-item, blurred along z, on images
// The splat and the slice on buffers:
CONSTANT(GRID_PIXELS, 16);    // pixels of a row that a work-item processes at once
CONSTANT(SPLAT_STREAMS, 4);   // independent streams of pixels of a row
CONSTANT(LOOKUP_VECTORS, 8);  // most vectors of GRID_PIXELS that are looked up at once
// The splat on images:
CONSTANT(SPLAT_COLUMNS, 8);  // most columns of pixels in a part of an interval
CONSTANT(SPLAT_PLANES, 30);  // most planes of a channel per group; a word has a bit for each

// The splat of pixels, for grid_splat.
typedef struct {
  float4 range;         // cells along z per code of R, G, B on buffers, per full scale on images
  float cell, inverse;  // px between nodes along x and y, and 1 / cell
  int planes;           // of the grid, in memory
  int nodes;            // nodes of a row, from -BLUR_REACH on
  int bands, strip;     // bands of pixel rows; consecutive bands of a group
} GridSplat;

// The part of the grid that a group has, on images.
typedef struct {
  int intervals, parts;  // intervals between nodes along x; parts of an interval
  int columns, pitch;    // of a part: maximum px; sums in local memory
  int chunk;             // planes of each channel
  float one;             // stored value of a weight of 1
} SplatTile;

// The blur of the sums, for grid_blur.
typedef struct {
  float4 space, range;       // taps along x and y; along z: centre, next, outer
  int planes, nodes, strip;  // as in GridSplat
  int rows;                  // rows of nodes
  int part;                  // nodes along x per work-item on buffers; planes per group on images
} GridBlur;

// The slice: the look-up of pixels, for grid_slice.
typedef struct {
  float4 range;   // cells along z per code of R, G and B on buffers, per level on images
  int2 size;      // of the frame, px
  float inverse;  // 1 / cell
  int planes;     // as in GridSplat
  int split;      // the first filtered column
} GridLookup;

// The mix of a filtered picture and the original one, for bilateral_mix.
typedef struct {
  int4 region;        // of the frame: left, top, width, height, px; the rest is the original
  int2 size;          // of the frame, px
  int2 mask;          // width and height of the mask, px; 0: no mask
  float2 mask_scale;  // px of the mask per px of the frame
  int hairline;       // column of the hairline, or -1
  int luma;           // 1: R, G and B change by the change of intensity
  float amount;       // weight of the filtered picture
} MixSettings;

INTERFACE_END
#endif
