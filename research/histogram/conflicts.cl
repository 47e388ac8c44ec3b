// SPDX-License-Identifier: LGPL-2.1-or-later
// Additions to local memory, again and again to the same places: `addresses` has a word for each
// lane of the group. Build with WORDS: of local memory, and ITEMS: of the group.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void conflicts(
    __global const int *addresses, int rounds, __global uint *out) {
  __local uint words[WORDS];
  const int lane = get_local_id(0);
  for (int i = lane; i < WORDS; i += ITEMS) words[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int address = addresses[lane];
  // What is read decides what is added, so that one addition waits for the other.
  uint step = 1;
  for (int i = 0; i < rounds; i++) step = (atomic_add(words + address, step) & 1) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = words[address] + step;
}
