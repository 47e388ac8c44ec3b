// SPDX-License-Identifier: LGPL-2.1-or-later
// A histogram of any size, counted in global memory (J. Gómez Luna, 2012, section 4.5): the votes
// of neighbours go to different ones of `copies` sub-histograms, which a second kernel adds up.

// `votes`: counters; those that are not below `counters` don't count. Work-items: any number.
__kernel void votes_count(__global const uint *votes, uint count, uint counters, uint copies,
                          __global uint *sub) {
  __global uint *own = sub + (size_t)(get_global_id(0) % copies) * counters;
  for (size_t i = get_global_id(0); i < count; i += get_global_size(0))
    if (votes[i] < counters) atomic_inc(own + votes[i]);
}

// `sub` becomes 0 again for the next launch. Work-items: counters.
__kernel void votes_reduce(__global uint *sub, uint counters, uint copies, __global uint *out) {
  const size_t counter = get_global_id(0);
  if (counter >= counters) return;
  uint sum = 0;
  for (uint copy = 0; copy < copies; copy++) {
    sum += sub[(size_t)copy * counters + counter];
    sub[(size_t)copy * counters + counter] = 0;
  }
  out[counter] = sum;
}
