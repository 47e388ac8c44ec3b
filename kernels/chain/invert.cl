// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter invert: the negative
//! param strength 0..1 = 1: 0 keeps the picture, 1 inverts it
//! channelwise
float4 invert(PIXEL) {
  const float4 c = at(0, 0);
  return (float4)(c.xyz + strength * (1.0f - 2.0f * c.xyz), c.w);
}
