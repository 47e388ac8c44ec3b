// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the output of glclhistogram: the frame, optionally equalised, with the histogram over it.
#include "common/frame.clh"
#include "common/sum.clh"
#include "drawing/font.clh"
#include "histogram/equalize.clh"
#include "histogram/interface.h"

// The scale of heights in the plot, 0..65535. The fullest counter has 65535. Or the 95th percentile
// has `level`, if that makes bars higher.
typedef struct {
  int logarithmic;
  uint top, whole;
  float log_scale;
} Scale;

// These add the values of all 256 items of a group to `sum`, or raise `most` to their maximum. Both
// must be 0 before.
inline void add_up(uint value, int lane, __local uint *sum) {
#ifdef WARP_TOTAL
  value = warp_total(value);
  if (lane % 32 == 0) atomic_add(sum, value);
#else
  if (value) atomic_add(sum, value);
#endif
}
inline void find_most(uint value, int lane, __local uint *most) {
#ifdef WARP_TOTAL
  value = warp_most(value);
  if (lane % 32 == 0) atomic_max(most, value);
#else
  atomic_max(most, value);
#endif
}

// The 95th percentile of the non-empty counters, at least 1. It is found two bits at a time, from
// the highest bits on. All items of a group of 256 call it with their `own` counters. `sums` has 16
// zeros.
inline uint usual_count(const uint own[CHANNELS], uint fullest, uint filled, int lane,
                        __local uint *sums) {
  const uint above = filled / 20;
  uint usual = 0;
  for (int bit = (31 - clz(fullest)) & ~1; bit >= 0; bit -= 2) {
    // The number of counters that reach each of three values, 10 bits each.
    uint reach = 0;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
#pragma unroll
      for (uint k = 0; k < 3; k++) reach += (own[i] >= (usual | (k + 1) << bit)) << 10 * k;
    add_up(reach, lane, &sums[bit / 2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint all = sums[bit / 2];
    usual |=
        (uint)((all & 1023) > above ? (all >> 10 & 1023) > above ? all >> 20 > above ? 3 : 2 : 1
                                    : 0)
        << bit;
  }
  return max(usual, 1u);
}

// The scale that puts the 95th percentile at `level` or higher; with 0 the fullest counter fills
// the plot. All items of a group of 256 call it, for up to CHANNELS × 256 counters. `sums`: 18
// local words.
inline Scale scale_of(__global const uint *counts, int counters, int logarithmic, int level,
                      int lane, __local uint *sums) {
  uint own[CHANNELS], most = 1, filled = 0;
#pragma unroll
  for (int i = 0; i < CHANNELS; i++) {
    own[i] = lane + i * BINS < counters ? counts[lane + i * BINS] : 0;
    most = max(most, own[i]);
    filled += own[i] > 0;
  }
  if (lane < 18) sums[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  find_most(most, lane, &sums[16]);
  add_up(filled, lane, &sums[17]);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint fullest = sums[16];
  const uint usual = level ? usual_count(own, fullest, sums[17], lane, sums) : 1;
  const bool cut = (ulong)level * fullest > 65535ul * usual;
  const Scale scale = {logarithmic, cut ? level : 65535, cut ? usual : fullest,
                       max(65535.0f / log(1.0f + fullest), level / log(1.0f + usual))};
  return scale;
}

inline uint height_of(const Scale *scale, uint count) {
  return scale->logarithmic ? convert_ushort_sat_rte(log(1.0f + count) * scale->log_scale)
                            : (uint)min((ulong)count * scale->top / scale->whole, 65535ul);
}

// Lists the fullest counters in descending order; equal ones by number. Each has its number, its
// fraction of the fullest one, 0..65535, and its fraction of all, in thousandths. Empty ones have a
// fraction of 0. One group of 256.
__kernel __attribute__((reqd_work_group_size(BINS, 1, 1))) void display_fullest(
    __global const uint *counts, int counters, int logarithmic, int rows,
    __global ushort4 *fullest) {
  __local uint all[MOST_COUNTERS], most[BINS], sums[BINS];
  __local ushort where[BINS];
  const int lane = get_local_id(0);
  uint sum = 0, top = 1;
  for (int i = lane; i < counters; i += BINS) sum += all[i] = counts[i];
  sums[lane] = sum;
  for (int reach = BINS / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < reach) sums[lane] += sums[lane + reach];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong whole = max(sums[0], 1u);
  for (int row = 0; row < rows; row++) {
    uint own = 0, at = lane;
    for (int i = lane; i < counters; i += BINS)
      if (all[i] > own) own = all[i], at = i;
    most[lane] = own;
    where[lane] = (ushort)at;
    for (int reach = BINS / 2; reach > 0; reach /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < reach) {
        const uint other = most[lane + reach];
        if (other > most[lane] || (other == most[lane] && where[lane + reach] < where[lane])) {
          most[lane] = other;
          where[lane] = where[lane + reach];
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = most[0], bin = where[0];
    if (!row) top = max(count, 1u);
    const uint length = logarithmic ? (uint)(log(1.0f + count) / log(1.0f + top) * 65535.0f + 0.5f)
                                    : (uint)((ulong)count * 65535 / top);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!lane) {
      fullest[row] = (ushort4)((ushort)bin, (ushort)min(length, 65535u),
                               (ushort)((2000ul * count + whole) / (2 * whole)), 0);
      all[bin] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The part of a pixel that a number covers; see glyph_cover().
inline float number_cover(int number, int x, int y, int unit) {
  const int digits = number < 10 ? 1 : number < 100 ? 2 : 3, at = x / (6 * unit);
  if (x < 0 || at >= digits) return 0.0f;
  for (int i = at + 1; i < digits; i++) number /= 10;
  return glyph_cover(number % 10, x - 6 * unit * at, y, unit);
}

// Colours of the panel are premultiplied.
inline float4 blended(float4 below, float3 colour, float part) {
  return below + ((float4)(colour, 1.0f) - below) * part;
}

inline bool separate(Panel p) { return p.display != OVERLAY && p.channels > 1; }

// The height of a plot in px, without the labels below it.
inline int plot_height(Panel p) {
  const int height = separate(p) && p.display == STACKED ? max(p.area.w / p.channels, 1) : p.area.w;
  return max(height - 14 * p.unit, 1);
}

// True if `at` is on one of the five lines that divide `size` px.
inline bool on_line(int at, int size, int line) {
  bool on = false;
  for (int i = 0; i <= 4; i++) {
    const int from = min(size * i / 4, size - line);
    on |= at >= from && at < from + line;
  }
  return on;
}

// A column of the panel: its position and width in its plot, and the number of the plot if plots
// are side by side. It also has whether it lies on a grid line, and the heights of the channels,
// px.
typedef struct {
  int x, width, plot, line;
  int heights[CHANNELS];
} Column;

inline Column column_of(Panel p, __global const uint *counts, const Scale *scale, int x) {
  Column column = {x, p.area.z, 0, 0, {0, 0, 0}};
  if (separate(p) && p.display == PARADE) {
    column.width = max(column.width / p.channels, 1);
    column.plot = min(x / column.width, p.channels - 1);
    column.x -= column.plot * column.width;
  }
  column.x -= 3 * p.unit;
  column.width = max(column.width - 6 * p.unit, 1);
  if (p.axis || column.x < 0 || column.x >= column.width) return column;
  const int from = (int)((long)column.x * p.levels / column.width);
  const int to = max(from + 1, (int)((long)(column.x + 1) * p.levels / column.width));
  for (int channel = 0; channel < p.channels; channel++) {
    uint most = 0;
    for (int i = from; i < to; i++) most = max(most, counts[channel * p.levels + i]);
    column.heights[channel] =
        (int)(((ulong)height_of(scale, most) * plot_height(p) + 65534) / 65535);
  }
  column.line = on_line(column.x, column.width, max(1, p.unit / 2));
  return column;
}

// The colour of a pixel of the bars of the fullest colours, with their fractions in per cent.
inline float4 colour_bars(Panel p, __global const ushort4 *fullest, Column column, int y) {
  const int u = p.unit, x = column.x, height = max(p.area.w - 6 * u, 1),
            row_height = max(height / p.rows, 1);
  const float4 backdrop = (float4)(p.background.xyz, 1.0f) * p.background.w;
  y -= 3 * u;
  if (x < 0 || y < 0 || x >= column.width || y >= row_height * p.rows) return backdrop;
  const int row = y / row_height, row_y = y % row_height;
  const ushort4 bar = fullest[row];
  if (!bar.y) return backdrop;
  const bool labelled = column.width >= 49 * u && row_height >= 9 * u;
  const int left = labelled ? 37 * u : 0;
  const int gap = row_height > 2 ? max(min(u, row_height / 4), 1) : 0;
  if (x >= left && row_y < row_height - gap &&
      (long)(x - left) * 65535 < max((long)bar.y * (column.width - left), 65535L)) {
    const int bin = bar.x, axis = p.axis;
    return (float4)((float3)(bin / (axis * axis), bin / axis % axis, bin % axis) *
                            (0.85f / (axis - 1)) +
                        0.15f,
                    1.0f);
  }
  if (labelled && x < 36 * u) {
    const int place = x / u / 6, text_y = (row_y - (row_height - gap - 7 * u) / 2);
    const int glyph = place == 5 ? GLYPH_PERCENT : tenths_character(bar.z, place);
    if (glyph >= 0)
      return blended(backdrop, p.foreground.xyz,
                     p.foreground.w * glyph_cover(glyph, x % (6 * u), text_y, u));
  }
  return backdrop;
}

// The colour of a pixel of the panel in a column, `y` px below its upper edge.
inline float4 panel_color(Panel p, __global const ushort4 *fullest, Column column, int y) {
  if (p.axis) return colour_bars(p, fullest, column, y);
  const int x = column.x, width = column.width, u = p.unit, height = plot_height(p);
  int plot = column.plot;
  if (separate(p) && p.display == STACKED) {
    const int whole = max(p.area.w / p.channels, 1);
    plot = min(y / whole, p.channels - 1);
    y -= plot * whole;
  }
  y -= 3 * u;
  // Labels are drawn if a letter and the labels of both ends fit.
  const bool labelled = width >= 24 * u && height >= 11 * u;
  float4 color = (float4)(p.background.xyz, 1.0f) * p.background.w;

  if (labelled && y >= height + u) {
    // As many labels as fit: at the quarters, at the centre and both ends, or at the ends.
    const int row = y - height - 2 * u, labels = width < 60 * u ? 2 : width < 108 * u ? 3 : 5;
    if (row < 0) return color;
    for (int i = 0; i < labels; i++) {
      const int value = i == labels - 1 ? 255 : i * 256 / (labels - 1);
      const int size = (value < 10    ? 5
                        : value < 100 ? 11
                                      : 17) *
                       u,
                tick = width * i / (labels - 1);
      const int left = i == 0 ? 0 : i == labels - 1 ? width - size : tick - size / 2;
      const float cover = number_cover(value, x - left, row, u);
      if (cover > 0.0f) return blended(color, p.foreground.xyz, p.foreground.w * cover);
    }
    return color;
  }
  if (x < 0 || y < 0 || x >= width || y >= height) return color;

  int filled = 0;
  float3 bars = (float3)(0.0f, 0.0f, 0.0f);
  for (int channel = 0; channel < p.channels; channel++) {
    if (separate(p) && channel != plot) continue;
    if (height - 1 - y >= column.heights[channel]) continue;
    filled++;
    bars += p.channels == 1 ? 0.9f * p.foreground.xyz
                            : (float3)(channel == 0, channel == 1, channel == 2) * 0.75f + 0.15f;
  }
  if (filled) color = (float4)(min(bars, 1.0f), 1.0f);
  if (column.line || on_line(y, height, max(1, u / 2)))
    color = filled ? blended(color, p.background.xyz, 0.2f)
                   : blended(color, p.foreground.xyz, 0.25f * p.foreground.w);
  // The letter of the channel, if the channel has a plot of its own.
  const int letter = p.channels == 1 ? GLYPH_Y : GLYPH_R + plot;
  if (labelled && (separate(p) || p.channels == 1) && x >= 2 * u && y >= 2 * u && x < 8 * u &&
      y < 10 * u)
    color = blended(color, p.foreground.xyz,
                    p.foreground.w * glyph_cover(letter, x - 2 * u, y - 2 * u, u));
  return color;
}

// Equalises levels 0..255 and keeps alpha. It takes an int4, because LLVM in PoCL 6 aborts for an
// int3 that a kernel may skip.
inline int4 equalized(int4 level, int how, __local const uchar *table) {
  if (how == EQUALIZE_RGB)
    return (int4)(table[level.x], table[BINS + level.y], table[2 * BINS + level.z], level.w);
  const int luma = (77 * level.x + 150 * level.y + 29 * level.z + 128) >> 8;
  return (int4)(clamp(level.xyz + (table[luma] - luma), 0, 255), level.w);
}

// Rows that an item loads at once.
#ifdef BUFFERS
#define AT_ONCE 1
#else
#define AT_ONCE 4
#endif

// The position of an item in a group of 32 × 8. In images, adjacent items fill 16 columns of two
// rows, as textures lie in memory.
inline int2 place_in_group() {
  const int x = get_local_id(0), y = get_local_id(1);
#ifdef BUFFERS
  return (int2)(x, y);
#else
  return (int2)((y % 2) * 16 + x % 16, y / 2 * 2 + x / 16);
#endif
}

// Draws a part of the frame. A work-item has every n-th row of a column; n is the number of
// work-items along y. A group has 256 items.
__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void present(
    IN_FRAME(in), OUT_FRAME(out), __global const uint *equalize_counts, __global const uint *counts,
    __global const ushort4 *fullest, Presentation how) {
  const Panel p = how.panel;
  const int4 panel = p.area, part = how.part;
  const int equalize = how.equalize, display = p.display, axis = p.axis, overlay = how.overlay;
  __local uint bins[CHANNELS * BINS], sums[CHANNELS * BINS / RUN], first[CHANNELS];
  __local uchar tables[CHANNELS * BINS];
  const int lane = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const int2 place = place_in_group();
  const int x = part.x + (int)(get_group_id(0) * get_local_size(0)) + place.x,
            inside = min(x, part.x + part.z - 1);
  const int first_y = part.y + (int)(get_group_id(1) * get_local_size(1)) + place.y,
            left = x - panel.x;
  const int step = get_global_size(1), end = part.y + part.w;
  int4 levels[AT_ONCE];
#pragma unroll
  for (int i = 0; i < AT_ONCE; i++)
    levels[i] = LOAD_LEVELS(in, inside, min(first_y + i * step, end - 1));
  if (equalize)
    make_tables(equalize_counts, equalize == EQUALIZE_RGB ? CHANNELS : 1, lane, bins, sums, first,
                tables);
  Scale scale = {0, 0, 1, 0.0f};
  const int panel_offset = (int)(get_group_id(0) * get_local_size(0)) + part.x -
                           panel.x;  // px from the panel's left edge to the group
  if (display && !axis && panel_offset < panel.z && panel_offset + (int)get_local_size(0) > 0)
    scale = scale_of(counts, p.channels * p.levels, how.logarithmic, how.level_height, lane, sums);
  if (x != inside) return;

  const bool drawn = display && left >= 0 && left < panel.z;
  const int drawn_end = drawn ? panel.y + panel.w : panel.y;
  for (int y = first_y; y < end; y += AT_ONCE * step) {
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      const int own = y + i * step;
      if (equalize) levels[i] = equalized(levels[i], equalize, tables);
      if (own < end && (own < panel.y || own >= drawn_end)) STORE_LEVELS(out, x, own, levels[i]);
    }
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++)
      levels[i] = LOAD_LEVELS(in, x, min(y + (AT_ONCE + i) * step, end - 1));
  }
  if (!drawn) return;
  const Column column = column_of(p, counts, &scale, left);
  for (int y = first_y + (max(panel.y - first_y, 0) + step - 1) / step * step; y < drawn_end;
       y += step) {
    int4 level = LOAD_LEVELS(in, x, y);
    if (equalize) level = equalized(level, equalize, tables);
    if (overlay) level = 0;
    const float4 color = panel_color(p, fullest, column, y - panel.y) * how.opacity;
    const int4 mixed =
        convert_int4(color * 255.0f + convert_float4(level) * (1.0f - color.w) + 0.5f);
    STORE_LEVELS(out, x, y, overlay ? mixed.zyxw : (int4)(mixed.xyz, level.w));
  }
}
