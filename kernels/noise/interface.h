// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the noise measurement and its kernels share.
#ifndef NOISE_INTERFACE_H
#define NOISE_INTERFACE_H
#include "common/interface.h"

INTERFACE(noise)

CONSTANT(NOISE_BANDS, 8);  // bands of brightness
// Elements of a noise table, float, levels²: variance over all pixels, by band, of compression
// noise.
CONSTANT(NOISE_VALUES, 2 + NOISE_BANDS);
CONSTANT(NOISE_COUNTERS, 160);     // counters of variances per band
CONSTANT(NOISE_SQUARE, 16);        // px, side of a measured square
CONSTANT(NOISE_GROUP_SQUARES, 4);  // squares per work-group
CONSTANT(NOISE_COLUMN, 4);         // texels of a column per work-item
CONSTANT(NOISE_ITEMS, NOISE_SQUARE / NOISE_COLUMN * NOISE_SQUARE * NOISE_GROUP_SQUARES);
CONSTANT(FLICKER_COUNTERS, 33);  // counters of variances of cells

// The squares to measure.
typedef struct {
  int pitch, offset;             // of the planes; texel (0, 0) is at `offset`
  int columns, spacing, count;   // squares per row, texels between squares, number of squares
  float mask_gain, change_gain;  // the response of mask and change to white noise of variance 1
  float scale;                   // factor from the variance of the quietest squares to that of all
  int keep_if_quiet;             // 1: the table stays if no square has noise, as in repeated frames
} Squares;

// Counters of all groups, which the last group to finish reads; all 0 before and after.
typedef struct {
  uint counters[NOISE_BANDS * NOISE_COUNTERS];  // squares by band and variance
  uint compression_noise;                       // sum of their compression noise, CODING_UNITs
  uint finished_groups;                         // groups that finished
} NoiseTally;

// The flicker of an encoder; see flicker.clh.
typedef struct {
  float variance;       // levels² of grey
  float camera_motion;  // 0 to 1: to what extent the camera moved in the last picture
  uint cells;           // number of cells
  uint moved_cells;     // number of cells that moved, beyond what flicker explains
  uint histogram[FLICKER_COUNTERS];
  float pan;          // 0 to 1, how far the last picture moved as a whole: then nothing speaks for
                      // standing still
  uint static_cells;  // number of static cells that could have seemed to move
} Flicker;

// The noise of frames. Kernels that need only the variances take it as an array of float.
typedef struct {
  float variances[NOISE_VALUES];
  Flicker flicker;
} NoiseState;

INTERFACE_END
#endif
