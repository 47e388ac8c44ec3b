// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter overlay: draws the picture over the frame, stretched to its size
//! param opacity 0..1 = 1: 0 hides it
float4 overlay(PIXEL) {
  const float4 c = at(0, 0), over = picture(x, y);
  return (float4)(c.xyz + opacity * over.w * (over.xyz - c.xyz), c.w);
}
