// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter cube: maps colours by the tables of a .cube file
//! param strength 0..1 = 1: weight of the mapped colour; the rest is the input
// The arguments of PIXEL include the tables: `curve` and `lattice`, each with `_size` points along
// an axis, or 0 without a table. A colour c is at point (c - `_low`) * `_scale`.
float3 position(float3 colour, float3 low, float3 scale, int size) {
  return clamp((colour - low) * scale, 0.0f, (float)(size - 1));
}

float3 through_curve(PIXEL, float3 colour) {
  const float3 along = position(colour, curve_low, curve_scale, curve_size);
  const int3 i = min(convert_int3(along), curve_size - 2);
  const float3 part = along - convert_float3(i);
  const float3 from = (float3)(curve[i.x].x, curve[i.y].y, curve[i.z].z);
  const float3 to = (float3)(curve[i.x + 1].x, curve[i.y + 1].y, curve[i.z + 1].z);
  return from + part * (to - from);
}

float3 through_lattice(PIXEL, float3 colour) {
  const float3 along = position(colour, lattice_low, lattice_scale, lattice_size);
  const int3 i = min(convert_int3(along), lattice_size - 2);
  const float3 part = along - convert_float3(i);
  const int r = 1, g = lattice_size, b = lattice_size * lattice_size;  // steps to the next point
  const int first = i.x * r + i.y * g + i.z * b, last = first + r + g + b;
  if (interpolation > 0.5f) {
    const float3 r0 = lattice[first].xyz + part.x * (lattice[first + r].xyz - lattice[first].xyz);
    const float3 r1 =
        lattice[first + g].xyz + part.x * (lattice[first + g + r].xyz - lattice[first + g].xyz);
    const float3 r2 =
        lattice[first + b].xyz + part.x * (lattice[first + b + r].xyz - lattice[first + b].xyz);
    const float3 r3 = lattice[last - r].xyz + part.x * (lattice[last].xyz - lattice[last - r].xyz);
    const float3 g0 = r0 + part.y * (r1 - r0), g1 = r2 + part.y * (r3 - r2);
    return g0 + part.z * (g1 - g0);
  }
  // From the first to the last point along the axes, that of the largest part first.
  const int rg = part.x >= part.y, gb = part.y >= part.z, rb = part.x >= part.z;
  const float largest = rg ? (rb ? part.x : part.z) : (gb ? part.y : part.z);
  const float smallest = rg ? (gb ? part.z : part.y) : (rb ? part.z : part.x);
  const float middle = part.x + part.y + part.z - largest - smallest;
  const int second = first + (rg ? (rb ? r : b) : (gb ? g : b));
  const int third = last - (rg ? (gb ? b : g) : (rb ? b : r));
  return (1.0f - largest) * lattice[first].xyz + (largest - middle) * lattice[second].xyz +
         (middle - smallest) * lattice[third].xyz + smallest * lattice[last].xyz;
}

float4 cube(PIXEL) {
  const float4 c = at(0, 0);
  float3 mapped = c.xyz;
  if (curve_size > 0) mapped = through_curve(HERE, mapped);
  if (lattice_size > 0) mapped = through_lattice(HERE, mapped);
  return (float4)(c.xyz + strength * (mapped - c.xyz), c.w);
}
