// SPDX-License-Identifier: LGPL-2.1-or-later
// What glclhistogram shows: the frame, equalised if wanted, with the histogram drawn over it.
#include "common/frame.clh"
#include "drawing/font.clh"

#define BINS 256
#define CHANNELS 3
#define COUNTERS 4096
enum { NO_EQUALIZATION, EQUALIZE_LUMA, EQUALIZE_RGB };
enum { NO_DISPLAY, OVERLAY, PARADE, STACK };

// The tables that equalise `channels` channels of 256 bins: (cdf - first) * 255 / (all - first), rounded,
// where `first` counts the darkest level there is; the identity for a frame of one level. Made by all 256
// items of a group for itself.
inline void make_tables(__global const uint *counts, int channels, int bin, __local uint *sums,
                        __local uint *first, __local uchar *tables) {
  for (int i = bin; i < channels * BINS; i += BINS) sums[i] = counts[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < BINS; distance *= 2) {
    uint before[CHANNELS];
#pragma unroll
    for (int channel = 0; channel < CHANNELS; channel++)
      before[channel] = channel < channels && bin >= distance ? sums[channel * BINS + bin - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int channel = 0; channel < channels; channel++) sums[channel * BINS + bin] += before[channel];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int channel = 0; channel < channels; channel++) {
    const uint sum = sums[channel * BINS + bin];
    if (sum && (bin == 0 || !sums[channel * BINS + bin - 1])) first[channel] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int channel = 0; channel < channels; channel++) {
    const uint range = sums[channel * BINS + BINS - 1] - first[channel], sum = sums[channel * BINS + bin];
    const uint above = sum > first[channel] ? sum - first[channel] : 0;
    tables[channel * BINS + bin] =
        range ? (uchar)((510ul * above + range) / (2ul * range)) : (uchar)bin;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// The 95th percentile of the counters that are not empty, at least 1: the most that one has below the 5 % with
// the highest counts. Found bit by bit from that of the fullest one. All items of a group of 256 call it; `sums`
// are 33 words.
inline uint usual_count(__global const uint *counts, int counters, uint fullest, int lane, __local uint *all,
                        __local uint *sums) {
  uint filled = 0, usual = 0;
  if (lane < 33) sums[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lane; i < counters; i += BINS) {
    all[i] = counts[i];
    filled += all[i] > 0;
  }
  if (filled) atomic_add(&sums[32], filled);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint above = sums[32] / 20;
  for (int bit = 31 - clz(fullest); bit >= 0; bit--) {
    const uint least = usual | 1u << bit;
    uint reach = 0;
    for (int i = lane; i < counters; i += BINS) reach += all[i] >= least;
    if (reach) atomic_add(&sums[bit], reach);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (sums[bit] > above) usual = least;
  }
  return max(usual, 1u);
}

// How high each counter stands, 0..65535 of the plot. The 95th percentile stands at `level` or higher; with 0 the
// fullest one fills the plot. One group of 256.
__kernel __attribute__((reqd_work_group_size(BINS, 1, 1)))
void display_heights(__global const uint *counts, int counters, int logarithmic, int level,
                     __global ushort *heights) {
  __local uint most[BINS], all[COUNTERS], sums[33];
  const int lane = get_local_id(0);
  uint own = 1;
  for (int i = lane; i < counters; i += BINS) own = max(own, counts[i]);
  most[lane] = own;
  for (int reach = BINS / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < reach) most[lane] = max(most[lane], most[lane + reach]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint fullest = most[0], usual = level ? usual_count(counts, counters, fullest, lane, all, sums) : 1;
  // Height is a part of the scale: of 65535 for the fullest, or of `level` for the usual one if that is more.
  const bool cut = (ulong)level * fullest > 65535ul * usual;
  const ulong top = cut ? level : 65535, whole = cut ? usual : fullest;
  const float log_scale = max(65535.0f / log(1.0f + fullest), level / log(1.0f + usual));
  for (int i = lane; i < counters; i += BINS)
    heights[i] = logarithmic ? convert_ushort_sat_rte(log(1.0f + counts[i]) * log_scale)
                             : (ushort)min(counts[i] * top / whole, 65535ul);
}

// The fullest counters of one group of 256, fullest first, of equal ones the first: its number, its share of the
// fullest one, 0..65535, and its share of all, in thousandths. Empty ones have a share of 0.
__kernel __attribute__((reqd_work_group_size(BINS, 1, 1)))
void display_fullest(__global const uint *counts, int counters, int logarithmic, int rows,
                     __global ushort4 *fullest) {
  __local uint all[COUNTERS], most[BINS], sums[BINS];
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

// `panel`: left, top, width, height in px. `unit`: px of a dot of the font. `channels`: histograms, each of
// `levels` bins; `axis`: levels of R, G and B each for a joint one, else 0; that one has `rows` bars. The colours are
// R, G, B and alpha.
typedef struct {
  int4 panel;
  int display, channels, levels, axis, rows, unit;
  float4 foreground, background;
} Panel;

inline bool in_number(int number, int x, int y) {
  const int digits = number < 10 ? 1 : number < 100 ? 2 : 3, at = x / 6;
  if (x < 0 || at >= digits) return false;
  for (int i = at + 1; i < digits; i++) number /= 10;
  return in_glyph(number % 10, x - 6 * at, y);
}

// Colours of the panel are premultiplied.
inline float4 laid(float4 below, float3 colour, float part) {
  return below + ((float4)(colour, 1.0f) - below) * part;
}

inline bool apart(Panel p) { return p.display != OVERLAY && p.channels > 1; }

// What a column of the panel shows: which of the plots side by side it is in, where, and how high the channels stand.
typedef struct {
  int x, width, plot;
  uint heights[CHANNELS];
} Column;

inline Column column_of(Panel p, __global const ushort *heights, int x) {
  Column column = {x, p.panel.z, 0, {0, 0, 0}};
  if (apart(p) && p.display == PARADE) {
    column.width = max(column.width / p.channels, 1);
    column.plot = min(x / column.width, p.channels - 1);
    column.x -= column.plot * column.width;
  }
  column.x -= 3 * p.unit;
  column.width = max(column.width - 6 * p.unit, 1);
  if (p.axis || column.x < 0 || column.x >= column.width) return column;
  const int from = (int)((long)column.x * p.levels / column.width);
  const int to = max(from + 1, (int)((long)(column.x + 1) * p.levels / column.width));
  for (int channel = 0; channel < p.channels; channel++)
    for (int i = from; i < to; i++)
      column.heights[channel] = max(column.heights[channel], (uint)heights[channel * p.levels + i]);
  return column;
}

// The bars of the fullest colours, each with its share in per cent.
inline float4 colour_bars(Panel p, __global const ushort4 *fullest, Column column, int y) {
  const int u = p.unit, x = column.x, height = max(p.panel.w - 6 * u, 1), row_height = max(height / p.rows, 1);
  const float4 ground = (float4)(p.background.xyz, 1.0f) * p.background.w;
  y -= 3 * u;
  if (x < 0 || y < 0 || x >= column.width || y >= row_height * p.rows) return ground;
  const int row = y / row_height, down = y % row_height;
  const ushort4 bar = fullest[row];
  if (!bar.y) return ground;
  const bool labelled = column.width >= 49 * u && row_height >= 9 * u;
  const int left = labelled ? 37 * u : 0;
  const int gap = row_height > 2 ? max(min(u, row_height / 4), 1) : 0;
  if (x >= left && down < row_height - gap &&
      (long)(x - left) * 65535 < max((long)bar.y * (column.width - left), 65535L)) {
    const int bin = bar.x, axis = p.axis;
    return (float4)((float3)(bin / (axis * axis), bin / axis % axis, bin % axis) * (0.85f / (axis - 1)) + 0.15f, 1.0f);
  }
  if (labelled && x < 36 * u) {
    const int place = x / u / 6, text_y = (down - (row_height - gap - 7 * u) / 2);
    const int glyph = place == 5 ? GLYPH_PERCENT : tenths_character(bar.z, place);
    if (glyph >= 0 && text_y >= 0 && in_glyph(glyph, x / u % 6, text_y / u))
      return laid(ground, p.foreground.xyz, p.foreground.w);
  }
  return ground;
}

// The colour of a pixel of the panel in a column, `y` from its upper edge.
inline float4 panel_color(Panel p, __global const ushort *heights, Column column, int y) {
  if (p.axis) return colour_bars(p, (__global const ushort4 *)heights, column, y);
  int height = p.panel.w, plot = column.plot;
  const int x = column.x, width = column.width, u = p.unit, line = max(1, u / 2);
  if (apart(p) && p.display == STACK) {
    height = max(height / p.channels, 1);
    plot = min(y / height, p.channels - 1);
    y -= plot * height;
  }
  height = max(height - 14 * u, 1);
  y -= 3 * u;
  // Room for a letter and for the labels of both ends.
  const bool labelled = width >= 24 * u && height >= 11 * u;
  float4 color = (float4)(p.background.xyz, 1.0f) * p.background.w;

  if (labelled && y >= height + u) {
    // Labels: of the quarters where there is room, else of the middle and both ends, else of these.
    const int row = (y - height - 2 * u) / u, labels = width < 60 * u ? 2 : width < 108 * u ? 3 : 5;
    if (y < height + 2 * u || row >= 7) return color;
    for (int i = 0; i < labels; i++) {
      const int value = i == labels - 1 ? 255 : i * 256 / (labels - 1);
      const int size = (value < 10 ? 5 : value < 100 ? 11 : 17) * u, tick = (int)((long)width * i / (labels - 1));
      const int left = i == 0 ? 0 : i == labels - 1 ? width - size : tick - size / 2;
      if (x >= left && in_number(value, (x - left) / u, row)) return laid(color, p.foreground.xyz, p.foreground.w);
    }
    return color;
  }
  if (x < 0 || y < 0 || x >= width || y >= height) return color;

  int filled = 0;
  float3 bars = (float3)(0.0f, 0.0f, 0.0f);
  for (int channel = 0; channel < p.channels; channel++) {
    if (apart(p) && channel != plot) continue;
    if ((ulong)(height - 1 - y) * 65535 >= (ulong)column.heights[channel] * height) continue;
    filled++;
    bars += p.channels == 1 ? 0.9f * p.foreground.xyz
                            : (float3)(channel == 0, channel == 1, channel == 2) * 0.75f + 0.15f;
  }
  if (filled) color = (float4)(min(bars, 1.0f), 1.0f);
  for (int i = 0; i <= 4; i++) {
    const int tick_x = min((int)((long)width * i / 4), width - line);
    const int tick_y = min((int)((long)height * i / 4), height - line);
    if ((x >= tick_x && x < tick_x + line) || (y >= tick_y && y < tick_y + line)) {
      color = filled ? laid(color, p.background.xyz, 0.2f) : laid(color, p.foreground.xyz, 0.25f * p.foreground.w);
      break;
    }
  }
  // The channel's letter, where the plot is its own.
  const int letter = p.channels == 1 ? GLYPH_Y : GLYPH_R + plot;
  if (labelled && (apart(p) || p.channels == 1) && x >= 2 * u && y >= 2 * u &&
      in_glyph(letter, (x - 2 * u) / u, (y - 2 * u) / u))
    color = laid(color, p.foreground.xyz, p.foreground.w);
  return color;
}

// Equalises levels of 0..255 and leaves alpha. LLVM of PoCL 6 aborts where a kernel may skip this for an int3.
inline int4 equalized(int4 level, int how, __local const uchar *table) {
  if (how == EQUALIZE_RGB)
    return (int4)(table[level.x], table[BINS + level.y], table[2 * BINS + level.z], level.w);
  const int luma = (77 * level.x + 150 * level.y + 29 * level.z + 128) >> 8;
  return (int4)(clamp(level.xyz + (table[luma] - luma), 0, 255), level.w);
}

// Work-items: the columns of a part of the frame by as many rows as are worked on at a time. A group is 256 items.
// `part`: left, top, width, height in px. `alone`: the drawing by itself, see drawing/over.clh.
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void present(IN_FRAME(in), OUT_FRAME(out), int4 part, int equalize, __global const uint *equalize_counts,
             int4 panel, int display, int channels, int levels, int axis, int rows, int unit, float4 foreground,
             float4 background, __global const ushort *heights, float opacity, int alone) {
  __local uint sums[CHANNELS * BINS], first[CHANNELS];
  __local uchar tables[CHANNELS * BINS];
  if (equalize)
    make_tables(equalize_counts, equalize == EQUALIZE_RGB ? CHANNELS : 1,
                get_local_id(1) * get_local_size(0) + get_local_id(0), sums, first, tables);
  const Panel p = {panel, display, channels, levels, axis, rows, unit, foreground, background};
  const int x = part.x + (int)get_global_id(0), left = x - panel.x;
  if (x >= part.x + part.z) return;
  const bool drawn = display && left >= 0 && left < panel.z;
  Column column;
  if (drawn) column = column_of(p, heights, left);
  for (int y = part.y + (int)get_global_id(1); y < part.y + part.w; y += get_global_size(1)) {
    const uchar4 pixel = LOAD_PIXEL(in, x, y);
    int4 level = convert_int4(pixel);
    if (equalize) level = equalized(level, equalize, tables);
    float4 result = alone ? (float4)(0.0f) : convert_float4(level);
    const int top = y - panel.y;
    if (drawn && top >= 0 && top < panel.w) {
      const float4 color = panel_color(p, heights, column, top) * opacity;
      result.xyz = color.xyz * 255.0f + result.xyz * (1.0f - color.w);
      if (alone) result.w = color.w * 255.0f;
    }
    const uchar4 bytes = convert_uchar4(result + 0.5f);
    STORE_PIXEL(out, x, y, alone ? bytes.zyxw : bytes);
  }
}
