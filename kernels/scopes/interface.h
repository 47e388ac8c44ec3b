// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that scopes and their kernels share.
#ifndef SCOPES_INTERFACE_H
#define SCOPES_INTERFACE_H
#include "common/interface.h"

INTERFACE(scopes)

CONSTANT(MOST_COLUMNS, 640);  // of the counts; frames of up to 640 px have one per px
CONSTANT(MOST_CHANNELS, 3);
CONSTANT(SIDE, 256);           // cells along Cb, and along Cr
CONSTANT(SATURATIONS, 182);    // steps of 8 bits between grey and the farthest cell, rounded
CONSTANT(HUES, 360);           // degrees
CONSTANT(COLOURED, 8);         // least saturation of samples whose hue counts
CONSTANT(NO_HUE, 0xffff);      // of cells with less
CONSTANT(FULL_HEIGHT, 65535);  // of a bar that fills the plot
// Densities of traces of full brightness: if all samples have one of 256 values, and in the
// vectorscope a sixteenth of that.
CONSTANT(BRIGHT_VALUES, 256);
CONSTANT(BRIGHT_CHROMA, 4096);
CONSTANT(PLOT_ROWS, 8);  // of a work-item that draws

// The values of a column and channel, one array of columns after the other:
CONSTANT(COLUMN_LEAST, 0);
CONSTANT(COLUMN_MOST, 1);
CONSTANT(COLUMN_SUM, 2);
CONSTANT(COLUMN_BELOW, 3);  // samples below the legal range
CONSTANT(COLUMN_ABOVE, 4);
CONSTANT(COLUMN_VALUES, 5);

// The counted part of a frame.
typedef struct {
  int4 area;    // left, top, width, height, px
  int columns;  // of the counts
  int bands;    // groups that share the rows of a column; copies of the cells
} Counting;

// The legal range of the channels, and the size of the counts.
typedef struct {
  int columns, channels, levels;
  int4 black, white;  // least and most legal value of each channel
} Legal;

// A plot and its cell, for the kernels that draw.
typedef struct {
  int4 cell, plot;        // left, top, width, height in the frame, px
  int4 panel;             // of all cells; the layer has its size
  int4 area;              // the counted part of the frame, px
  int columns, levels;    // of the counts
  int channel, channels;  // the first one drawn; their number
  int chroma_shift;       // log2 of the px that share a sample of the second and third channel
  int logarithmic;
  float gain, opacity;
  int overlay, opaque;            // only the drawing, see drawing/over.clh; alpha becomes 1
  float4 colours[MOST_CHANNELS];  // R, G, B of the channels' traces
} Plot;

// Stripes over luma below `low` and above `high`.
typedef struct {
  int2 size;      // of the frame, px
  int low, high;  // code values
  int width;      // of a stripe, px along x
  int overlay;    // only the drawing
} Zebra;

INTERFACE_END
#endif
