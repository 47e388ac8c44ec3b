// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter sharpen: adds the difference to the four neighbours
//! param amount 0..4 = 0.5: strength
//! radius 1
float4 sharpen(PIXEL) {
  const float4 c = at(0, 0);
  const float4 around = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
  return (float4)(c.xyz + amount * (4.0f * c.xyz - around.xyz), c.w);
}
