// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter median: the median of 3×3 px, per channel
//! radius 1
#define ORDER(a, b)                  \
  {                                  \
    const float4 least = fmin(a, b); \
    b = fmax(a, b);                  \
    a = least;                       \
  }
float4 median(PIXEL) {
  float4 a = at(-1, -1), b = at(0, -1), c = at(1, -1);
  float4 d = at(-1, 0), e = at(0, 0), f = at(1, 0);
  float4 g = at(-1, 1), h = at(0, 1), i = at(1, 1);
  const float alpha = e.w;
  ORDER(b, c);
  ORDER(e, f);
  ORDER(h, i);
  ORDER(a, b);
  ORDER(d, e);
  ORDER(g, h);
  ORDER(b, c);
  ORDER(e, f);
  ORDER(h, i);
  d = fmax(a, d);
  g = fmax(d, g);
  f = fmin(f, i);
  c = fmin(c, f);
  ORDER(b, e);
  e = fmin(e, h);
  e = fmax(b, e);
  ORDER(g, e);
  e = fmin(e, c);
  e = fmax(g, e);
  return (float4)(e.xyz, alpha);
}
