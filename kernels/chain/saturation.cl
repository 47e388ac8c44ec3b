// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter saturation: moves colours away from grey
//! param amount 0..4 = 1.5: 0 leaves grey, 1 the picture as it is
float4 saturation(PIXEL) {
  const float4 c = at(0, 0);
  const float luma = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
  return (float4)(luma + amount * (c.xyz - luma), c.w);
}
