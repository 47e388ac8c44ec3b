// SPDX-License-Identifier: LGPL-2.1-or-later
// Mixes a filtered picture with the original one.
#include "bilateral/interface.h"
#include "common/frame.clh"
// The reference rounds each operation, too.
#pragma OPENCL FP_CONTRACT OFF

// The levels of a pixel, from its original and filtered levels.
inline int4 mixed(int4 from, int4 to, MixSettings settings) {
  const int4 change = to - from;
  const float more =
      settings.amount * 0.01f * (float)(30 * change.x + 59 * change.y + 11 * change.z);
  const float4 levels = convert_float4(from) +
                        (settings.luma ? (float4)(more) : settings.amount * convert_float4(change));
  return clamp(convert_int4(floor(levels + 0.5f)), 0, CHANNEL_MAX);
}

// Writes original + amount * (filtered - original), rounded half up, and the alpha of `original`.
// The hairline of a split view stays white.
__kernel void bilateral_mix(IN_FRAME(original), IN_FRAME(filtered), OUT_FRAME(out),
                            MixSettings settings) {
  const int x = get_global_id(0);
  if (x >= settings.size.x) return;
  for (int i = 0; i < FRAME_ROWS; i++) {
    const int y = FRAME_ROW(i);
    if (y >= settings.size.y) continue;
    const int4 from = LOAD_LEVELS(original, x, y), to = LOAD_LEVELS(filtered, x, y);
    int4 levels = x == settings.hairline ? (int4)(CHANNEL_MAX) : mixed(from, to, settings);
    levels.w = from.w;
    STORE_LEVELS(out, x, y, levels);
  }
}
