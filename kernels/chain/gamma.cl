// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter gamma: lightens (above 1) or darkens (below 1) mid-tones
//! param value 0.1..10 = 2.2: c becomes c to the power of 1 / value
//! table curve[256] = pow(i / 255, 1 / value)
//! channelwise
float4 gamma(PIXEL) {
  const float4 c = at(0, 0);
  const int4 level = convert_int4_rte(255.0f * c);
  return (float4)(curve[level.x], curve[level.y], curve[level.z], c.w);
}
