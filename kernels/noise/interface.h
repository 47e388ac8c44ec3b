// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the noise measurement and its kernels share.
#ifndef NOISE_INTERFACE_H
#define NOISE_INTERFACE_H
#include "common/interface.h"

INTERFACE(noise)

CONSTANT(NOISE_BANDS, 8);  // of brightness
// Variances in levels², float: over all, by band, of compression noise.
CONSTANT(NOISE_VALUES, 2 + NOISE_BANDS);
CONSTANT(NOISE_COUNTERS, 160);     // of variances, per band
CONSTANT(NOISE_SQUARE, 16);        // px
CONSTANT(NOISE_GROUP_SQUARES, 4);  // squares of a work-group
CONSTANT(NOISE_COLUMN, 4);         // texels of a column that a work-item takes
CONSTANT(NOISE_ITEMS, NOISE_SQUARE / NOISE_COLUMN * NOISE_SQUARE * NOISE_GROUP_SQUARES);
CONSTANT(FLICKER_COUNTERS, 33);  // of variances of cells

// The squares to measure.
typedef struct {
  int pitch, offset;             // of the planes; texel (0, 0) is at `offset`
  int columns, spacing, count;   // squares per row, texels between squares, squares
  float mask_gain, change_gain;  // the response of mask and change to white noise of variance 1
  float scale;                   // the factor from the quietest squares' variance to that of all
  int keeps;                     // if no square has noise, as in repeated frames, the table stays
} Squares;

// The counters of all groups, for the last one to end; all 0 before and after.
typedef struct {
  uint counters[NOISE_BANDS * NOISE_COUNTERS];  // squares by band and variance
  uint coding;                                  // their compression noise in CODING_UNITs
  uint ended;                                   // groups
} NoiseTally;

// Renewed noise; see flicker.clh.
typedef struct {
  float variance;  // levels² of grey
  float camera;    // 0 to 1, how far most of the last picture moved: then little of it is noise
  uint cells;      // how many there are
  uint moved;      // and of those that moved, whatever renewed noise may do
  uint of[FLICKER_COUNTERS];
  float pans;   // 0 to 1, how far the last picture moved as a whole: then nothing speaks for
                // standing still
  uint rested;  // cells that stood still though they could have seemed to move
} Flicker;

INTERFACE_END
#endif
