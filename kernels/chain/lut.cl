// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter lut: maps each channel by a curve
//! list points = [0 0.15 0.5 0.85 1]: values of the curve at equal steps, linear in between
//! channelwise
float4 lut(PIXEL) {
  const float4 c = at(0, 0);
  const float last = (float)(points_width - 1);
  const float3 along = last * c.xyz;
  const int3 i = min(convert_int3(along), max(points_width - 2, 0));
  const int next = points_width > 1;
  const float3 part = along - convert_float3(i);
  return (float4)(points[i.x] + part.x * (points[i.x + next] - points[i.x]),
                  points[i.y] + part.y * (points[i.y + next] - points[i.y]),
                  points[i.z] + part.z * (points[i.z + next] - points[i.z]), c.w);
}
