// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral grid on images, for GPUs. Splatting gathers: a work-item is a cell of an interval and
// goes through all of the interval's pixels, which the group keeps in local memory; a pixel too far
// along z weighs nothing. So no two work-items write to one place, and the time does not depend on what
// the frame shows. Build as grid.clh says.
#include "bilateral/grid.clh"
#include "bilateral/image.clh"

#if CHANNELS == 1
#define HOMOGENEOUS(texel, channel) ((CELL)((texel).xyz, 1.0f))
#define RANGE_OF(texel, channel) (texel).w
#else
#define CHANNEL(texel, channel) ((channel) == 0 ? (texel).x : (channel) == 1 ? (texel).y : (texel).z)
#define HOMOGENEOUS(texel, channel) ((CELL)(CHANNEL(texel, channel), 1.0f))
#define RANGE_OF(texel, channel) (CHANNEL(texel, channel) * scale)
#endif

inline float4 splat_texel(__read_only image2d_t in, int2 at, float4 range) {
  float4 texel = rint(255.0f * read_imagef(in, pixel_sampler, at));
  texel.w = dot(texel.xyz, range.xyz);
  return texel;
}

// As in the form for buffers. A group has `stretch` nodes and goes through stretch + 1 intervals.
// `tile`: `tile_rows` rows of their pixels; `corners`: four cells per cell of an interval. Work-items:
// groups along x, bands along y; the group's height must be 1.
__kernel void grid_splat(__read_only image2d_t in, __global CELL *sums, float4 range, float cell,
                         float inverse, int planes, int nodes, int bands, int stretch, int tile_rows,
                         __local float4 *tile, __local CELL *corners) {
  const int lane = get_local_id(0), lanes = get_local_size(0);
  const int first = (int)get_group_id(0) * stretch, band = get_global_id(1);
  const int2 rows = band_rows(band, bands, cell);
  const int y_interval = band / bands - REACH - 1;
  const int left = first_pixel(first - 1 - REACH, cell);
  const int side = first_pixel(first + stretch - REACH, cell) - left;
  const int used = planes - REACH, interval_cells = CHANNELS * used;
  const int cells = (stretch + 1) * interval_cells;

  for (int start = 0; start < cells; start += lanes) {
    const int item = start + lane;
    const bool active = item < cells;
    const int interval = first - 1 - REACH + item / interval_cells;
    const int channel = item / used % CHANNELS;
    const float z = item % used;
    const float scale = channel == 0 ? range.x : channel == 1 ? range.y : range.z;
    const int x_first = first_pixel(interval, cell);
    const int x_last = active ? first_pixel(interval + 1, cell) : x_first;
    CELL above_left = 0.0f, above_right = 0.0f, below_left = 0.0f, below_right = 0.0f;

    for (int y = rows.x; y < rows.y; y += tile_rows) {
      const int height = min(tile_rows, rows.y - y);
      for (int i = lane; i < height * side; i += lanes)
        tile[i] = splat_texel(in, (int2)(left + i % side, y + i / side), range);
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int row = 0; row < height; row++) {
        __local const float4 *texels = tile + row * side - left;
        CELL sum = 0.0f, right = 0.0f;
        float place = x_first * inverse - interval;
        for (int x = x_first; x < x_last; x++, place += inverse) {
          const float4 texel = texels[x];
          const float weight = clamp(1.0f - fabs(RANGE_OF(texel, channel) - z), 0.0f, 1.0f);
          const float weight_right = weight * place;
          sum += weight * HOMOGENEOUS(texel, channel);
          right += weight_right * HOMOGENEOUS(texel, channel);
        }
        const float f = (y + row) * inverse - y_interval, e = 1.0f - f;
        const CELL sum_left = sum - right;
        above_left += e * sum_left, above_right += e * right;
        below_left += f * sum_left, below_right += f * right;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (active) {
      corners[item] = above_left;
      corners[cells + item] = above_right;
      corners[2 * cells + item] = below_left;
      corners[3 * cells + item] = below_right;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int count = min(stretch, nodes - first) * NODE_CELLS;
  __global CELL *above = sums + ((size_t)band * 2 * nodes + first) * NODE_CELLS;
  __global CELL *below = above + (size_t)nodes * NODE_CELLS;
  for (int i = lane; i < count; i += lanes) {
    const int before = i / planes * used + i % planes;  // in the interval before the node
    const bool empty = i % planes >= used;
    above[i] = empty ? (CELL)(0.0f) : corners[cells + before] + corners[before + interval_cells];
    below[i] = empty ? (CELL)(0.0f)
                     : corners[3 * cells + before] + corners[2 * cells + before + interval_cells];
  }
}

// `in` gives the colours to look up, `original` alpha and the unfiltered side of the split.
__kernel void grid_slice(__read_only image2d_t in, __read_only image2d_t original,
                         __write_only image2d_t out, __global const CELL *grid, float4 range,
                         float inverse, int planes, int row_cells, int split) {
  const int2 size = get_image_dim(in);
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (any(at >= size)) return;
  float4 pixel = read_imagef(original, pixel_sampler, at);
  if (at.x >= split) {
    const float3 levels = rint(255.0f * read_imagef(in, pixel_sampler, at).xyz);
    const float3 mean = slice(grid, levels, at.x, at.y, range, inverse, planes, row_cells);
    pixel = filtered_pixel(mean, pixel.w, at.x, size.x, split);
  }
  write_imagef(out, at, pixel);
}
