// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that do one thing as fast as a device can, as limits for other kernels. Each one writes a
// result that depends on all of its work, so that no work is optimised away.
#include "common/absdiff.clh"
#include "common/exp2.clh"

// CPU devices compute vectors: with -DV=n every value below is one of n lanes, else of one.
#ifdef V
#define VALUE FLOATS
#define EXP2 exp2_below_one
#define FIRST(value) (value).s0
#else
#define V 1
#define VALUE float
#define EXP2 weight_exp2
#define FIRST(value) (value)
#endif

#define CHAINS 8  // independent of each other; in each, an operation needs the last one's result

__kernel void limit_nothing(__global float *out) {
  if (get_global_id(0) == 0) out[0] = 1.0f;
}

__kernel void limit_read(__global const float16 *in, __global float *out, int count) {
  float16 sum = 0.0f;
  for (int i = get_global_id(0); i < count; i += get_global_size(0)) sum += in[i];
  const float8 half_sum = sum.lo + sum.hi;
  if (half_sum.s0 + half_sum.s1 + half_sum.s2 + half_sum.s3 + half_sum.s4 + half_sum.s5 +
          half_sum.s6 + half_sum.s7 ==
      1.5f)
    out[0] = sum.s0;
}

#define LIMIT(name, start, step)                                                       \
  __kernel void name(__global float *out, int rounds, float factor) {                  \
    VALUE value[CHAINS];                                                               \
    for (int c = 0; c < CHAINS; c++) value[c] = start * (float)(get_global_id(0) + c); \
    for (int i = 0; i < rounds; i++)                                                   \
      _Pragma("unroll") for (int c = 0; c < CHAINS; c++) value[c] = step;              \
    VALUE sum = 0.0f;                                                                  \
    for (int c = 0; c < CHAINS; c++) sum += value[c];                                  \
    out[get_global_id(0)] = FIRST(sum);                                                \
  }
LIMIT(limit_fma, 1.0f, value[c] * factor + 0.5f)
LIMIT(limit_exp2, -factor, EXP2(-value[c]))

__kernel void limit_local_atomics(__global float *out, int rounds) {
  __local uint counters[1024];
  const int me = get_local_id(0);
  counters[me] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < rounds; i++) atomic_inc(&counters[me]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = counters[me];
}

#if V > 1
#define BYTES ulong8
#define DIFFERENCE(a, b) sad8(a, b)
#define BYTE(value) (value).s0
#else
#define BYTES uint
#define DIFFERENCE(a, b) sad4(a, b, a)
#define BYTE(value) (value)
#endif

__kernel void limit_differences(__global float *out, int rounds, uint other) {
  BYTES value[CHAINS];
  for (int c = 0; c < CHAINS; c++) value[c] = (BYTES)(get_global_id(0) * 77 + c);
  for (int i = 0; i < rounds; i++)
#pragma unroll
    for (int c = 0; c < CHAINS; c++) value[c] = DIFFERENCE(value[c], (BYTES)other);
  BYTES sum = 0;
  for (int c = 0; c < CHAINS; c++) sum += value[c];
  out[get_global_id(0)] = BYTE(sum);
}
