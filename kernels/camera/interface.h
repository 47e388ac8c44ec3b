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

// The geometry of reduced frames, and their relation to the full frames.
typedef struct {
  int2 size;        // px
  float2 centre;    // px
  float radius;     // from the centre to a corner, px
  float reduction;  // px of full frames per px
} FrameGeometry;

// The fit of a frame to the background.
typedef struct {
  SimilarityMotion motion;  // from the background to the frame, px of the background
  float2 bend;              // see bent() in similarity.clh, per px
  float gain, offset;
} Fit;

CONSTANT(ALIGN_STEPS, 3);
CONSTANT(ALIGN_GROUPS, 128);     // work-groups on GPUs
CONSTANT(ALIGN_GROUPS_CPU, 16);  // on CPUs, where each group adds the sums of all groups
CONSTANT(ALIGN_ITEMS, 128);      // items per group, a power of two, at least ALIGN_SUMS
CONSTANT(ALIGN_SUMS, 56);        // floats per group

// The history of a pixel of the background model.
typedef struct {
  uchar2 ages;      // of the background and the candidate, frames; 0: unknown
  ushort variance;  // around the background, in 64ths of levels²
} PixelHistory;

// The state of a camera.
typedef struct {
  SimilarityMotion vector_motion;  // from the previous frame, by the vectors, px of frames
  float inliers, vector_count;     // number of inliers, of vectors
  int frames;                      // since the last cut
  int cut;                         // 1: most of the background differs, so the model restarts
  SimilarityMotion frame_motion;   // the aligned motion from the previous frame, px of frames
  float4 path;  // since the last cut: where the centre of its first frame is, px of frames; the
                // logarithm of the scale; the rotation, radians
  SimilarityMotion from_background;  // where pixels of the background were before this frame; px
                                     // of the background from here on
  SimilarityMotion from_frame;       // and where they are in the frame
  int model_empty;                   // 1: the model is empty
  int reliable;            // 1: enough vectors agree and reach far enough to show the camera
  float2 bend_background;  // of the inverse of from_background
  float2 bend_frame;       // of from_frame
  float bend_rate;         // bend by the lens per px of motion
  float brightness;        // recent change of mid-grey, levels
  Fit fit, fits[ALIGN_STEPS];
  float brightness_peak;  // largest recent |brightness|; compressed pictures show changes late
  float confidence;       // of the motion of the vectors, 0 to 1; -1 without vectors
  float coverage;         // 0 to 1: degree to which the inliers reach across the frame
  float unused;
} CameraState;

// A step of the alignment, for camera_align and camera_update_state.
typedef struct {
  FrameGeometry frame;
  int bands;                      // bands of the brightness of rows
  int number;                     // number of the step, from 0
  int free_shift, free_rotation;  // 1 if free: x and y; rotation, scale and bend
  int block_side;                 // side of the averaged squares, px
  int row_spacing;                // distance of used rows, px
  float residual_scale;           // levels; a residual of this size has a quarter of the weight
  int first;                      // 1: this is the first frame
} AlignStep;

CONSTANT(ROW_BAND, 8);          // rows of a reduced frame per band
CONSTANT(RATIO_COUNTERS, 128);  // counters of a band's ratios
// Elements of the brightness of rows, float:
CONSTANT(ROLL_PART, 0);  // 0 to 1: used part of the ratios; 0 if no bands rolled recently
CONSTANT(SWING, 1);      // largest recent mean change of bands relative to their mean
CONSTANT(RATIOS, 2);     // first of the bands' ratios

// Sums over bands; all 0 before and after.
typedef struct {
  int rolling;          // number of changes above LEAST_ROLL, plus that above MOST_ROLL
  int ratios, changes;  // sum of changes; of their magnitudes
  int finished_groups;  // groups that finished
} RowTally;

// The rows to measure, for camera_rows.
typedef struct {
  FrameGeometry frame;
  int bands;
  int before_alignment;  // 1: an estimate, only if bands rolled before; 0: a measurement
  int use_vectors;       // 1: the estimate uses the motion of the vectors
} RowMeasurement;

// The vectors to collect, for camera_collect.
typedef struct {
  int2 count;         // vectors along x and y
  int2 size;          // of the frame, px
  int pitch;          // of the plane
  int cell, columns;  // px per cell of the field, cells per row
  int spacing;        // distance of used cells along both axes, cells
} VectorGrid;

// The estimate from vectors, for camera_ransac.
typedef struct {
  float2 size;  // of the frame, px
  int count;    // number of vectors
  uint seed;
  int rounds;       // iterations per group
  float error;      // px, of an inlier
  float converged;  // fraction of outliers below which it stops
  int translation;  // 1: no rotation or scaling
  int directed;     // 1: inliers must also reach across part of the frame along their motion
} RansacRun;

INTERFACE_END
#endif
