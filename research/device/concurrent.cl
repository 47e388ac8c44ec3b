// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel that only computes, each step from the one before it, so that it takes long and fills
// nothing.
__kernel void chain_of_sums(__global uint *out, uint first, int rounds) {
  uint value = get_global_id(0) + first;
  for (int i = 0; i < rounds; i++) value = value * 1664525u + 1013904223u;
  out[get_global_id(0)] = value;
}
