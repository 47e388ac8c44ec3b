// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter sobel: gradient magnitude of each channel
//! param gain 0..16 = 1: factor; with 1 an edge of full contrast becomes 1
//! radius 1
float4 sobel(PIXEL) {
  const float4 right = at(1, -1) + 2.0f * at(1, 0) + at(1, 1);
  const float4 left = at(-1, -1) + 2.0f * at(-1, 0) + at(-1, 1);
  const float4 below = at(-1, 1) + 2.0f * at(0, 1) + at(1, 1);
  const float4 above = at(-1, -1) + 2.0f * at(0, -1) + at(1, -1);
  const float4 gx = right - left, gy = below - above;
  return (float4)((gain * 0.25f) * sqrt(gx.xyz * gx.xyz + gy.xyz * gy.xyz), at(0, 0).w);
}
