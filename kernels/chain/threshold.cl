// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter threshold: white where a channel is at or above a level, else black
//! param level 0..1 = 0.5: threshold, as a fraction of full scale
//! channelwise
float4 threshold(PIXEL) {
  const float4 c = at(0, 0);
  return (float4)(c.x >= level ? 1.0f : 0.0f, c.y >= level ? 1.0f : 0.0f,
                  c.z >= level ? 1.0f : 0.0f, c.w);
}
