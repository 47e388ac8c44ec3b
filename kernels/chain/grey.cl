// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter grey: brightness instead of colour
float4 grey(PIXEL) {
  const float4 c = at(0, 0);
  const float luma = 0.299f * c.x + 0.587f * c.y + 0.114f * c.z;
  return (float4)(luma, luma, luma, c.w);
}
