// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter saturation: makes colours more or less saturated
//! param amount 0..4 = 1.5: 0 is grey, 1 keeps the picture
float4 saturation(PIXEL) {
  const float4 c = at(0, 0);
  const float luma = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
  return (float4)(luma + amount * (c.xyz - luma), c.w);
}
