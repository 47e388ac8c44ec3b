// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter gamma: lightens (above 1) or darkens (below 1) mid-tones
//! param value 0.1..10 = 2.2: c becomes c to the power of 1 / value
//! table curve[256] = pow(i / 255, 1 / value)
//! channelwise
float4 gamma(PIXEL) {
  const float4 c = at(0, 0);
  const float3 along = 255.0f * c.xyz;
  const int3 i = min(convert_int3(along), 254);
  const float3 part = along - convert_float3(i);
  return (float4)(curve[i.x] + part.x * (curve[i.x + 1] - curve[i.x]),
                  curve[i.y] + part.y * (curve[i.y + 1] - curve[i.y]),
                  curve[i.z] + part.z * (curve[i.z + 1] - curve[i.z]), c.w);
}
