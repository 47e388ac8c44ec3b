// SPDX-License-Identifier: LGPL-2.1-or-later
// The numbers of each line of an area: out[first + (channel * COLUMN_VALUES + which) * height +
// line]. A line has the chroma samples that it shares with its neighbours. Build options: those of
// scopes/values.clh, MODE of count.cl, and
//   GROUP  work-items of a group. Groups along x have a line each, along y a channel.
#include "scopes/columns.clh"
#include "scopes/interface.h"
#include "scopes/values.clh"

#if MODE == LUMA
#define VALUE_AT(across, down, channel) LUMA_AT(in, across, down)
#elif MODE == RGB
#define VALUE_AT(across, down, channel) of_channel(RGB_AT(in, across, down), channel)
#else
#define VALUE_AT(across, down, channel) \
  ((channel) ? of_chroma(CHROMA_AT(in, across, down), channel) : LUMA_AT(in, across, down))
#endif

inline int of_channel(int4 values, int channel) {
  return channel == 0 ? values.x : channel == 1 ? values.y : values.z;
}

inline int of_chroma(int2 chroma, int channel) { return channel == 1 ? chroma.x : chroma.y; }

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scope_lines(IN_PLANES(in),
                                                                             __global uint *out,
                                                                             int4 area, Legal how,
                                                                             int first) {
  __local uint shared[COLUMN_VALUES];
  const int lane = get_local_id(0), line = get_group_id(0), channel = get_group_id(1);
  const int shift = MODE == YCBCR && channel ? CHROMA_SHIFT : 0, left = area.x >> shift,
            width = samples_of(area.x, area.z, shift), y = (area.y + line) >> shift,
            black = of_channel(how.black, channel), white = of_channel(how.white, channel);
  if (!lane)
    for (int i = 0; i < COLUMN_VALUES; i++) shared[i] = i == COLUMN_LEAST ? how.levels - 1 : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint least = how.levels - 1, most = 0, sum = 0, below = 0, above = 0;
  for (int i = lane; i < width; i += GROUP) {
    const int value = VALUE_AT(left + i, y, channel);
    least = min(least, (uint)value), most = max(most, (uint)value);
    sum += value;
    below += value < black;
    above += value > white;
  }
  atomic_min(&shared[COLUMN_LEAST], least);
  atomic_max(&shared[COLUMN_MOST], most);
  atomic_add(&shared[COLUMN_SUM], sum);
  atomic_add(&shared[COLUMN_BELOW], below);
  atomic_add(&shared[COLUMN_ABOVE], above);
  barrier(CLK_LOCAL_MEM_FENCE);
  out += first + channel * COLUMN_VALUES * area.w + line;
  if (!lane)
    for (int i = 0; i < COLUMN_VALUES; i++) out[i * area.w] = shared[i];
}
