// SPDX-License-Identifier: LGPL-2.1-or-later
//! filter watermark: draws the picture in its own size over a part of the frame
//! param opacity 0..1 = 1: 0 hides it
//! param scale 0.05..8 = 1: size relative to its own
//! param across 0..1 = 1: place along the width, from left to right
//! param down 0..1 = 1: place along the height, from top to bottom
//! param margin 0..1024 = 16: least distance from the edges, px
float4 watermark(PIXEL) {
  const float4 c = at(0, 0);
  const float2 size = (float2)(picture_width, picture_height);
  const float2 room = (float2)(width, height) - 2.0f * margin - scale * size;
  const float2 first = rint(margin + (float2)(across, down) * room);
  const float2 place = ((float2)(x, y) + 0.5f - first) / scale;
  if (any(place < 0.0f) || any(place >= size)) return c;
  const float4 over = picture_at(place.x - 0.5f, place.y - 0.5f);
  return (float4)(c.xyz + opacity * over.w * (over.xyz - c.xyz), c.w);
}
