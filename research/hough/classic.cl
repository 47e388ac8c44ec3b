// SPDX-License-Identifier: LGPL-2.1-or-later
// The generalised Hough transform (Ballard 1981). For every rotation and scale, each edge of a
// picture votes for possible positions of the shape's middle. There is one for each of the shape's
// edges of that direction.
#include "hough/edgepair.clh"

// Votes of one rotation, in a plane for each scale. Edges of both pictures are sorted by direction,
// with where those of each direction begin. `rotations`: as edge_pairs_shift has them. `space`:
// zeroed.
__kernel void classic_vote(__global const uint *restrict before_indices,
                           __global const uint *restrict before_begins, int2 before_size,
                           __global const uint *restrict after_indices,
                           __global const uint *restrict after_begins, int2 after_size,
                           __global const int2 *restrict rotations, int rotation,
                           __global uint *restrict space) {
  const int i = get_global_id(0), scale = get_global_id(1);
  if (i >= (int)after_begins[STEPS] || scale >= SCALES) return;
  int direction = 0;  // of edge i
  for (int add = 64; add > 0; add /= 2)
    if (direction + add < STEPS && (int)after_begins[direction + add] <= i) direction += add;
  const int from = (direction - rotation + STEPS) % STEPS;
  const int2 rotated = rotations[scale * STEPS + rotation],
             at = point_at(after_indices[i], after_size.x);
  __global uint *plane = space + scale * after_size.x * after_size.y;
  for (uint k = before_begins[from]; k < before_begins[from + 1]; k++)
    vote(plane, after_size, 0, at + vector_to_centre(before_indices[k], before_size, rotated));
}
