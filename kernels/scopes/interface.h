// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that scopes and their kernels share.
#ifndef SCOPES_INTERFACE_H
#define SCOPES_INTERFACE_H
#include "common/interface.h"

INTERFACE(scopes)

CONSTANT(MOST_COLUMNS, 640);  // of the counts; frames of up to 640 px have one per px
CONSTANT(MOST_CHANNELS, 3);
CONSTANT(SIDE, 256);         // cells along Cb, and along Cr
CONSTANT(SATURATIONS, 182);  // steps of 8 bits between grey and the farthest cell, rounded
CONSTANT(HUES, 360);         // degrees
CONSTANT(COLOURED, 8);       // least saturation of samples whose hue counts
CONSTANT(NO_HUE, 0xffff);    // of cells with less
// The samples of each saturation and of each hue, then NO_HUE or the hue of the most saturated
// sample.
CONSTANT(COLOUR_NUMBERS, SATURATIONS + HUES + 1);
CONSTANT(FULL_HEIGHT, 65535);  // of a bar that fills the plot
// Densities of traces of full brightness: if all samples have one of 256 values, and in the
// vectorscope a sixteenth of that.
CONSTANT(BRIGHT_VALUES, 256);
CONSTANT(BRIGHT_CHROMA, 4096);

// The values of a column and channel, one array of columns after the other. Lines have the same.
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
  int parts;    // bits of the following
} Counting;
CONSTANT(COUNT_COLUMNS, 1);
CONSTANT(COUNT_CHROMA, 2);

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
  int side;               // cells along Cb, and along Cr, that the vectorscope shows about grey
  int logarithmic;
  float gain, opacity;
  int overlay, opaque;            // only the drawing, see drawing/over.clh; alpha becomes 1
  float4 colours[MOST_CHANNELS];  // R, G, B of the channels' traces
} Plot;

// Marks in the picture, bits of Marks::marks. Later ones lie above earlier ones.
CONSTANT(MARK_FALSE_COLOR, 1);
CONSTANT(MARK_PEAKING, 2);
CONSTANT(MARK_GAMUT, 4);
CONSTANT(MARK_ZEBRA, 8);
CONSTANT(MOST_BANDS, 17);  // of false colours

typedef struct {
  int2 size;                   // of the frame, px
  int marks;                   // bits
  int overlay;                 // only the drawing
  int black, level_of_luma;    // code value; levels of 0..255 per code value, 16 fractional bits
  int bands;                   // of false colours
  int limits[MOST_BANDS];      // code values from which the next band applies
  uchar4 colours[MOST_BANDS];  // of the bands; without alpha they are luma as grey
  int edge;                    // peaking: second differences of luma above this are edges in focus
  float edge_of_noise;        // the same per standard deviation of the noise, code values per level
  int gamut_low, gamut_high;  // the least and most legal R, G and B
  uchar4 peaking_color, gamut_color;
  int zebra_low, zebra_high;  // code values without stripes
  int stripe;                 // width of a stripe, px along x
} Marks;

// Values of a survey, ulong.
CONSTANT(SURVEY_OUT_OF_RANGE, 0);  // pixels with a code value outside of the legal range
CONSTANT(SURVEY_OUT_OF_GAMUT, 1);  // pixels with R, G or B outside of its limits
CONSTANT(SURVEY_BLACK, 2);         // black pixels
CONSTANT(SURVEY_DIFFERENCE, 3);    // sum of absolute differences of luma from the kept frame
CONSTANT(SURVEY_SUMS, 4);
CONSTANT(SURVEY_MOTION, 4);  // one of the following
CONSTANT(SURVEY_VALUES, 5);

CONSTANT(SURVEY_UNCOMPARED, 0);  // there was no kept frame
CONSTANT(SURVEY_MOVED, 1);
CONSTANT(SURVEY_STILL, 2);

typedef struct {
  int4 area;                  // left, top, width, height, px
  int4 least, most;           // legal code values: luma, Cb and Cr, or R, G and B
  int gamut_low, gamut_high;  // the least and most legal R, G and B
  int black;                  // the largest luma of black pixels, code value
  int compares;               // 1: compare luma with the kept frame
  ulong still;                // the largest SURVEY_DIFFERENCE of a frame that stands still
} Survey;

INTERFACE_END
#endif
