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

CONSTANT(FRAME_MARGIN, 3);   // px from the frame's edges without points; the gradient is 0 there
CONSTANT(CORNER_RADIUS, 3);  // px, radius of the tensor's window, the gradient, maxima in a tile
CONSTANT(LOG_BINS, 11);      // log2 of the number of counters in the search for the smallest key
CONSTANT(MOST_RADIUS, 15);   // texels, largest radius of a window
CONSTANT(TEMPLATE, (2 * MOST_RADIUS + 3) * 40 + 8);  // texels of a point's patch
CONSTANT(TRAIL_LENGTH, 256);                         // stored positions per point
CONSTANT(MOST_POINTS, 10000);                        // slots

// The state of a slot.
enum { VACANT, LIVE, LOST };

// Indices of the state of all points, ints in device memory.
enum {
  ALIVE_COUNT,      // points alive after tracking
  LOST_COUNT,       // points lost by tracking
  SELECTED_COUNT,   // points selected in this frame
  CUT,              // 1 if this frame follows a cut
  NEXT_ID,          // id of the next point
  SELECTS,          // 1 if points are selected in this frame
  MAX_NEW,          // maximum number of points to select
  OCCUPANCY_MARK,   // mark of occupied pixels in this frame
  CANDIDATE_COUNT,  // number of candidates
  BEST_EIGENVALUE,  // largest eigenvalue, the bits of a float
  ALL_LOST,         // points lost since the allocation
  ALL_CUTS,         // cuts since the allocation
  RESIDUAL_SUM,     // sum of the residuals of fits in this frame, in 1/1024 deviation
  FIT_COUNT,        // number of fits in this frame
  USUAL_RESIDUAL,   // mean residual of the last frame's fits
  BLANK_COUNT,      // consecutive blank frames up to this one
  ALL_BLANK,        // blank frames since the allocation
  KEPT_AGE,         // frames since the kept scene; large if its slots have other points
  KEPT_RETURNS,     // 1 if this frame's points are those of the kept scene
  WAS_BLANK,        // 1 if the previous frame was blank
  VIEW_STAYS,       // 1 if most points are lost but the scene is the same, shifted or brighter
  USUAL_COUNT,      // recent maximum of the number of points, which decays
  STATES
};

// The point of a slot. `position`: reported position (x, y) and tracked position (z, w), px.
// `motion`: (x, y) px per frame, residual, smaller eigenvalue. `similarity`: similarity to its
// template as a complex number, number of consecutive frames in which it did not fit, growth of its
// window in texels. `identity`: id, age in frames, state, 0.
typedef struct {
  float4 position, motion, similarity;
  int4 identity;
} TrackedPoint;

// The points of all slots, an array for each field: most kernels need only some fields.
typedef struct {
  float4 position[MOST_POINTS], motion[MOST_POINTS], similarity[MOST_POINTS];
  int4 identity[MOST_POINTS];
} TrackedPoints;

// The report of a frame. An array of `count` PointRecords follows.
typedef struct {
  uint count;     // points alive
  uint lost;      // points lost since the previous frame
  uint selected;  // points selected in this frame, included in `count`
  uint cut;       // 1 if more than 2/3 of 16 or more points were lost; then all are
  uint all_lost, all_selected, all_cuts;  // sums over all frames
  float confidence;                       // of the camera motion, 0 to 1; below 0: unknown
  float margin_used;                      // fraction of the stabilizer's margin; below 0: unknown
  float mean_x, mean_y;  // px per frame, mean over the points tracked to this frame
  float mean_age;        // frames, mean over the same points
  float noise;           // of the frames, standard deviation in levels; -1: unknown
  uint blank;            // 1 if the frame is blank: no point is visible
  uint all_blank;        // blank frames so far
} PointSummary;

// A tracked point in the report of a frame.
typedef struct {
  uint id;        // unique
  float x, y;     // px
  float vx, vy;   // px from the previous frame
  uint age;       // frames since it was chosen
  float residue;  // levels, mean over the window; -1: not visible, at its last position
} PointRecord;

// The noise gain of a level: the variance of its texels and of half the difference of two
// neighbours, for noise of variance 1 in the frame.
typedef struct {
  float texel, slope;
} Gain;

// The tracking of points, for klt_follow, klt_track and klt_compare.
typedef struct {
  int levels;              // of the pyramids
  int radius, iterations;  // texels, (side - 1) / 2 of the window; maximum steps per level
  float residue;           // levels, maximum mean difference
  int check, reach;        // 1: track back too; px around a point that are occupied
  int occupancy_mark;      // mark of occupied pixels in this frame
} TrackingLimits;

// The search for blank frames, for klt_find_blank.
typedef struct {
  int4 level, coarse;  // the finest one; the one whose cells are compared
  float slope_gain;    // of the finest level
  int slots;
  int max_frames;  // blank frames in a row
  int has_kept;    // 1: the kept scene may return
} BlankSearch;

// The count of a frame's points, for klt_remove_lost.
typedef struct {
  int features;        // slots for points
  int slots;           // slots that are or were in use
  int min_alive;       // new points are selected if fewer are alive
  int select_due;      // 1: new points are selected in any case, and the host keeps the scene
  int restart;         // 1: all earlier points are removed
  int occupancy_mark;  // mark of occupied pixels in this frame
  float width;         // of the frame, px
} SlotUpdate;

// The minimum eigenvalue of a point to select.
typedef struct {
  float quality, min_eigenvalue;  // fraction of the best; levels²/px² over the window
  float noise_gain;               // mean eigenvalue for noise of variance 1 in the frame
} Threshold;

// Limits for an even distribution over cells, for klt_cells.
typedef struct {
  Threshold threshold;
  int2 size, cells;  // of the frame, px; cells along x and y
  int slots;
  int max_points;  // points per cell
} CellShares;

// The anchor of a point: its position in the stabilized picture, px.
typedef struct {
  float2 position;
  int id, unused;
} Anchor;

// The visible part of a frame. Motions are relative to the frame's centre, in px of its height.
typedef struct {
  SimilarityMotion to_stabilized;    // from the frame to the stabilized picture
  SimilarityMotion velocity;         // velocity of that motion, per frame
  SimilarityMotion from_stabilized;  // from the stabilized picture to the frame
  float zoom;                        // frame px per output px, up to 1
  float rows[6];                     // affine matrix [2, 3] from frame px to output px, by rows
  float confidence;                  // of the camera motion, 0 to 1; -1: unknown
  float margin_used;                 // fraction of the margin, along the axis that uses more
  SimilarityMotion camera;           // recent mean of the camera's motion, per frame
  float camera_weight;               // of the frames in that mean; 0: unknown
  int unknown_count;                 // frames in a row up to this one whose motion is unknown
} StabilizerState;

// How the stabilized picture follows the camera, for klt_update_stabilizer.
typedef struct {
  float smoothing;  // frames, memory of the filter; 0: the picture stays fixed
  float zoom;       // frame px per output px, up to 1
  float aspect;     // width of a px relative to its height
  float2 centre;    // px
} StabilizerFilter;

CONSTANT(MOST_AHEAD, 60);  // frames, most look-ahead
CONSTANT(KEPT_STEPS, 64);  // steps in the ring, more than MOST_AHEAD

// The motion of the camera to a frame.
typedef struct {
  SimilarityMotion motion;  // from the frame to the previous one
  int restart;              // 1: the frame follows none
  float confidence;         // of the motion, 0 to 1; -1: unknown
  int unknown_count;        // frames in a row up to this one whose motion is assumed
} CameraStep;

// Where the last frames were shown: motions from the stabilized picture to these frames.
typedef struct {
  SimilarityMotion last, before_last;
  int count;  // number of known motions, up to 2
} ShownPath;

// The frames whose path is planned, for klt_plan_path.
typedef struct {
  int first;   // index of the first frame's step
  int count;   // number of frames whose steps are known
  float jump;  // weight of first differences; that of second differences is 1
  float step;  // weight of the distance between the paths of the optimization
} PathWindow;

// The output frame, for klt_show and klt_show_planes.
typedef struct {
  int2 size;      // px
  float2 centre;  // px
  float2 site;    // from the first pixel of a block to its chroma sample, px
  float aspect;   // width of a px relative to its height
} StabilizedView;

// The trail of a slot's point: `count` positions so far. If `all` is 0, the last TRAIL_LENGTH are
// kept. Otherwise the first stays, and one position of every `step` is kept; `step` doubles when
// the trail is full. `next`: frames until the next position.
typedef struct {
  int id, count, step, next;
} Trail;

// The widths of dots, of half a line and of the outline around both, px.
typedef struct {
  float radius, line_radius, outline_width;
} Pen;

INTERFACE_END
#endif
