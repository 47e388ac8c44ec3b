// SPDX-License-Identifier: LGPL-2.1-or-later
// The noise gate sets the vectors of blocks that move only by noise to 0. Build options: see
// motion/area.clh.
#include "motion/area.clh"
#include "motion/interface.h"
#include "motion/tuned.clh"
#include "noise/bands.clh"
#include "noise/flicker.clh"

#define MAGNITUDE 0.8f  // the mean magnitude of noise of variance 1
// factor by which smoothing reduces a variance; flicker is measured in smoothed grey
#define GREY_VARIANCE 0.35254f

// Encoders change whole patches at once. A patch may fit elsewhere by chance, but then its
// neighbours move differently. So this counts those of the eight adjacent blocks whose vectors are
// similar. `across`: keys per block.
inline int similar_neighbours(__global const ulong *keys, int i, int across, int columns,
                              int count) {
  const int2 own = vector_of((uint)keys[i]);
  const int block = i / across, x = block % columns, y = block / columns,
            rows = count / across / columns;
  int similar = 0;
  for (int v = max(y - 1, 0); v <= min(y + 1, rows - 1); v++)
    for (int u = max(x - 1, 0); u <= min(x + 1, columns - 1); u++) {
      const int2 other = vector_of((uint)keys[i + ((v - y) * columns + u - x) * across]);
      similar += any(other != 0) && all(abs(other - own) <= (uint2)(SIMILAR));
    }
  return similar - 1;
}

// The block's SAD at the vector 0 after a change of brightness by `rise` levels.
inline uint brightness_cost(const Area *a, int rise) {
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

inline uint add_squares(uint word, uint sum) {
  const uint4 p = convert_uint4(as_uchar4(word));
  return sum + p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
}

// The smaller variance of the block's pixels in the two frames. `sum`, `before`: the sums of the
// pixels.
inline float least_variance(const Area *a, uint sum, uint before) {
  uint own = 0, there = 0;
  for (int y = 0; y < a->size.y; y++)
    for (int x = 0; x < a->size.x; x += 4) {
      own = add_squares(*(__global const uint *)(a->own + y * a->pitch + x), own);
      there = add_squares(*(__global const uint *)(a->there + y * a->pitch + x), there);
    }
  const ulong pixels = a->size.x * a->size.y;
  return min(own * pixels - (ulong)sum * sum, there * pixels - (ulong)before * before) /
         (float)(pixels * pixels);
}

// Sets a vector to 0 if the block has only noise. It also does so if noise at the block's
// brightness explains the excess cost of the vector 0, with or without a change of brightness.
// `between`: 1 if vectors may be fractional, else 0. A work-item per key.
__kernel void motion_noise_gate(__global const uchar *current, __global const uchar *reference,
                                __global NoiseState *state, __global const ulong *keys,
                                __global ulong *gated, KeySearch search, float between) {
  const int i = get_global_id(0), pitch = search.pitch, lambda = search.lambda,
            count = search.count;
  if (i >= count) return;
  __global const float *noise = state->variances;
  __global Flicker *flicker = &state->flicker;
  const ulong key = keys[i];
  gated[i] = key;
  const int2 v = vector_of((uint)key);
  const float residual = (key >> 32) - lambda * vector_bits(v.x, v.y);
  const Area area = area_of(current, reference, search, i);
  const int whole = area.size.x * area.size.y;
  const float pixels = whole, change = residual / (MAGNITUDE * pixels);
  if (i % KEYS == 0)
    count_flicker(
        flicker,
        GREY_VARIANCE * fmax(change * change - 2.0f * CORRELATION * noise_variance(noise), 0.0f));
  if (i == 0) flicker->cells = count / KEYS;
  if ((uint)key == pack_vector(0, 0)) {
    if (i % KEYS == 0 && residual >= LEAST_STATIC_RESIDUAL * pixels)
      atomic_inc(&flicker->static_cells);
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
  const bool dissimilar = similar_neighbours(keys, i, KEYS, search.columns, count) < LEAST_SIMILAR;
  // Strong noise shows that no encoder was at work, so the allowance for encoders fades out.
  const float coded = clamp(2.5f - 1.25f * level * rsqrt(CORRELATION), 0.0f, 1.0f);
  const float explained =
      coded * fmin(ENCODER_PART * residual, MOST_ENCODER * pixels) +
      (dissimilar ? DISSIMILAR_PART * residual : 0.0f) +
      level * ((dissimilar ? DISSIMILAR_FACTOR : 1.0f) * CHANCE_DEVIATIONS * sqrt(pixels) +
               SMOOTHING * between * pixels) +
      sqrt(coding_variance(noise)) * pixels;
  const float flicker_change = MAGNITUDE * sqrt(flicker->variance / GREY_VARIANCE) * pixels;
  const float static_weight = dissimilar ? 1.0f : 1.0f - flicker->pan;
  const ulong most =
      (key >> 32) +
      (ulong)(static_weight * (explained + (1.0f - flicker->camera_motion) * flicker_change));
  const int changed = (2 * (int)abs_diff(sum, before) + whole) / (2 * whole),
            rise = sum > before ? changed : -changed;
  const float deviation = level * rsqrt(CORRELATION);
  const float noisy =
      residual < TRUE_MOTION * deviation * pixels
          ? 0.0f
          : mix(LEAST_TEXTURE, LEAST_PAN_TEXTURE, flicker->pan) * deviation * deviation;
  const float faint = fmax(noisy, (1.0f - flicker->pan) * LEAST_VISIBLE);
  const uint adjusted =
      changed && cost > most ? min(cost, bits + brightness_cost(&area, rise)) : cost;
  if (i % KEYS == 0 && adjusted > (key >> 32) + (ulong)(explained + flicker_change))
    atomic_inc(&flicker->moved_cells);
  if (adjusted <= most || least_variance(&area, sum, before) <= faint)
    gated[i] = key_of(cost, pack_vector(0, 0));
}
