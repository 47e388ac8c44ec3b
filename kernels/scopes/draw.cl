// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws scopes over a frame, a launch per plot. `layer` has what does not change from frame to
// frame: background, graticule and text, in premultiplied RGBA. Build option: PLOT_ROWS, the pixels
// of a column that an item draws.
#include "common/frame.clh"
#include "scopes/columns.clh"
#include "scopes/interface.h"

// The range of `count` values or columns at pixel `at` of `size`; never empty. The products fit, as
// count is at most 1024.
inline int2 range_at(int at, int size, int count) {
  const int from = at * count / size;
  return (int2)(from, max(from + 1, (at + 1) * count / size));
}

// The brightness of a trace, 0 to 1. `density`: 1 if all values are equally frequent. With a gain
// of 1 a trace of the density `most` has full brightness on a logarithmic scale.
inline float brightness(Plot p, float density, float most) {
  return p.logarithmic ? min(log(1.0f + p.gain * density) / log(1.0f + most), 1.0f)
                       : min(p.gain * density * (8.0f / most), 1.0f);
}

inline bool in_plot(Plot p, int x, int y) {
  return x >= p.plot.x && x < p.plot.x + p.plot.z && y >= p.plot.y && y < p.plot.y + p.plot.w;
}

// The layer and above it a trace, premultiplied, over a pixel.
inline int4 finished(Plot p, uchar4 layer, float4 trace, int4 below) {
  const float4 colour =
      min(convert_float4(layer) / 255.0f * (1.0f - trace.w) + trace, 1.0f) * p.opacity;
  const float4 kept = p.overlay ? (float4)(0.0f) : convert_float4(below) * (1.0f - colour.w);
  const int4 mixed = convert_int4(colour * 255.0f + kept + 0.5f);
  return p.overlay ? mixed.zyxw : (int4)(mixed.xyz, below.w);
}
// A macro, because drivers of Mesa take no images in functions.
#define FINISH(x, y, trace)                                                                  \
  {                                                                                          \
    const int4 below = p.overlay || p.opaque ? (int4)(0, 0, 0, 255) : LOAD_LEVELS(in, x, y); \
    const uchar4 of_layer = layer[((y)-p.panel.y) * p.panel.z + (x)-p.panel.x];              \
    STORE_LEVELS(out, x, y, finished(p, of_layer, trace, below));                            \
  }

#define ITEM_X (p.cell.x + (int)get_global_id(0))
#define ITEM_Y (p.cell.y + (int)get_global_id(1) * PLOT_ROWS)
#define ITEM_END min(ITEM_Y + PLOT_ROWS, p.cell.y + p.cell.w)

// The waveforms of one or more channels.
__kernel void scope_draw_waveform(IN_FRAME(in), OUT_FRAME(out), __global const uchar4 *layer,
                                  __global const uint *counts, Plot p) {
  const int x = ITEM_X;
  if (x >= p.cell.x + p.cell.z) return;
  const bool inside = x >= p.plot.x && x < p.plot.x + p.plot.z;
  const int2 of = inside ? range_at(x - p.plot.x, p.plot.z, p.columns) : (int2)(0, 0);
  float parts[2];
  parts[0] = (float)p.levels /
             ((first_pixel(of.y, p.columns, p.area.z) - first_pixel(of.x, p.columns, p.area.z)) *
              p.area.w);
  const int shift = p.chroma_shift;
  parts[1] = (float)p.levels / ((first_sample(of.y, p.columns, p.area.x, p.area.z, shift) -
                                 first_sample(of.x, p.columns, p.area.x, p.area.z, shift)) *
                                samples_of(p.area.y, p.area.w, shift));
  for (int y = ITEM_Y; y < ITEM_END; y++) {
    float4 trace = (float4)(0.0f);
    if (in_plot(p, x, y)) {
      const int2 levels = range_at(p.plot.y + p.plot.w - 1 - y, p.plot.w, p.levels);
      for (int i = 0; i < p.channels; i++) {
        const int channel = p.channel + i;
        uint sum = 0;
        for (int level = levels.x; level < levels.y; level++)
          for (int column = of.x; column < of.y; column++)
            sum += counts[(channel * p.levels + level) * p.columns + column];
        if (!sum) continue;
        const float density = sum * parts[channel > 0] / (levels.y - levels.x),
                    part = brightness(p, density, BRIGHT_VALUES);
        trace += (float4)(p.colours[channel].xyz * part, 0.0f);
        trace.w = max(trace.w, part);
      }
    }
    FINISH(x, y, min(trace, 1.0f));
  }
}

// The vectorscope. `samples`: all chroma samples.
__kernel void scope_draw_vectors(IN_FRAME(in), OUT_FRAME(out), __global const uchar4 *layer,
                                 __global const uint *cells, Plot p, float samples) {
  const int x = ITEM_X;
  if (x >= p.cell.x + p.cell.z) return;
  const int first = (SIDE - p.side) / 2;
  const int2 us = first + range_at(x - p.plot.x, p.plot.z, p.side);
  for (int y = ITEM_Y; y < ITEM_END; y++) {
    float4 trace = (float4)(0.0f);
    if (in_plot(p, x, y)) {
      const int2 vs = first + range_at(p.plot.y + p.plot.w - 1 - y, p.plot.w, p.side);
      uint sum = 0;
      for (int v = vs.x; v < vs.y; v++)
        for (int u = us.x; u < us.y; u++) sum += cells[v * SIDE + u];
      if (sum) {
        const float cells_here = (vs.y - vs.x) * (us.y - us.x),
                    density = sum / samples * (SIDE * SIDE) / cells_here,
                    part = brightness(p, density, BRIGHT_CHROMA);
        const float cb = (us.x - 128) / 112.0f, cr = (vs.x - 128) / 112.0f;
        const float3 colour =
            (float3)(0.6f + 0.7f * cr, 0.6f - 0.15f * cb - 0.3f * cr, 0.6f + 0.8f * cb);
        trace = (float4)(clamp(colour, 0.0f, 1.0f) * part, part);
      }
    }
    FINISH(x, y, trace);
  }
}

// Histograms, over each other, of heights of FULL_HEIGHT.
__kernel void scope_draw_bars(IN_FRAME(in), OUT_FRAME(out), __global const uchar4 *layer,
                              __global const uint *heights, Plot p) {
  const int x = ITEM_X;
  if (x >= p.cell.x + p.cell.z) return;
  const bool inside = x >= p.plot.x && x < p.plot.x + p.plot.z;
  const int2 of = inside ? range_at(x - p.plot.x, p.plot.z, p.levels) : (int2)(0, 0);
  int ends[MOST_CHANNELS] = {0, 0, 0};
  for (int i = 0; i < p.channels; i++) {
    uint most = 0;
    for (int level = of.x; level < of.y; level++)
      most = max(most, heights[(p.channel + i) * p.levels + level]);
    ends[i] = (int)(((ulong)most * p.plot.w + FULL_HEIGHT - 1) / FULL_HEIGHT);
  }
  for (int y = ITEM_Y; y < ITEM_END; y++) {
    float4 trace = (float4)(0.0f);
    if (in_plot(p, x, y))
      for (int i = 0; i < p.channels; i++)
        if (p.plot.y + p.plot.w - 1 - y < ends[i])
          trace += (float4)(0.8f * p.colours[p.channel + i].xyz, 1.0f);
    FINISH(x, y, min(trace, 1.0f));
  }
}
