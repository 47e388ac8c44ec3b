// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that camera motion and its kernels share.
#ifndef CAMERA_INTERFACE_H
#define CAMERA_INTERFACE_H
#include "common/interface.h"
#ifdef __cplusplus
#include <camera/similarity.h>
#else
typedef float4 SimilarityMotion;  // x, y, dilation, rotation: similarity.clh
#endif

INTERFACE(camera)

// The size of reduced frames, and their relation to the full ones.
typedef struct {
  int2 size;      // px
  float2 centre;  // px
  float radius;   // from the centre to a corner, px
  float shrink;   // px of full frames per pixel
} FrameGeometry;

// The fit of a frame to the background.
typedef struct {
  SimilarityMotion motion;  // from the background to the frame, px of the background
  float2 bend;              // similarity.clh, per px
  float gain, offset;
} Fit;

CONSTANT(ALIGN_STEPS, 3);
CONSTANT(ALIGN_GROUPS, 128);
CONSTANT(ALIGN_ITEMS, 128);  // of a group, a power of two of at least ALIGN_SUMS
CONSTANT(ALIGN_SUMS, 56);    // float per group

// The state of a camera.
typedef struct {
  SimilarityMotion vectors;  // the motion of the vectors from the previous frame, px of frames
  float inliers, counted;    // of the vectors
  int frames;                // since the last cut
  int cut;                   // the frame differs from most of the background: the model restarts
  SimilarityMotion step;     // the aligned motion from the previous frame, px of frames
  float4 path;  // since the last cut: where the centre of its first frame is, px of frames; the
                // logarithm of the scale; the rotation, radians
  SimilarityMotion from_background;  // where pixels of the background were before this frame; px
                                     // of the background from here on
  SimilarityMotion from_frame;       // and where they are in the frame
  int fresh;                         // the model is empty
  int reliable;            // enough vectors agree, and reach far enough, to be the camera's motion
  float2 bend_background;  // of the inverse of from_background
  float2 bend_frame;       // of from_frame
  float curve;             // the bend per px of motion that the lens causes
  float brightness;        // how far mid-grey has changed lately, levels
  Fit fit, fits[ALIGN_STEPS];
  float lag;         // its largest recent change; compressed pictures follow late
  float confidence;  // in the motion of the vectors, 0 to 1; -1 without vectors
  float reaches;     // whether the inliers reach across the frame, 0 to 1
  float unused;
} CameraState;

// A step of the alignment, for camera_align and camera_settle.
typedef struct {
  FrameGeometry frame;
  int bands;         // of the brightness of rows
  int number;        // of the step, from 0
  int motion, turn;  // free parameters: x and y; rotation, scale and bend
  int coarse;        // px per side of a mean
  int rows;          // the step between rows that are used
  float scatter;     // a residual of so many levels has a weight of a quarter
  int first;         // no frame precedes this one
} AlignStep;

CONSTANT(ROW_BAND, 8);          // rows of a reduced frame per band
CONSTANT(RATIO_COUNTERS, 128);  // of a band's ratios
// The brightness of rows, float:
CONSTANT(ROLL_PART, 0);  // the part of the ratios that is used, 0 to 1; 0 if no bands rolled lately
CONSTANT(SWING, 1);   // the largest recent mean change of the bands relative to their common mean
CONSTANT(RATIOS, 2);  // the ratios of the bands, from here on

// Sums over bands; all 0 before and after.
typedef struct {
  int rolling;          // changes above LEAST_ROLL and MOST_ROLL
  int ratios, changes;  // changes; their magnitudes
  int ended;            // groups
} RowTally;

// The rows to measure, for camera_rows.
typedef struct {
  FrameGeometry frame;
  int bands;
  int guess;   // before the alignment, and only if bands rolled before; otherwise after it
  int motion;  // the guess follows the motion of the vectors
} RowMeasurement;

// The vectors to collect, for camera_collect.
typedef struct {
  int2 count;         // of vectors along x and y
  int2 size;          // of the frame, px
  int pitch;          // of the plane
  int cell, columns;  // px per cell of the field, cells per row
  int spacing;        // one cell in so many along both axes is used
} VectorGrid;

// The estimate from vectors, for camera_ransac.
typedef struct {
  float2 size;  // of the frame, px
  int count;    // of vectors
  uint seed;
  int rounds;       // iterations per group
  float error;      // px, of an inlier
  float converged;  // it stops once less than this part of the vectors are outliers
  int translation;  // neither rotation nor scaling
  int directed;     // inliers must also reach across part of the frame along their motion
} RansacRun;

INTERFACE_END
#endif
