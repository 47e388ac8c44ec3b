// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter motionblur: draws trails of the last four frames behind moving objects
//! param decay 0..1 = 0.7: weight of a frame relative to the next one
//! frames 4
float4 motionblur(PIXEL) {
  const float4 now = at(0, 0);
  float3 sum = now.xyz;
  float weight = 1.0f, all = 1.0f;
  for (int n = 1; n < 4; n++) {
    weight *= decay;
    all += weight;
    sum += weight * earlier(n, 0, 0).xyz;
  }
  return (float4)(sum / all, now.w);
}
