// SPDX-License-Identifier: LGPL-2.1-or-later
// Stops blocks that move only by noise. Build as motion/area.clh says.
#include "motion/area.clh"
#include "motion/interface.h"
#include "noise/bands.clh"
#include "noise/flicker.clh"

#define SCATTER 4.0f       // of a sum of absolute differences: the gain of the best of a thousand candidates
#define SMOOTHING 0.15f    // per pixel: the gain of samples between pixels, which have less noise
#define CODING 1.0f        // per pixel: the effect of compression noise
#define LEFT 2.0f          // times the best vector's residual per pixel: an encoder may have changed as much at the vector 0
#define MOST_LEFT 1.0f     // levels
// Encoders change whole patches at once, which fit other places by chance, but neighbouring patches differ.
#define FEW_ALIKE 3.0f         // times the gain by chance, if too few neighbours move alike
#define ALONE_LEFT 0.8f    // of the best vector's residual, in addition
#define ALIKE 4            // quarter pixels
#define COMPANY 3          // neighbours
#define RESTS 0.125f       // levels per pixel: a residual of the zero vector that another vector might have reduced
#define FAINT 3.0f         // times the noise's variance: with less texture no motion is visible
#define FAINT_PANS 1.5f    // the same where the camera pans
#define LEAST_SEEN 5.0f    // levels²; an encoder may leave less, unless the camera pans
#define SEEN 0.57f         // times the noise's deviation per pixel: half of the difference of two frames. Only motion leaves less

#define FLICKER_LEFT 1.0f  // times its mean magnitude: the effect of renewed noise on a pixel
#define MAGNITUDE 0.8f     // the mean magnitude of noise of variance 1
#define GREY_KEEPS 0.35254f  // of variance: renewed noise is that of smoothed grey

// How many of the eight neighbours of a key's block move alike; `across`: keys per block.
inline int company(__global const ulong *keys, int i, int across, int columns, int count) {
  const int2 own = vector_of((uint)keys[i]);
  const int block = i / across, x = block % columns, y = block / columns, rows = count / across / columns;
  int alike = 0;
  for (int v = max(y - 1, 0); v <= min(y + 1, rows - 1); v++)
    for (int u = max(x - 1, 0); u <= min(x + 1, columns - 1); u++) {
      const int2 other = vector_of((uint)keys[i + ((v - y) * columns + u - x) * across]);
      alike += any(other != 0) && all(abs(other - own) <= (uint2)(ALIKE));
    }
  return alike - 1;
}

// The block's sum of absolute differences from the same place, where its light changed by `rise` levels.
inline uint relit_cost(const Area *a, int rise) {
  const uchar4 more = (uchar4)((uchar)max(rise, 0)), less = (uchar4)((uchar)max(-rise, 0));
  uint cost = 0;
  for (int y = 0; y < a->size.y; y++)
    for (int x = 0; x < a->size.x; x += 4) {
      const uchar4 there = as_uchar4(*(__global const uint *)(a->there + y * a->pitch + x));
      const uint lit = as_uint(sub_sat(add_sat(there, more), less));
      cost = sad4(*(__global const uint *)(a->own + y * a->pitch + x), lit, cost);
    }
  return cost;
}

inline uint squares4(uint word, uint sum) {
  const uint4 p = convert_uint4(as_uchar4(word));
  return sum + p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
}

// The variance of the block's pixels or of those at the same place before, whichever is less; `sum`, `before`: theirs.
inline float least_variance(const Area *a, uint sum, uint before) {
  uint own = 0, there = 0;
  for (int y = 0; y < a->size.y; y++)
    for (int x = 0; x < a->size.x; x += 4) {
      own = squares4(*(__global const uint *)(a->own + y * a->pitch + x), own);
      there = squares4(*(__global const uint *)(a->there + y * a->pitch + x), there);
    }
  const ulong pixels = a->size.x * a->size.y;
  return min(own * pixels - (ulong)sum * sum, there * pixels - (ulong)before * before) / (float)(pixels * pixels);
}

// Sets a vector to 0 if the block has only noise. It also does so if 0 costs no more than the noise at the block's brightness explains,
// directly or after a change of light. `between`: 1 if vectors may end between pixels, else 0. Work-items: keys.
__kernel void motion_noise_gate(__global const uchar *current, __global const uchar *reference, __global const float *noise,
                                __global Flicker *flicker, __global const ulong *keys, __global ulong *kept, KeySearch search,
                                float between) {
  const int i = get_global_id(0), pitch = search.pitch, lambda = search.lambda, count = search.count;
  if (i >= count) return;
  const ulong key = keys[i];
  kept[i] = key;
  const int2 v = vector_of((uint)key);
  const float left = (key >> 32) - lambda * vector_bits(v.x, v.y);
  const Area area = area_of(current, reference, search, i);
  const int whole = area.size.x * area.size.y;
  const float pixels = whole, change = left / (MAGNITUDE * pixels);
  if (i % KEYS == 0) count_flicker(flicker, GREY_KEEPS * fmax(change * change - 2.0f * CORRELATION * noise_variance(noise), 0.0f));
  if (i == 0) flicker->cells = count / KEYS;
  if ((uint)key == place(0, 0)) {
    if (i % KEYS == 0 && left >= RESTS * pixels) atomic_inc(&flicker->rested);
    return;
  }
  const uint bits = lambda * vector_bits(0, 0);
  uint sum = 0, before = 0, cost = bits;
  for (int y = 0; y < area.size.y; y++)
    for (int x = 0; x < area.size.x; x += 4) {
      const uint own = *(__global const uint *)(area.own + y * pitch + x);
      const uint there = *(__global const uint *)(area.there + y * pitch + x);
      cost = sad4(own, there, cost);
      sum = sad4(own, 0, sum), before = sad4(there, 0, before);
    }
  const float level = sqrt(CORRELATION * noise_variance_at(noise, sum / pixels));
  const bool alone = company(keys, i, KEYS, search.columns, count) < COMPANY;
  // Where there is that much noise no encoder has been.
  const float coded = clamp(2.5f - 1.25f * level * rsqrt(CORRELATION), 0.0f, 1.0f);
  const float explained = coded * fmin(LEFT * left, MOST_LEFT * pixels) + (alone ? ALONE_LEFT * left : 0.0f) +
                          level * ((alone ? FEW_ALIKE : 1.0f) * SCATTER * sqrt(pixels) + SMOOTHING * between * pixels) +
                          CODING * sqrt(coding_variance(noise)) * pixels;
  const float renewal = FLICKER_LEFT * MAGNITUDE * sqrt(flicker->variance / GREY_KEEPS) * pixels;
  const float stays = alone ? 1.0f : 1.0f - flicker->pans;
  const ulong most = (key >> 32) + (ulong)(stays * (explained + (1.0f - flicker->camera) * renewal));
  const int changed = (2 * (int)abs_diff(sum, before) + whole) / (2 * whole), rise = sum > before ? changed : -changed;
  const float deviation = level * rsqrt(CORRELATION);
  const float noisy = left < SEEN * deviation * pixels ? 0.0f : mix(FAINT, FAINT_PANS, flicker->pans) * deviation * deviation;
  const float faint = fmax(noisy, (1.0f - flicker->pans) * LEAST_SEEN);
  const uint relit = changed && cost > most ? min(cost, bits + relit_cost(&area, rise)) : cost;
  if (i % KEYS == 0 && relit > (key >> 32) + (ulong)(explained + renewal)) atomic_inc(&flicker->moved);
  if (relit <= most || least_variance(&area, sum, before) <= faint) kept[i] = key_of(cost, place(0, 0));
}
