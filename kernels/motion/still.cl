// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks that noise alone seems to move. Build as motion/area.clh says.
#include "motion/area.clh"
#include "noise/bands.clh"

#define SCATTER 4.0f       // of a sum of absolute differences: what the best of a thousand candidates gains
#define SMOOTHING 0.15f    // what samples between pixels, which have less noise, gain a pixel
#define CODING 1.0f        // what coding noise may give a pixel
#define LEFT 2.0f          // times what the best vector leaves of a pixel, as much an encoder may have changed at the vector 0
#define MOST_LEFT 1.0f     // levels

// Gives a key the vector 0 where that costs no more than noise of the block's brightness explains; `between`: 1
// where vectors may end between pixels, else 0. Work-items: keys.
__kernel void motion_still(__global const uchar *current, __global const uchar *reference, int pitch, int lambda,
                           __global const float *noise, float between, __global ulong *keys, int columns,
                           int count) {
  const int i = get_global_id(0);
  if (i >= count || (uint)keys[i] == place(0, 0)) return;
  const Area area = area_of(current, reference, pitch, lambda, 0, i, columns);
  uint sum = 0, cost = lambda * vector_bits(0, 0);
  for (int y = 0; y < area.size.y; y++)
    for (int x = 0; x < area.size.x; x += 4) {
      const uint own = *(__global const uint *)(area.own + y * pitch + x);
      cost = sad4(own, *(__global const uint *)(area.there + y * pitch + x), cost);
      sum = sad4(own, 0, sum);
    }
  const float pixels = area.size.x * area.size.y;
  const float level = sqrt(CORRELATION * noise_variance_at(noise, sum / pixels));
  const int2 v = vector_of((uint)keys[i]);
  const float left = (keys[i] >> 32) - lambda * vector_bits(v.x, v.y);
  // Where there is that much noise no encoder has been.
  const float coded = clamp(2.5f - 1.25f * level * rsqrt(CORRELATION), 0.0f, 1.0f);
  const float explained = coded * fmin(LEFT * left, MOST_LEFT * pixels) +
                          level * (SCATTER * sqrt(pixels) + SMOOTHING * between * pixels) +
                          CODING * sqrt(coding_variance(noise)) * pixels;
  if (cost <= (keys[i] >> 32) + (ulong)explained) keys[i] = key_of(cost, place(0, 0));
}
