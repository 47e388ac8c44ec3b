// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that object detection and its kernels share.
#ifndef OBJECTS_INTERFACE_H
#define OBJECTS_INTERFACE_H
#include "camera/interface.h"
#include "common/interface.h"

INTERFACE(objects)
#ifdef __cplusplus
using camera::CameraState, camera::FrameGeometry, camera::PixelHistory;
#endif

// The deviation is counted over one pixel in DEVIATION_SPACING along both axes.
CONSTANT(DEVIATION_SPACING, 8);
CONSTANT(DEVIATION_COUNTERS, 32);

// The scene's deviation; see deviation.clh.
typedef struct {
  float deviation;  // levels
  uint excluded;    // number of pixels that are not counted
  uint histogram[DEVIATION_COUNTERS];
} Deviation;

// A pixel of the still picture, which does not move with the camera; see overlay.cl.
typedef struct {
  float2 motion;   // of the background since the level was first seen, px of a reduced frame
  float level;     // mean
  float evidence;  // frames in which the level stayed although the background moved
} StillPixel;

// px per side of cells of the background model with bounds of their own.
CONSTANT(BOUNDS_CELL, 4);

CONSTANT(STANDING_CELL, 2);       // px per side of cells that may stand still; see standing.cl
CONSTANT(UNKNOWN_LEVEL, 0xffff);  // of such a cell

// The update of the background model by a frame, for objects_background.
typedef struct {
  FrameGeometry frame;
  float noise_gain;  // variance of noise in the reduced frame, relative to the full frame
  float deviations;  // bound, standard deviations of the noise
  float edges;       // part of the local contrast that is added to the bound
  int bands;         // bands of the brightness of rows
  int measured;      // 0: the noise was set, so the scene's deviation is not used
  int own_bounds;    // 1: cells may have bounds of their own
} BackgroundUpdate;

CONSTANT(LEAST_PAN, 1);  // px per frame; with less motion of the camera no block moves by itself

// The blocks whose motion is compared with the camera's, for motiongroups.cl. "Reduced" is in px of
// a reduced frame.
typedef struct {
  int2 blocks;        // columns, rows
  int2 size;          // of the frame, px
  int2 cells;         // of the vector field: columns, rows
  int2 reduced_size;  // of the reduced frame
  int side;           // of a block, px
  int reduced_side;   // the same
  int pitch;          // of the luma planes
  int cell;           // px between vectors
  int reach;          // blocks; alike blocks within this distance are one group
} BlockGrid;

CONSTANT(CHANGE_UNIT, 8);  // per level; a change is a pixel's level above that of the background

CONSTANT(REGION_CELL, 2);    // px per side
CONSTANT(MAX_REGIONS, 128);  // regions per list

// A region of foreground pixels.
typedef struct {
  int left, top, right, bottom;  // px of a reduced frame, inclusive
  int area;                      // foreground pixels
  int distance;        // sum of their distances from the background, in eighths of the bound
  int levels;          // sum of their levels, 0 to 255 each
  int squares;         // sum of the squared levels, in 64ths, rounded down per cell
  int moving;          // foreground pixels in blocks that move by themselves
  int vx, vy;          // sum of their blocks' motion relative to the camera, quarter px of frames
  int cells;           // its cells
  int change;          // sum of the magnitudes of the changes in them, in CHANGE_UNIT
  int outside;         // cells just outside of it, counted once for each direction
  int outside_change;  // sum of the changes in them
} Region;

// The regions of a frame.
typedef struct {
  CameraState state;
  int count;       // number of regions; the list has the first MAX_REGIONS
  int foreground;  // number of foreground pixels
  int2 unused;
  Region regions[MAX_REGIONS];
} RegionList;

// The regions to list, for objects_list.
typedef struct {
  int cells;           // of the frame
  int min_area;        // minimum foreground pixels of a region
  int pixels;          // of the frame
  int counted_pixels;  // number of pixels counted for the scene's deviation
  float cut_fraction;  // fraction of foreground pixels above which the state becomes a cut
} RegionSearch;

// Cells of the picture's measures, see scene.cl.
CONSTANT(SCENE_COLUMNS, 48);
CONSTANT(SCENE_ROWS, 27);

// The sums over the measured pixels of a cell.
typedef struct {
  uint level;   // levels, in 16ths
  uint detail;  // squared differences from the mean of the neighbours, in 16ths of a level²
  uint colour;  // magnitudes of the colour, in 64ths of levels
  float noise;  // variance of a pixel's noise in the full frame, levels²
} SceneCell;

// The measures of a frame. They follow a RegionList in its buffer.
typedef struct {
  SceneCell cells[SCENE_COLUMNS * SCENE_ROWS];
  uchar changed[SCENE_COLUMNS * SCENE_ROWS];  // 1: the luma differs from that of the frame before,
                                              // in one of as many parts of the frame as there are
                                              // cells
} SceneSums;

// The frame to measure, for objects_scene.
typedef struct {
  int2 size, cells;   // of the reduced frame, px; columns and rows of cells
  int spacing;        // of the measured pixels along both axes, px
  int pitch, height;  // of the luma planes; of the frame, px
  int colours;        // 1: there are colours
  int noise;          // 1: the noise is known
} SceneRun;

CONSTANT(LABEL_LENGTH, 32);

// A box with a label, for objects_box.
typedef struct {
  float4 colour, outline_colour;  // of lines and outlines, 0 to 1
  int4 box;                       // left, top, right, bottom, px
  int2 size, origin, area;        // px: of the frame; first pixel and size of the drawn area
  uchar label[LABEL_LENGTH];      // glyphs of the font; GLYPHS: a blank
  int label_length;
  int thickness, outline_width;  // px, of lines and outlines
  int dot;                       // px, the side of a dot of the font
  int overlay;                   // see drawing/over.clh
} BoxDrawing;

CONSTANT(TRAIL_POINTS, 32);

// A trail, for objects_trail.
typedef struct {
  float4 colour, outline_colour;
  int2 size, origin, area;          // as in BoxDrawing
  float2 points[TRAIL_POINTS];      // px
  int count;                        // number of points
  float half_width, outline_width;  // px: half of the line's width; width of the outline
  int overlay;
} TrailDrawing;

INTERFACE_END
#endif
