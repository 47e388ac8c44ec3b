// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups blocks of a frame that move alike, while the camera moves. docs/methods/objects.md has the
// rules. Build with -DITEMS=n, the items of a group, a power of two.
#include "camera/interface.h"
#include "camera/similarity.clh"
#include "motion/plane.clh"
#include "objects/regionlist.clh"
#include "objects/tuned.clh"
#include "objects/unionfind.clh"

// The sums of three numbers over a group, in item 0.
inline void sum_up(__local int (*sums)[3], int item) {
  for (int step = ITEMS / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < step)
      for (int i = 0; i < 3; i++) sums[item][i] += sums[item + step][i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The number of foreground pixels in a block of the reduced frame that an item counts.
inline int foreground_of(__global const uchar *foreground, BlockGrid grid, int2 block, int item) {
  const int2 from = block * grid.reduced_side,
             size = clamp(grid.reduced_size - from, (int2)(0), (int2)(grid.reduced_side));
  int count = 0;
  for (int i = item; i < size.x * size.y; i += ITEMS) {
    const int2 p = from + (int2)(i % size.x, i / size.x);
    count += foreground[p.y * grid.reduced_size.x + p.x] > OVERLAY;
  }
  return count;
}

// The motion of each block relative to the camera, px of frames. A block moves by itself if its own
// vector predicts it better than the camera's motion, and part of it is foreground. Labels it with
// its index then, others with -1; clears `sizes`. `field`: forward vectors in quarter pixels.
// `foreground`: of the reduced frame. A work-group per block.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void objects_block_motion(
    __global const uchar *current, __global const uchar *previous, __global const short2 *field,
    __global const CameraState *state, __global const uchar *foreground, __global float2 *motion,
    __global int *labels, __global int *sizes, BlockGrid grid) {
  __local int sums[ITEMS][3];
  const int item = get_local_id(0);
  const int2 block = (int2)(get_group_id(0), get_group_id(1));
  const int at = block.y * grid.blocks.x + block.x, pitch = grid.pitch;
  const int2 middle = min(block * grid.side + grid.side / 2, grid.size - 1),
             cell = min(middle / grid.cell, grid.cells - 1);
  const float2 own = convert_float2(field[cell.y * grid.cells.x + cell.x]) / 4.0f;
  const float2 z = convert_float2(2 * middle - grid.size) / 2.0f;
  const float4 step = state->frame_motion;
  const float2 camera = vector_at(step, z - vector_at(step, z)), relative = own - camera;
  const float pan = length(camera), speed = length(relative);
  const bool may_move =
      !state->model_empty && pan >= LEAST_PAN && speed > fmax(LEAST_SPEED, SPEED_PART * pan);
  // All items of the group agree. Most blocks end here.
  if (!may_move) {
    if (item == 0) motion[at] = relative, labels[at] = -1, sizes[at] = 0;
    return;
  }
  const int2 by_own = middle - convert_int2_rte(own),
             by_camera =
                 middle - clamp(convert_int2_rte(camera), (int2)(-MAX_VECTOR), (int2)(MAX_VECTOR));
  int own_sum = 0, camera_sum = 0;
  for (int i = item; i < COMPARED * COMPARED; i += ITEMS) {
    const int2 offset = (int2)(i % COMPARED, i / COMPARED) - COMPARED / 2,
               here = min(middle + offset, grid.size - 1), there = by_own + (here - middle),
               static_place = by_camera + (here - middle);
    const int level = current[AT(here.x, here.y, pitch)];
    own_sum += abs(level - (int)previous[AT(there.x, there.y, pitch)]);
    camera_sum += abs(level - (int)previous[AT(static_place.x, static_place.y, pitch)]);
  }
  sums[item][0] = own_sum, sums[item][1] = camera_sum;
  sums[item][2] = foreground_of(foreground, grid, block, item);
  sum_up(sums, item);
  if (item != 0) return;
  const bool moves = sums[0][1] - sums[0][0] >= LEAST_GAIN * COMPARED * COMPARED &&
                     sums[0][2] >= LEAST_FOREGROUND * grid.reduced_side * grid.reduced_side;
  motion[at] = relative;
  labels[at] = moves ? at : -1;
  sizes[at] = 0;
}

// Joins moving blocks at most `reach` apart that move alike. A work-item per block.
__kernel void objects_join_blocks(__global const float2 *motion, __global volatile int *labels,
                                  BlockGrid grid) {
  const int2 block = (int2)(get_global_id(0), get_global_id(1)), count = grid.blocks;
  if (any(block >= count)) return;
  const int at = block.y * count.x + block.x, reach = grid.reach;
  if (labels[at] < 0) return;
  const float2 own = motion[at];
  for (int y = max(block.y - reach, 0); y <= block.y; y++)
    for (int x = max(block.x - reach, 0); x <= min(block.x + reach, count.x - 1); x++) {
      const int other = y * count.x + x;
      if (other >= at || labels[other] < 0) continue;
      const float speed = fmax(length(own), length(motion[other]));
      if (length(own - motion[other]) <= ALIKE + ALIKE_PART * speed) join(labels, at, other);
    }
}

// Counts the blocks of each group, in `sizes` at its first block. A work-item per block.
__kernel void objects_count_blocks(__global volatile int *labels, __global volatile int *sizes,
                                   BlockGrid grid) {
  const int2 block = (int2)(get_global_id(0), get_global_id(1)), count = grid.blocks;
  if (any(block >= count)) return;
  const int at = block.y * count.x + block.x;
  if (labels[at] >= 0) atomic_inc(&sizes[root_of(labels, at)]);
}

// The number of a block's group: its first block + 1; 0 without a group of GROUP_BLOCKS.
inline int group_of(__global volatile int *labels, __global const int *sizes, int at) {
  if (labels[at] < 0) return 0;
  const int root = root_of(labels, at);
  return sizes[root] >= GROUP_BLOCKS ? root + 1 : 0;
}

// Numbers the groups of at least GROUP_BLOCKS. `groups` is the first block of a moving block's
// group
// + 1. It is the negative number for blocks next to a group, otherwise 0. Clears `first`, the first
// cell of each group. A work-item per block.
__kernel void objects_number_blocks(__global volatile int *labels, __global const int *sizes,
                                    __global int *groups, __global int *first, BlockGrid grid) {
  const int2 block = (int2)(get_global_id(0), get_global_id(1)), count = grid.blocks;
  if (any(block >= count)) return;
  const int at = block.y * count.x + block.x;
  first[at] = INT_MAX;
  int group = group_of(labels, sizes, at);
  const int2 from = max(block - 1, 0), to = min(block + 1, count - 1);
  for (int y = from.y; y <= to.y && !group; y++)
    for (int x = from.x; x <= to.x && !group; x++)
      group = -group_of(labels, sizes, y * count.x + x);
  groups[at] = group;
}
