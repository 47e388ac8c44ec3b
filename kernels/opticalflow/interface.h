// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants and structs that the optical flow and its kernels share.
#ifndef OPTICALFLOW_INTERFACE_H
#define OPTICALFLOW_INTERFACE_H
#include "common/interface.h"

INTERFACE(opticalflow)

// Pyramids.
CONSTANT(BORDER, 2);       // texels on every side of a level; they repeat its edge
CONSTANT(COARSEST_X, 16);  // texels per group of flow_grey, of the coarsest level
CONSTANT(COARSEST_Y, 8);
CONSTANT(CENSUS_ROWS, 4);  // texels of a column per item of flow_census

// Half of a symmetric window along an axis: tap[i] is the weight at a distance of i nodes, up to
// RADIUS.
typedef struct {
  float tap[8];
} Window;

// A lattice of nodes on a pyramid level. The table starts with the finest lattice.
typedef struct {
  int4 level;                 // level.clh
  float4 gain;                // of the level, see noise.clh
  int2 size;                  // nodes
  int step;                   // texels between nodes
  int first_tensor;           // index of its first node in tensors, residuals, slopes
  int first_tile, last_tile;  // last_tile is the next lattice's first one
} LatticeLevel;

// Rows whose change of brightness is measured.
CONSTANT(ROW_SPACING, 2);  // px between them
CONSTANT(ROW_ITEMS, 64);   // items per row

// Counters of a frame pair, cleared by sum_tensor_tiles().
typedef struct {
  uint changed_cells;    // cells that changed
  uint consistent;       // changed cells in consistent strips
  uint rolling;          // 0 to 1000: how much brightness rolls through the rows
  uint finished_groups;  // groups that finished find_row_ratios(); 0 before and after
  uint edge_cells;       // cells of `consistent` at the edge
  int agreement;         // the sum of grey_agreement() in thousandths
} FrameTally;

// The tables of a frame pair, in one buffer: a FrameTally; the ratio by which the grey of each
// ROW_SPACING-th row changed, float; three tables with an element per node of all lattices. These
// start at the indices `tensors`, `slopes` and `residuals` of the buffer, counted in floats.
// Tensors and slopes are float4, residuals float; slopes are for grey only.
typedef struct {
  int tensors, slopes, residuals;
} FlowTables;

// The tensors of all lattices and the ratios of the rows, for flow_tensors.
typedef struct {
  FlowTables tables;
  Window finest_window, other_window;  // of the finest lattice; of the others
  int2 side;                           // nodes of a group's tile
  int tiles;                           // the last groups, with one tile each
  int rows, row_spacing;  // rows in all; rows over which rolling brightness differs little
  float alpha;            // level.clh
  int strip;              // local elements for the tile; sums along y follow
} TensorSums;

// Steps of the solver on a lattice, for flow_warp.
typedef struct {
  int4 level;
  float4 gain;
  Window window;
  int2 size, flow_size, side;  // nodes: of the lattice, the input flow, a group's tile
  int step, first_tensor;      // as in TableRow
  int shift;                   // 1 if the input flow's nodes are twice as far apart, else 0
  int warps;                   // number of steps
  int spacing;                 // nodes between samples of the median
  float scale;                 // factor that converts the input flow to texels of the level
  float spread;                // the sum of the squared weights of the window
  float alpha;
  FlowTables tables;
} Warp;

// Steps of the solver on the lattices number `from` down to `to`, for flow_fused.
typedef struct {
  TensorSums sums;
  int2 flow_size;
  int from, to;
  int warps, spacing;
  float scale, spread;
  int nodes;  // local index, in float2, of the flow at a step's start
} FusedWarp;

// The last step, with all texels of the finest level, for flow_dense.
typedef struct {
  int4 level;
  float4 gain;
  Window window;
  int2 size, flow_size, side;  // as in Warp
  int2 coarse_size;            // of flow_warp's finest lattice, nodes twice as far apart
  int step;                    // texels between the four texels of a node
  int spacing;
  float scale, spread, alpha;
  float half_confidence;  // the smaller eigenvalue at which the confidence is a half, without noise
  int tile, strip;        // local elements for the tile and for sums along y
  FlowTables tables;
} DenseWarp;

CONSTANT(MODE_CELL, 16);  // px, the side of a cell of flow_modes

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
CONSTANT(AREA_REACH, 3);  // cells on each side of the centre in the largest area

// The measurements of a cell, see verify.clh.
typedef struct {
  // Sums of squared differences between the frames, x without motion and y along the flow. Both
  // exclude noise and, in grey, the mean difference. z: the part that noise explains. w: by how
  // much the flow reduces the difference.
  float4 change;
  // x: the sum of the texture confidences. yz: the mean vector, weighted by them. w: the weighted
  // sum of squared deviations from that mean.
  float4 flow_stats;
  float2 flow_sum;      // sum of the vectors, each weighted by its part of change.w
  float flow_squares;   // sum of their squares, weighted likewise
  float grey_variance;  // variance of the change in grey beyond noise, levels²
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
  int keep_all;  // for noise=0: nothing is measured, all flow is kept
} NodeVerification;

// The field from the last lattice, for flow_upsample.
typedef struct {
  int2 size;     // of the frame, px
  int2 lattice;  // nodes
  int2 cells;
  int shift;           // nodes are 1 << shift px apart
  int spacing;         // nodes between samples of the median
  int keep_all;        // as in NodeVerification
  int factors_offset;  // local float4 elements for find_keep_factors(), later for nodes
  int near_cells;      // local float4 elements for the factors of the cells around them
  int near_nodes;      // local float2, then float elements, one per node
} Upsampling;

// Refinement. An item processes two adjacent texels of each of its rows.
CONSTANT(REFINE_COLUMNS, 32);            // items along x of a group of refine_step
CONSTANT(REFINE_X, 2 * REFINE_COLUMNS);  // texels of a group's tile
CONSTANT(REFINE_Y, 48);
CONSTANT(REFINE_HALO, 4);    // texels on each side that overlap other tiles
CONSTANT(REFINE_SWEEPS, 6);  // with the same smoothness weights

// A step on a level, for refine_step.
typedef struct {
  int4 level;
  int2 flow_size;  // of the input flow, texels
  int2 shift;      // texels from the first tile's own part to the frame's corner
  int rounds;      // of sweeps
  float ratio;     // input texels per output texel
  float gain;      // of the level, see noise.clh
} RefinementStep;

// Signatures.
CONSTANT(LATTICE_REACH, 6);                     // px from the centre to the outer points
CONSTANT(SIGNATURE_MARGIN, LATTICE_REACH + 2);  // px; the smoothing adds its radius
CONSTANT(MOST_MOTION, 63);                      // px along each axis
CONSTANT(MATCH_X, 4);                           // px of a cell; a cell has at most one vector
CONSTANT(MATCH_Y, 2);
CONSTANT(CONFIRM_X, 2);  // cells on each side of a cell that may confirm its match
CONSTANT(CONFIRM_Y, 4);

// The signatures of two frames, for signatures_find.
typedef struct {
  int2 size;                        // of the frames, px
  int before_pitch, before_offset;  // of the planes; texel (0, 0) is at the offset
  int after_pitch, after_offset;
  int earlier_half;   // half of the signatures, 0 or 1, with the earlier frame
  int earlier_known;  // 1 if the earlier frame already has its signatures
  int slot_count;     // a power of two
  int table_half;     // half of the slots in use, 0 or 1
  int rows;           // rows of cells
} SignatureSearch;

// Lucas and Kanade's method.
CONSTANT(TILE_RUN, 4);       // pixels of an item along x in lk_tile
CONSTANT(STRIP_RUN, 8);      // the same in lk_strip
CONSTANT(STRIP_LANES, 128);  // items of a group of lk_strip
CONSTANT(STRIP_WORDS,
         (STRIP_LANES / STRIP_RUN + 5) / 8 * 8 + 4);  // of four sums each, for half of a row

// The summary of a field: means over all pixels, in px per frame.
typedef struct {
  float mean_x, mean_y, mean_magnitude, max_magnitude;
  float moving;  // fraction of the pixels faster than half a pixel
  float confidence;
  float gain;   // px per frame at full brightness
  float rms;    // of the magnitude
  float noise;  // of the frames, standard deviation in levels; -1: unknown
} FlowSummary;

INTERFACE_END
#endif
