// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter blend: mixes the frame with the previous one
//! param amount 0..1 = 0.5: weight of the previous frame
//! frames 2
float4 blend(PIXEL) {
  const float4 now = at(0, 0), last = earlier(1, 0, 0);
  return (float4)(now.xyz + amount * (last.xyz - now.xyz), now.w);
}
