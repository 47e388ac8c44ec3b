// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that edges, Hough transforms and their kernels share.
#ifndef HOUGH_INTERFACE_H
#define HOUGH_INTERFACE_H
#include "common/interface.h"

INTERFACE(hough)

CONSTANT(STEPS, 90);  // steps of a line's direction, 2° each

// A pixel in a map of edges is 0 without an edge; otherwise it has these bits:
//   0-6   the direction of its gradient as an undirected line, in steps, plus 1
//   7-13  the strength
//   14    whether the gradient points in the opposite direction
//   15    whether the strength reaches the upper threshold
CONSTANT(EDGE_REVERSED, 1 << 14);
CONSTANT(EDGE_STRONG, 1 << 15);
CONSTANT(EDGE_STRENGTHS, 128);  // steps of the strength, 1 level per px each

CONSTANT(DIGITS, 16);  // values of a digit; the sort has a pass per digit
CONSTANT(CHUNK, 128);  // elements of a list of edges or pairs that a group loads at once
CONSTANT(SCALES, 11);  // 0.5 to 1.5, 0.1 apart

CONSTANT(DIRECTIONS, 15);         // ranges of a line's direction, one bit each in the map
CONSTANT(MATCH_POINTS, 128);      // points of a template
CONSTANT(MATCH_STRENGTHS, 1024);  // steps of the strength of a position
CONSTANT(ROTATIONS, 72);          // rotations of a template, 5° each
CONSTANT(SECTORS, 24);            // ranges of the rotation
CONSTANT(BANDS, 3);               // ranges of the scale
CONSTANT(WORD, 32);               // positions per word
CONSTANT(AREAS, 16);              // along each side of a frame
CONSTANT(AREA_EDGES, 8);          // maximum edges in the list of an area
CONSTANT(STILL_EDGE, 1 << 30);    // bit of an edge that stands still
CONSTANT(MOST_SHIFT, 32);         // px, to each side, for which moved edges vote
CONSTANT(STARTS, 10);             // start poses of an alignment
CONSTANT(FRAME_ROUNDS, 9);        // its fits; edges are searched less far in each
CONSTANT(FIT_SUMS, 15);  // of the normal equations: 10 of the matrix, 4 right-hand, 1 count

CONSTANT(LINE_TILE, 32);     // px, side of the tiles in which edges vote for lines
CONSTANT(LINE_SEEDS, 4);     // lines of a tile that are followed
CONSTANT(LINE_BINS, 45);     // directions of the votes, 4° each
CONSTANT(LINE_OFFSETS, 48);  // distances from the middle of the tile, 1 px each

CONSTANT(CIRCLE_TILE, 32);      // px, side of the tiles whose edges vote together for circles
CONSTANT(CIRCLE_CELL_BITS, 3);  // log2 of the largest side of the cells of centres, px
CONSTANT(CIRCLE_RADII, 4);      // radii of a centre that are fitted

// The limits of a compaction, for compact_move.
typedef struct {
  uint capacity;  // of the list of kept elements
  int bins;       // of the histogram of their keys
} CompactionLimits;

// The votes for positions, for edge_pairs_shift.
typedef struct {
  int2 before_size, after_size;  // of both pictures, px
  int fine;                      // log2 of a bin's side, px
  int copies, plane;             // of the counters, which items use in turn; counters of a copy
} PositionVotes;

// The search for the strongest values of a map, for the kernels of topk.cl.
typedef struct {
  int4 region;    // only its values count: from (x, y) to (z - 1, w - 1)
  int2 size;      // of the map
  uint capacity;  // capacity of the list, elements
  int key_count;  // number of different keys
} TopKSearch;

// The bins of the searched scales, equally spaced in their logarithm.
typedef struct {
  int count;
  float first, per_octave;  // log2 of the lower end of the first bin; bins per octave
} ScaleBins;

// The division of the frame into cells, for the current templates.
typedef struct {
  int cell, half_width;  // px; an edge counts up to half_width px away
  int margin;            // additional cells on each side of the frame
  int columns, lines;    // cells per row and rows of cells, with the margin
  int pitch;             // elements per row of results
  int words, all_words;  // words per line of the map's bits; per direction
  int2 cells;            // along x and y
} SearchGrid;

// The verification of a template's candidates, for verify.
typedef struct {
  SearchGrid grid;
  ScaleBins scales;
  int2 size;                   // of the frame, px
  float2 scale_range, angles;  // .x to .y; clockwise from .x over .y degrees
  float radius;                // of the template, px
  int levels;                  // number of its levels, see level.clh
  int templ;                   // number of the template
  int first;                   // index of the first result
} Verification;

// The edges of an earlier frame in an area of the frame, for moved_edges_align.
typedef struct {
  uint count;        // number of edges in the list
  uint still;        // of these, number with an equal edge at the same place in the next frame
  uint inside, met;  // others that a pose leaves in the frame, and of these, those on an edge
  uint edges[AREA_EDGES];  // indices in the map, with STILL_EDGE
} AreaEdges;

// A template found in the frame. Its point (px, py), relative to its centre, lies at (x + a px - b
// py, y + b px + a py), px of the frame.
typedef struct {
  float x, y, a, b;
  float score;   // 1: all of the template's points meet an edge; 0: only as many as by chance;
                 // below 0: no object
  float templ;   // number of the template
  float radius;  // of the template in the frame, px
  float unused;
} FoundTemplate;

// The search for straight lines, for the kernels of lines.cl.
typedef struct {
  int4 region;      // only its edges count: from (x, y) to (z - 1, w - 1)
  int2 size;        // of the frame, px
  int2 tiles;       // along x and y
  int counted;      // only edges with one of these bits count
  int least_votes;  // minimum votes for a line in a tile
  int min_length;   // of a segment, px
  int max_gap;      // in a segment, px
} LineSearch;

// A segment of a straight line, from its left end to its right one. If it is steep, it goes from
// its upper end to its lower one.
typedef struct {
  int x1, y1, x2, y2;  // ends, 1/256 px
  int hits;            // number of its edges, at most one per px along its longer axis
  int steps;           // px along that axis
  int strength;        // length with an edge, 1/16 px; 0: no segment
  int unused;
} LineSegment;

// A line found in the frame.
typedef struct {
  float x1, y1, x2, y2;  // ends, px
  float score;           // part of the length with an edge
} FoundLine;

// The search for circles, for the kernels of circles.cl.
typedef struct {
  int4 region;                 // only its edges count: from (x, y) to (z - 1, w - 1)
  int2 size;                   // of the frame, px
  int2 cells;                  // along x and y
  int counted;                 // only edges with one of these bits count
  int cell_bits;               // log2 of the side of a cell, px
  int radius_min, radius_max;  // px
  int least_score;             // minimum part of the circumference with an edge, 1/1024
} CircleSearch;

// A circle found in the frame.
typedef struct {
  float x, y, radius;  // px
  float score;         // part of the circumference with an edge
} FoundCircle;

INTERFACE_END
#endif
