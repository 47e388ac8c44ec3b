// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the motion search and its kernels share.
#ifndef MOTION_INTERFACE_H
#define MOTION_INTERFACE_H
#include "common/interface.h"

INTERFACE(motion)

// A luma plane: rows of bytes, `pitch` apart, a multiple of 64. The frame's edge repeats on every
// side.
CONSTANT(PAD, 160);            // px of padding: the largest range and the margin that kernels read
CONSTANT(STRIP, 64);           // px, width of a strip of blocks; a block has up to 32 px
CONSTANT(HALF_PLANE_ROWS, 8);  // rows of a work-item of motion_half_planes
CONSTANT(COARSE_BLOCK, 8);     // px, side of a block in planes of reduced size

// The numbers of a macroblock's partitions. A macroblock has 16 × 16 px. Partitions of equal shape
// have consecutive numbers in raster order, starting with these:
CONSTANT(P16X16, 0);
CONSTANT(P16X8, 1);
CONSTANT(P8X16, 3);
CONSTANT(P8X8, 5);
CONSTANT(P8X4, 9);
CONSTANT(P4X8, 17);
CONSTANT(P4X4, 25);
CONSTANT(PARTITIONS, 41);

CONSTANT(SUMMERS, 64);           // work-items of a group for sums over a frame
CONSTANT(SUM_VALUES, 8);         // long values of a partial sum of motion_sums; the last two are 0
CONSTANT(LEAST_CHANGE, 8);       // levels: a smaller difference between frames is no change
CONSTANT(CHANGE_DEVIATIONS, 6);  // nor is a difference of this many deviations of the noise

// A search for keys of blocks or partitions, for motion_hexagon, motion_refine_level and
// motion_noise_gate.
typedef struct {
  int pitch;  // of the planes, bytes
  int lambda;
  int range;           // px
  int columns, count;  // blocks per row; number of keys
} KeySearch;

// The choice of ranges, for motion_range_choose.
typedef struct {
  int2 areas;    // number of areas along x and y
  int steps;     // number of ranges
  int parts;     // number of partial sums of the last frame's squared errors
  float target;  // limit of the squared errors; below 0: none
  int follows;   // 1 if the last choice was for the previous frame
} RangeChoice;

// The field of vectors, for drawing.
typedef struct {
  int2 count;  // cells along x and y
  int cell;    // px
  int cells;   // cells along the side of a block
} FieldGrid;

// The edges of blocks, for motion_show_grid.
typedef struct {
  FieldGrid field;
  int2 size;      // of the frame, px
  int line;       // width of an edge, px
  int pitch;      // of the plane
  int has_frame;  // 0: no frame, the luma comes from the plane
  int overlay;    // see drawing/over.clh
} GridDrawing;

INTERFACE_END
#endif
