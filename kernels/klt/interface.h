// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the tracking of points and its kernels share.
#ifndef KLT_INTERFACE_H
#define KLT_INTERFACE_H
#include "camera/interface.h"
#include "common/interface.h"

INTERFACE(klt)
#ifdef __cplusplus
using camera::SimilarityMotion;
#endif

CONSTANT(RIM, 3);           // px at the frame's edges where no point is and the gradient is 0
CONSTANT(AROUND, 3);        // px: of the tensor's window, of the gradient, of maxima within a tile
CONSTANT(LOG_BINS, 11);     // of the counters that find the smallest key
CONSTANT(MOST_RADIUS, 15);  // texels, of a window
CONSTANT(TEMPLATE, (2 * MOST_RADIUS + 3) * 40 + 8);  // texels of a point's patch
CONSTANT(TRAIL_LENGTH, 256);                         // places that are kept of a point

// The state of a slot.
enum { VACANT, LIVE, LOST };

// The counters of all points, on the device.
enum {
  ALIVE,       // after tracking
  GONE,        // lost by tracking
  CHOSEN,      // in this frame
  CUT,         // whether this frame follows a cut
  NEXT_ID,     // of the next point
  GO,          // whether points are chosen in this frame,
  NEED,        // and how many at most
  STAMP,       // of taken places
  CANDIDATES,  // their number
  BEST,        // the bits of the largest eigenvalue
  ALL_GONE,    // since the allocation
  ALL_CUTS,    // likewise
  LEFT,        // the sum of the residuals of fits in this frame, in 1024ths of the deviation,
  FITS,        // and the number of fits
  USUAL,       // the mean residual in the last frame
  BLANK,       // blank frames in a row until this one
  ALL_BLANK,   // since the allocation
  STATES
};

// A slot's point: its reported and its tracked place, px; motion (x, y), residue and smaller
// eigenvalue; its similarity to its template, a complex number, frames in which it did not fit, and
// how much its window grew; id, age in frames, state, 0.
typedef struct {
  float4 place, motion, form;
  int4 who;
} TrackedPoint;

// The report of a frame, followed by `count` points.
typedef struct {
  uint count;   // points alive
  uint lost;    // since the previous frame
  uint chosen;  // new in this frame, a part of `count`
  uint cut;     // 1 if more than two thirds of 16 or more points were lost, and so all
  uint all_lost, all_chosen, all_cuts;  // of all frames so far
  float confidence;                     // in the camera's motion, 0 to 1; below 0: not known
  float mean_x, mean_y;                 // px per frame, over the points tracked to this frame
  float mean_age;                       // frames, over the same
  float noise;     // of the frames, standard deviation in levels; -1 if not known
  uint blank;      // 1 if the frame is: its points are not seen
  uint all_blank;  // blank frames so far
} PointSummary;

// A tracked point in the report of a frame.
typedef struct {
  uint id;       // given once
  float x, y;    // px
  float vx, vy;  // px from the previous frame
  uint age;      // frames since it was chosen
  float
      residue;  // levels, mean over the window; -1 if the point is not seen: it has its last place
} PointRecord;

// The variance of a level's texels, and of half the difference of two neighbours along an axis, for
// noise of variance 1 in the frame.
typedef struct {
  float texel, slope;
} Gain;

// The tracking of points, for klt_follow, klt_track and klt_compare.
typedef struct {
  int levels;              // of the pyramids
  int radius, iterations;  // texels: (side - 1) / 2 of the window; steps a level, at most
  float residue;           // levels: mean difference that is left, at most
  int check, reach;        // whether to go back; px around a point that are taken
  int stamp;               // the mark of taken places in this frame
} TrackingLimits;

// The search for blank frames, for klt_find_blank.
typedef struct {
  int4 level;
  float slope_gain;  // of the finest level
  int slots;
  int most;  // blank frames in a row
} BlankSearch;

// The account of a frame's points, for klt_account.
typedef struct {
  int features;  // slots that are in use
  int slots;     // that were or are in use
  int least;     // points: new ones are chosen if fewer are alive
  int due;       // new ones are chosen in any case
  int fresh;     // earlier points are forgotten
  int stamp;     // the mark of taken places in this frame
} PointAccount;

// The least eigenvalue of a point that is chosen.
typedef struct {
  float quality, least;  // share of the best; levels²/px² over the window
  float noise_gain;      // its mean for noise of variance 1 in the frame
} Threshold;

// The even shares of cells, for klt_cells.
typedef struct {
  Threshold threshold;
  int2 size, cells;  // of the frame, px; cells along x and y
  int slots;
  int most;  // points of a cell
} CellShares;

// The place of a point in the steady picture.
typedef struct {
  float2 at;
  int id, unused;
} Anchor;

// The shown part of a frame. Motions are relative to the frame's centre, in px of its height.
typedef struct {
  SimilarityMotion seen;  // from the frame to the steady picture
  SimilarityMotion pace;  // of its camera, a frame
  SimilarityMotion back;  // from the steady picture to the frame
  float zoom;             // px of it to one that is shown
  float rows[6];          // from px of the frame to those shown: [2, 3], row by row
  float confidence;       // in the camera's motion, 0 to 1; -1 if it is not known
} StabilizerState;

// How the steady picture follows the camera, for klt_hold.
typedef struct {
  float smoothing;  // frames that it remembers; 0: it stays
  float zoom;       // px of it to one that is shown, up to 1
  float aspect;     // by how much a px is wider than high
  float2 centre;    // px
} Follow;

// The frame that is shown, for klt_show and klt_show_planes.
typedef struct {
  int2 size;      // px
  float2 centre;  // px
  float2 site;    // from the first pixel of a block to its chroma sample, px
  float aspect;   // by how much a px is wider than high
} SteadyView;

// The places of the point that has a slot: `count` so far. Those kept are the last TRAIL_LENGTH. If
// the first is not to be lost, one of `step` is kept, and `step` doubles as soon as there is no
// room.
typedef struct {
  int id, count, step, next;
} Trail;

// The width of dots and lines.
typedef struct {
  float radius, thick, outline;  // px: of a dot, half of a line, around both
} Pen;

INTERFACE_END
#endif
