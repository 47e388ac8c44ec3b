// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overlaid.h"

#include <algorithm>
#include <random>

namespace clips {

namespace {

void fill(reference::Frame &frame, int left, int top, int right, int bottom, int ink) {
  for (int y = std::max(top, 0); y < std::min(bottom, frame.height); y++)
    for (int x = std::max(left, 0); x < std::min(right, frame.width); x++)
      for (int c = 0; c < 3; c++) frame.at(x, y)[c] = uint8_t(ink);
}

/// Letters of 3×5 squares of `size` px, in a line.
void write(reference::Frame &frame, int left, int top, int count, int size, int ink,
           unsigned seed) {
  std::mt19937 random(seed);
  for (int k = 0; k < count; k++) {
    const unsigned letter = unsigned(random()) | 0x1249;
    for (int i = 0; i < 15; i++)
      if (letter >> i & 1) {
        const int x = left + (4 * k + i % 3) * size, y = top + i / 3 * size;
        fill(frame, x, y, x + size, y + size, ink);
      }
  }
}

}  // namespace

const std::vector<std::pair<const char *, Overlay>> &overlays() {
  static const std::vector<std::pair<const char *, Overlay>> list{
      {"logo",
       [](reference::Frame &frame, int, unsigned seed) {
         const int left = seed % 3 ? 240 : 16, top = seed % 2 ? 14 : 24;
         fill(frame, left, top, left + 62, top + 30, 225);
         write(frame, left + 8, top + 8, 4, 3, 60, seed);
       }},
      {"clock",
       [](reference::Frame &frame, int number, unsigned seed) {
         write(frame, 20, 206 - int(seed % 3) * 8, 6, 3, 245, seed);
         write(frame, 20 + 72, 206 - int(seed % 3) * 8, 2, 3, 245, seed + unsigned(number / 25));
       }},
      {"subtitle",
       [](reference::Frame &frame, int number, unsigned seed) {
         if (number < 15) return;
         const int line = number / 30;
         for (int i = 0; i < 2; i++)
           write(frame, 50 + 10 * i, 192 + 18 * i, 18 - 2 * line, 2 + int(seed % 2), 240,
                 seed + unsigned(10 * line + i));
       }},
      {"display",
       [](reference::Frame &frame, int, unsigned seed) {
         for (int i = 0; i < 3; i++) write(frame, 12, 16 + 16 * i, 9, 2, 250, seed + unsigned(i));
         fill(frame, 160, 100, 161, 140, 250);
         fill(frame, 140, 120, 181, 121, 250);
       }},
      {"bars",
       [](reference::Frame &frame, int, unsigned seed) {
         const int by = 20 + int(seed % 3) * 4;
         fill(frame, 0, 0, frame.width, by, 16);
         fill(frame, 0, frame.height - by, frame.width, frame.height, 16);
       }},
  };
  return list;
}

}  // namespace clips
