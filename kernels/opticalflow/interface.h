// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the optical flow and its kernels share.
#ifndef OPTICALFLOW_INTERFACE_H
#define OPTICALFLOW_INTERFACE_H
#include "common/interface.h"

INTERFACE(opticalflow)

// Pyramids.
CONSTANT(BORDER, 2);       // texels on every side of a level that repeat its edge
CONSTANT(COARSEST_X, 16);  // texels of the coarsest of three levels that a group computes
CONSTANT(COARSEST_Y, 8);
CONSTANT(CENSUS_ROWS, 4);  // texels of a column per item of flow_census

// The taps of a window along an axis, from the centre on: 2 RADIUS + 1 of them, symmetric.
typedef struct {
  float tap[8];
} Window;

// A lattice of nodes on a level. The table has the finest one first.
typedef struct {
  int4 level;                 // level.clh
  float4 gain;                // of the level, noise.clh
  int2 size;                  // nodes
  int step;                   // texels between nodes
  int first_tensor;           // in the buffers of tensors, residuals and slopes
  int first_tile, last_tile;  // last_tile: the first one of the next lattice
} TableRow;

// Rows whose change of brightness is measured.
CONSTANT(ROW_SPACING, 2);  // px between them
CONSTANT(ROW_ITEMS, 64);   // items per row

// Counters of a frame pair, cleared by sum_tensor_tiles().
typedef struct {
  uint changing;    // cells that change
  uint consistent;  // those in consistent strips
  uint rolling;     // how much brightness rolls through the rows, in thousandths
  uint ended;       // groups of find_row_ratios(); 0 before and after
  uint edge;        // cells of `consistent` at the edge
  int agreement;    // the sum of grey_agreement() in thousandths
} FrameTally;

// The tensors of all lattices and the ratios of the rows, for flow_tensors.
typedef struct {
  Window finest_window, other_window;  // of the finest lattice; of the others
  int2 side;                           // nodes of a group's tile
  int tiles;                           // groups with a tile: the last ones
  int rows, row_spacing;  // rows in all; rows over which rolling brightness differs little
  float alpha;            // level.clh
  int strip;              // elements of the group's memory for the tile; sums along y follow
} TensorSums;

// Steps of the solver on a lattice, for flow_warp.
typedef struct {
  int4 level;
  float4 gain;
  Window window;
  int2 size, flow_size, side;  // nodes: of the lattice, of the flow before, of a group's tile
  int step, first_tensor;      // as in TableRow
  int shift;                   // 1 if nodes of the flow before are twice as far apart, else 0
  int warps;                   // steps
  int spacing;                 // nodes between those of the median
  float scale;                 // multiplies the flow before, which then is in texels of the level
  float spread;                // the sum of the squared weights of the window
  float alpha;
} Warp;

// Steps of the solver on the lattices of levels `from` down to `to`, for flow_fused.
typedef struct {
  TensorSums sums;
  int2 flow_size;
  int from, to;
  int warps, spacing;
  float scale, spread;
  int nodes;  // float2: the place of the start of a step in the group's memory
} FusedWarp;

// The last step, with all texels of the finest level, for flow_dense.
typedef struct {
  int4 level;
  float4 gain;
  Window window;
  int2 size, flow_size, side;  // as in Warp
  int2 coarse_size;            // of the lattice of flow_warp, whose nodes are twice as far apart
  int step;                    // texels between the four texels of a node
  int spacing;
  float scale, spread, alpha;
  float half_confidence;  // the smaller eigenvalue at which the confidence is a half, without noise
  int tile, strip;        // elements of the group's memory: of its tile and of sums along y
} DenseWarp;

CONSTANT(MODE_CELL, 16);  // px, the side of a cell that has modes

// The choice between flow and candidates on a level, for flow_select.
typedef struct {
  int4 level;
  float4 gain;
  int2 size;  // nodes
  int2 cells;
  int spacing;       // texels between nodes
  float cell;        // texels per cell
  float mode_scale;  // texels per px of a mode
  float flow_scale;  // texels per unit of the flow
  float flat_cost;   // the minimum cost per sample
} CandidateChoice;

CONSTANT(CELL_NODES, 8);  // nodes along the side of a cell of the verification
CONSTANT(AREA_REACH, 3);  // cells, of the largest area, on each side

// The measurements of a cell, see verify.clh.
typedef struct {
  // The squared difference between the frames without motion (x) and along the flow (y), both
  // beyond noise and, in grey, beyond their mean; what noise explains (z); by how much the flow
  // reduces the difference (w).
  float4 change;
  // The sum of the confidences by texture; weighted by them, the mean vector (y, z) and the sum of
  // squared deviations from it.
  float4 flow_stats;
  float2 flow_sum;      // of the vectors, weighted by change.w
  float flow_squares;   // of their squares, weighted likewise
  float grey_variance;  // of the change in grey beyond noise, levels²
  float2 row_residual;  // squared change in grey apart from the ratio of its row; the part of it
                        // that noise and that ratio explain
  float contrast;       // variance of grey beyond noise, levels²
  float agreement;      // census: whether the flow explains the change in grey too, beyond
                        // AGREEING_PART, weighted like the flow; 0: unknown
} CellEvidence;

// The verification of the nodes on the finest level, for flow_verify.
typedef struct {
  int4 level;
  float4 gain;
  int2 size;  // nodes
  int2 cells;
  int step;      // texels between nodes
  int keep_all;  // the user set noise=0: the cells show no change
} NodeVerification;

// The field from the last lattice, for flow_upsample.
typedef struct {
  int2 size;     // of the frame, px
  int2 lattice;  // nodes
  int2 cells;
  int shift;       // nodes are 1 << shift px apart
  int spacing;     // nodes between those of the median
  int keep_all;    // as in NodeVerification
  int room;        // elements of the group's memory, float4: for find_keep_factors() or nodes
  int near_cells;  // the same: factors of the cells around the nodes
  int near_nodes;  // float2, then float: nodes of the group
} Upsampling;

// Refinement. An item has two texels of a row.
CONSTANT(REFINE_COLUMNS, 32);            // items along x of a group of refine_step
CONSTANT(REFINE_X, 2 * REFINE_COLUMNS);  // texels of a group's tile
CONSTANT(REFINE_Y, 48);
CONSTANT(REFINE_HALO, 4);    // texels on each side that other tiles have too
CONSTANT(REFINE_SWEEPS, 6);  // with the same weights

// A step on a level, for refine_step.
typedef struct {
  int4 level;
  int2 flow_size;  // texels of the flow before
  int2 shift;      // texels between the first tile, without its halo, and the frame's corner
  int rounds;      // of sweeps
  float ratio;     // texels of the flow before per texel
  float gain;      // noise.clh
} RefinementStep;

// Signatures.
CONSTANT(LATTICE_REACH, 6);                     // px from the centre to the outer points
CONSTANT(SIGNATURE_MARGIN, LATTICE_REACH + 2);  // px of smoothing more
CONSTANT(MOST_MOTION, 63);                      // px along each axis
CONSTANT(MATCH_X, 4);                           // px of a cell, which has at most one vector
CONSTANT(MATCH_Y, 2);
CONSTANT(CONFIRM_X, 2);  // cells on each side of a cell that may confirm its match
CONSTANT(CONFIRM_Y, 4);

// The signatures of two frames, for signatures_find.
typedef struct {
  int2 size;                        // of the frames, px
  int before_pitch, before_offset;  // of the planes; texel (0, 0) is at the offset
  int after_pitch, after_offset;
  int earlier;     // the half of the signatures with the earlier frame
  int known;       // the earlier frame has its signatures
  int slot_count;  // a power of two
  int table;       // the half of the slots in use
  int rows;        // of cells
} SignatureSearch;

// Lucas and Kanade's method.
CONSTANT(TILE_RUN, 4);       // pixels of an item along x in lk_tile
CONSTANT(STRIP_RUN, 8);      // the same in lk_strip
CONSTANT(STRIP_LANES, 128);  // items of a group of lk_strip
CONSTANT(STRIP_WORDS, (STRIP_LANES / STRIP_RUN + 5) / 8 * 8 + 4);  // four sums each: half of a row

// The summary of a field: means over all pixels, in px per frame.
typedef struct {
  float mean_x, mean_y, mean_magnitude, max_magnitude;
  float moving;  // part of the pixels faster than half a pixel
  float confidence;
  float gain;   // px per frame at full brightness
  float rms;    // of the magnitude
  float noise;  // of the frames, standard deviation in levels; -1: unknown
} FlowSummary;

INTERFACE_END
#endif
