// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that histograms, their drawing and their kernels share.
#ifndef HISTOGRAM_INTERFACE_H
#define HISTOGRAM_INTERFACE_H
#include "common/interface.h"

INTERFACE(histogram)

CONSTANT(SUB_GROUP, 32);     // work-items with adjacent reads
CONSTANT(TILE_COLUMNS, 16);  // px along x of the tile that they read from an image

CONSTANT(BINS, 256);            // of a channel that is drawn or equalised
CONSTANT(CHANNELS, 3);          // that are, at most
CONSTANT(MOST_COUNTERS, 4096);  // of a histogram whose fullest counters are drawn

// Equalisation:
CONSTANT(NO_EQUALIZATION, 0);
CONSTANT(EQUALIZE_LUMA, 1);
CONSTANT(EQUALIZE_RGB, 2);
// Displays:
CONSTANT(NO_DISPLAY, 0);
CONSTANT(OVERLAY, 1);
CONSTANT(PARADE, 2);
CONSTANT(STACKED, 3);

// The panel with the plots.
typedef struct {
  int4 area;  // left, top, width, height, px
  int display;
  int channels, levels;           // histograms of `levels` bins each
  int axis, rows;                 // levels per axis of a joint histogram, else 0; its bars
  int unit;                       // px per dot of the font
  float4 foreground, background;  // R, G, B and alpha
} Panel;

// The frame with its panel, for present.
typedef struct {
  Panel panel;
  int4 part;  // of the frame that is written: left, top, width, height, px
  int equalize;
  int logarithmic;   // the heights of the bars
  int level_height;  // of the 95th percentile at least, of 65535; 0: the fullest bin fills the plot
  float opacity;
  int overlay;  // only the drawing: drawing/over.clh
} Presentation;

INTERFACE_END
#endif
