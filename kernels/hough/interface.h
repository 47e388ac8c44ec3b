// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that edges, Hough transforms and their kernels share.
#ifndef HOUGH_INTERFACE_H
#define HOUGH_INTERFACE_H
#include "common/interface.h"

INTERFACE(hough)

CONSTANT(STEPS, 90);  // of a line's direction, 2° each

// A pixel in a map of edges is 0 or has these bits:
//   0-6   the step of its gradient's line, plus 1
//   7-13  the strength
//   14    whether the gradient points in the opposite direction
//   15    whether the strength reaches the upper threshold
CONSTANT(EDGE_TURNED, 1 << 14);
CONSTANT(EDGE_STRONG, 1 << 15);
CONSTANT(EDGE_STRENGTHS, 128);  // of a level per px

CONSTANT(DIGITS, 16);  // values of a pass of the sort
CONSTANT(CHUNK, 128);  // of a list of edges or pairs, at once
CONSTANT(SIZES, 11);   // 0.5 to 1.5, 0.1 apart

CONSTANT(DIRECTIONS, 15);         // of lines: bits of the map
CONSTANT(MATCH_POINTS, 128);      // of a template
CONSTANT(MATCH_STRENGTHS, 1024);  // of its places
CONSTANT(TURNS, 72);              // of a template
CONSTANT(SECTORS, 24);            // of turns
CONSTANT(BANDS, 3);               // of scales
CONSTANT(WORD, 32);               // places
CONSTANT(FIT_SUMS, 15);  // of the equations: 10 above and on the diagonal, 4 on the right, 1 count

// The map in which the strongest values are searched, for the kernels of topk.cl.
typedef struct {
  int4 region;  // where values count, from (x, y) to before (z, w)
  int2 size;    // of the map
  uint room;    // in the list
  int keys;     // kinds of them
} TopKSearch;

// The bins of the scales that are searched.
typedef struct {
  int count;
  float first, per_octave;  // binary logarithm of the begin of the smallest; scales in an octave
} ScaleBins;

// The division of the frame into cells, for the current templates.
typedef struct {
  int cell, half_width;  // px; px around an edge in the map
  int margin;            // cells around the frame
  int columns, lines;    // of squares in the map, with the margin
  int pitch;             // between rows of results
  int words, all_words;  // of a line of the map's bits; of a direction
  int2 cells;            // along x and y
} SearchGrid;

// The verification of a template's candidates, for verify.
typedef struct {
  SearchGrid grid;
  ScaleBins scales;
  int2 size;                   // of the frame, px
  float2 scale_range, angles;  // allowed; clockwise, from .x on .y degrees
  float radius;                // of the template, px
  int levels;                  // of it
  int templ;                   // its number
  int first;                   // of its objects
} Verification;

// A template in the frame: a point (px, py) of it, from its middle, is at (x + a px - b py, y + b
// px + a py).
typedef struct {
  float x, y, a, b;
  float score;   // 1 if all of the template's points meet an edge, 0 if as many as by chance do;
                 // below 0: no object
  float templ;   // its number
  float radius;  // of the template in the frame, px
  float unused;
} FoundTemplate;

INTERFACE_END
#endif
