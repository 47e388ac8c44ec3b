// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the motion search and its kernels share.
#ifndef MOTION_INTERFACE_H
#define MOTION_INTERFACE_H
#include "common/interface.h"

INTERFACE(motion)

// A luma plane: rows of bytes, `pitch` apart, a multiple of 64. The frame's edge is repeated on
// every side.
CONSTANT(PAD, 160);            // px; the largest range and the margin that kernels read
CONSTANT(STRIP, 64);           // px, of blocks that are searched together; the largest block has 32
CONSTANT(HALF_PLANE_ROWS, 8);  // rows of a plane that a work-item filters
CONSTANT(COARSE_BLOCK, 8);     // px, in planes of reduced size

// The partitions of a macroblock of 16 × 16 px. Those of one shape follow each other in raster
// order, from these on:
CONSTANT(P16X16, 0);
CONSTANT(P16X8, 1);
CONSTANT(P8X16, 3);
CONSTANT(P8X8, 5);
CONSTANT(P8X4, 9);
CONSTANT(P4X8, 17);
CONSTANT(P4X4, 25);
CONSTANT(PARTITIONS, 41);

CONSTANT(SUMMERS, 64);  // work-items of a group that sums over a frame

// The keys of a search, for motion_hexagon, motion_follow and motion_noise_gate.
typedef struct {
  int pitch;  // of the planes
  int lambda;
  int range;           // px
  int columns, count;  // blocks in a row; keys
} KeySearch;

// The choice of ranges, for motion_range_choose.
typedef struct {
  int2 areas;    // along x and y
  int steps;     // ranges
  int parts;     // of the last frame's squared errors
  float target;  // for the squared errors; below 0: none
  int follows;   // the last choice was for the previous frame
} RangeChoice;

// The field of vectors, as it is drawn.
typedef struct {
  int2 count;  // of cells along x and y
  int cell;    // px
  int cells;   // across a block
} FieldGrid;

// The edges of blocks, for motion_show_grid.
typedef struct {
  FieldGrid field;
  int2 size;      // of the frame, px
  int line;       // px
  int pitch;      // of the plane
  int has_frame;  // without one, the luma below is the plane's
  int overlay;    // drawing/over.clh
} GridDrawing;

INTERFACE_END
#endif
