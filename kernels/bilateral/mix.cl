// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a filtered picture with the original one.
#include "bilateral/interface.h"
#include "common/frame.clh"
// The reference rounds each operation, too.
#pragma OPENCL FP_CONTRACT OFF
#include "common/linear.clh"

// The weight of the filtered picture at a pixel.
inline float amount_at(int x, int y, __global const uchar *mask, int pitch, MixSettings settings) {
  if (settings.mask.x == 0) return settings.amount;
  const PixelsAround of =
      pixels_around(stretched((float2)(x, y), settings.mask_scale), settings.mask);
  __global const uchar *upper = mask + (size_t)of.first.y * pitch;
  __global const uchar *lower = mask + (size_t)of.last.y * pitch;
  const float2 left = (float2)(upper[of.first.x], lower[of.first.x]);
  const float2 right = (float2)(upper[of.last.x], lower[of.last.x]);
  const float2 rows = left + of.part.x * (right - left);
  const float level = rows.x + of.part.y * (rows.y - rows.x);
  return settings.amount * (level * (1.0f / 255.0f));
}

// The levels of a pixel, from its original and filtered levels.
inline int4 mixed(int4 from, int4 to, float amount, int luma) {
  const int4 change = to - from;
  const float more = amount * 0.01f * (float)(30 * change.x + 59 * change.y + 11 * change.z);
  const float4 levels =
      convert_float4(from) + (luma ? (float4)(more) : amount * convert_float4(change));
  return clamp(convert_int4(floor(levels + 0.5f)), 0, CHANNEL_MAX);
}

// Inside the region writes original + amount * (filtered - original), rounded half up, with the
// amount multiplied by the mask, and the alpha of `original`. The hairline of a split view stays
// white. Outside it writes `original`.
__kernel void bilateral_mix(IN_FRAME(original), IN_FRAME(filtered), OUT_FRAME(out),
                            __global const uchar *mask, int mask_pitch, MixSettings settings) {
  const int x = get_global_id(0);
  if (x >= settings.size.x) return;
  const int4 region = settings.region;
  for (int i = 0; i < FRAME_ROWS; i++) {
    const int y = FRAME_ROW(i);
    if (y >= settings.size.y) continue;
    const int4 from = LOAD_LEVELS(original, x, y);
    int4 levels = from;
    if (x >= region.x && y >= region.y && x - region.x < region.z && y - region.y < region.w) {
      const int4 to = LOAD_LEVELS(filtered, x, y);
      levels = x == settings.hairline
                   ? (int4)(CHANNEL_MAX)
                   : mixed(from, to, amount_at(x, y, mask, mask_pitch, settings), settings.luma);
      levels.w = from.w;
    }
    STORE_LEVELS(out, x, y, levels);
  }
}
