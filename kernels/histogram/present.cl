// SPDX-License-Identifier: LGPL-2.1-or-later
// What glclhistogram shows: the frame, equalised if wanted, with the histogram drawn over it.
#include "common/frame.clh"

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

// 5×7 dots, a row in the low five bits.
__constant uchar font[14][7] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},     {14, 17, 1, 6, 8, 16, 31},
    {14, 17, 1, 6, 1, 17, 14},    {2, 6, 10, 18, 31, 2, 2},    {31, 16, 30, 1, 1, 17, 14},
    {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},      {14, 17, 17, 14, 17, 17, 14},
    {14, 17, 17, 15, 1, 2, 12},   {30, 17, 17, 30, 20, 18, 17}, {14, 17, 16, 23, 17, 17, 14},
    {30, 17, 17, 30, 17, 17, 30}, {17, 17, 10, 4, 4, 4, 4}};
enum { LETTER_R = 10, LETTER_Y = 13 };

inline bool in_glyph(int glyph, int x, int y) {
  return x >= 0 && x < 5 && y >= 0 && y < 7 && (font[glyph][y] >> (4 - x) & 1);
}

inline int digits_of(int number) {
  return number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : 4;
}

inline bool in_number(int number, int x, int y) {
  const int digits = digits_of(number), at = x / 6;
  if (x < 0 || at >= digits) return false;
  for (int i = at + 1; i < digits; i++) number /= 10;
  return in_glyph(number % 10, x - 6 * at, y);
}

// `panel`: left, top, width, height in px. `unit`: px of a dot of the font. `channels`: histograms, each of
// `levels` bins; `axis`: levels of R, G and B each for a joint one, else 0.
typedef struct {
  int4 panel;
  int display, channels, levels, axis, unit;
} Panel;

inline float3 channel_color(Panel p, int channel) {
  if (p.channels == 1) return (float3)(0.8f, 0.8f, 0.8f);
  return (float3)(channel == 0, channel == 1, channel == 2) * 0.75f + (float3)(0.15f, 0.15f, 0.15f);
}

// The highest of the bins that a column of a plot of `width` px shows, and the first of them.
inline uint column_height(Panel p, __global const ushort *heights, int channel, int x, int width, int *bin) {
  const int from = (int)((long)x * p.levels / width);
  const int to = max(from + 1, (int)((long)(x + 1) * p.levels / width));
  uint height = 0;
  *bin = from;
  for (int i = from; i < to; i++)
    if (heights[channel * p.levels + i] > height) {
      height = heights[channel * p.levels + i];
      *bin = i;
    }
  return height;
}

inline int last_label(Panel p) { return p.axis ? p.levels - 1 : 255; }

// The colour of a pixel of the panel, `x`, `y` from its corner.
inline float3 panel_color(Panel p, __global const ushort *heights, int x, int y) {
  const bool apart = p.display != OVERLAY && p.channels > 1;
  int width = p.panel.z, height = p.panel.w, plot = 0;
  if (apart && p.display == PARADE) {
    width = max(width / p.channels, 1);
    plot = min(x / width, p.channels - 1);
    x -= plot * width;
  } else if (apart) {
    height = max(height / p.channels, 1);
    plot = min(y / height, p.channels - 1);
    y -= plot * height;
  }
  const int u = p.unit, line = max(1, u / 2);
  const int inner_width = max(width - 6 * u, 1), inner_height = max(height - 14 * u, 1);
  // Room for a letter and for the labels of both ends.
  const bool labelled = inner_width >= 6 * (1 + digits_of(last_label(p))) * u && inner_height >= 11 * u;
  const float3 ink = (float3)(0.9f, 0.9f, 0.9f);
  float3 color = (float3)(0.04f, 0.04f, 0.04f);
  x -= 3 * u;
  y -= 3 * u;

  if (labelled && y >= inner_height + u) {
    // Labels: of the quarters where there is room, else of both ends.
    const int row = (y - inner_height - 2 * u) / u, last = last_label(p);
    const int labels = p.axis || inner_width < 108 * u ? 2 : 5;
    for (int i = 0; i < labels; i++) {
      const int value = i == labels - 1 ? last : i * 64;
      const int size = (6 * digits_of(value) - 1) * u, tick = (int)((long)inner_width * i / (labels - 1));
      const int left = i == 0 ? 0 : i == labels - 1 ? inner_width - size : tick - size / 2;
      if (y >= inner_height + 2 * u && x >= left && in_number(value, (x - left) / u, row)) color = ink;
    }
    return color;
  }
  if (x < 0 || y < 0 || x >= inner_width || y >= inner_height) return color;

  int filled = 0;
  float3 bars = (float3)(0.0f, 0.0f, 0.0f);
  for (int channel = 0; channel < p.channels; channel++) {
    if (apart && channel != plot) continue;
    int bin;
    const uint level = column_height(p, heights, channel, x, inner_width, &bin);
    if ((ulong)(inner_height - 1 - y) * 65535 >= (ulong)level * inner_height) continue;
    filled++;
    bars += p.axis ? (float3)(bin / (p.axis * p.axis), bin / p.axis % p.axis, bin % p.axis) *
                             (0.85f / (p.axis - 1)) + 0.15f
                   : channel_color(p, channel);
  }
  if (filled) color = min(bars, 1.0f);
  for (int i = 0; i <= 4; i++) {
    const int tick_x = min((int)((long)inner_width * i / 4), inner_width - line);
    const int tick_y = min((int)((long)inner_height * i / 4), inner_height - line);
    if ((x >= tick_x && x < tick_x + line) || (y >= tick_y && y < tick_y + line)) {
      color += filled ? (float3)(-0.15f, -0.15f, -0.15f) : (float3)(0.22f, 0.22f, 0.22f);
      break;
    }
  }
  // The channel's letter, where the plot is its own.
  const int letter = p.channels == 1 ? LETTER_Y : LETTER_R + plot;
  if (labelled && (apart || p.channels == 1) && !p.axis && x >= 2 * u && y >= 2 * u &&
      in_glyph(letter, (x - 2 * u) / u, (y - 2 * u) / u))
    color = ink;
  return clamp(color, 0.0f, 1.0f);
}

// Equalises levels of 0..255.
inline int3 equalized(int3 level, int how, __local const uchar *table) {
  if (how == EQUALIZE_RGB)
    return (int3)(table[level.x], table[BINS + level.y], table[2 * BINS + level.z]);
  const int luma = (77 * level.x + 150 * level.y + 29 * level.z + 128) >> 8;
  return clamp(level + (table[luma] - luma), 0, 255);
}

inline int3 shown(int3 level, int x, int y, int equalize, __local const uchar *table, Panel p,
                  __global const ushort *heights, float opacity) {
  if (equalize) level = equalized(level, equalize, table);
  const int left = x - p.panel.x, top = y - p.panel.y;
  if (p.display && left >= 0 && top >= 0 && left < p.panel.z && top < p.panel.w) {
    const float3 color = panel_color(p, heights, left, top) * 255.0f, below = convert_float3(level);
    level = convert_int3_rte(below + (color - below) * opacity);
  }
  return level;
}

// Work-items: the columns by as many rows as are worked on at a time. A group is 256 items.
__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void present(IN_FRAME(in), OUT_FRAME(out), int width, int height, int equalize, __global const uint *equalize_counts,
                      int4 panel, int display, int channels, int levels, int axis, int unit,
                      __global const ushort *heights, float opacity) {
  __local uint sums[CHANNELS * BINS], first[CHANNELS];
  __local uchar tables[CHANNELS * BINS];
  if (equalize)
    make_tables(equalize_counts, equalize == EQUALIZE_RGB ? CHANNELS : 1,
                get_local_id(1) * get_local_size(0) + get_local_id(0), sums, first, tables);
  const Panel p = {panel, display, channels, levels, axis, unit};
  const int x = get_global_id(0);
  if (x >= width) return;
  for (int y = get_global_id(1); y < height; y += get_global_size(1)) {
    const uchar4 pixel = LOAD_PIXEL(in, x, y);
    const int3 result = shown(convert_int3(pixel.xyz), x, y, equalize, tables, p, heights, opacity);
    STORE_PIXEL(out, x, y, (uchar4)(convert_uchar3(result), pixel.w));
  }
}
