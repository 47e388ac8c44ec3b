// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter emboss: a relief, lit from the upper left
//! param depth 0..4 = 1: height of the relief
//! radius 1
float4 emboss(PIXEL) {
  const float4 slope = at(1, 1) - at(-1, -1);
  return (float4)(128.0f / 255.0f + depth * slope.xyz, at(0, 0).w);
}
