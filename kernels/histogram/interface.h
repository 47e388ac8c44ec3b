// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that histograms, their drawing and their kernels share.
#ifndef HISTOGRAM_INTERFACE_H
#define HISTOGRAM_INTERFACE_H
#include "common/interface.h"

INTERFACE(histogram)

CONSTANT(SUB_GROUP, 32);     // work-items with adjacent reads
CONSTANT(TILE_COLUMNS, 16);  // px along x of the tile that they read from an image

CONSTANT(BINS, 256);            // bins of a channel that is drawn or equalised
CONSTANT(CHANNELS, 3);          // most such channels
CONSTANT(MOST_COUNTERS, 4096);  // most counters of a histogram whose fullest ones are drawn

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
  int axis, rows;                 // levels per axis of a joint histogram, otherwise 0; its bars
  int unit;                       // px per dot of the font
  float4 foreground, background;  // R, G, B and alpha
} Panel;

// The frame with its panel, for present.
typedef struct {
  Panel panel;
  int4 part;  // written part of the frame: left, top, width, height, px
  int equalize;
  int logarithmic;   // scale of the heights of the bars
  int level_height;  // minimum height of the 95th percentile, of 65535; 0: the fullest bin fills
                     // the plot
  float opacity;
  int overlay;  // only the drawing, see drawing/over.clh
} Presentation;

INTERFACE_END
#endif
