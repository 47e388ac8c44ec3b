// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter unsharp: adds the detail that a Gaussian blur removes
//! param sigma 0.3..4 = 1.5: standard deviation of the blur, px
//! param amount 0..4 = 0.7: strength
//! param radius 0..12 = 12: maximum radius of the blur, px; never more than 3 sigma
//! radius ceil(min(radius, 3 * sigma))
//! table weight[2 * ceil(min(radius, 3 * sigma)) + 1] = exp(-pow(i - ceil(min(radius, 3 * sigma)), 2) / (2 * sigma * sigma))
float4 unsharp(PIXEL) {
  const int reach = (weight_size - 1) / 2;
  float3 sum = 0.0f;
  float all = 0.0f;
  for (int dy = -reach; dy <= reach; dy++)
    for (int dx = -reach; dx <= reach; dx++) {
      const float w = weight[dx + reach] * weight[dy + reach];
      sum += w * at(dx, dy).xyz;
      all += w;
    }
  const float4 c = at(0, 0);
  return (float4)(c.xyz + amount * (c.xyz - sum / all), c.w);
}
