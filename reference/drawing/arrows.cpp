// SPDX-License-Identifier: LGPL-2.1-or-later
#include "arrows.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

using glcl::drawing::Arrow;
using glcl::drawing::Arrows;

/// R, G, B, A, 0 to 1.
struct Colour {
  double part[4];
};

Colour colour_of(uint32_t argb) {
  return {{(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0,
           (argb >> 24) / 255.0}};
}

Arrow arrow(double x, double y, double right, double down, double length, const Colour &colour) {
  const double whole = std::hypot(right, down);
  Arrow result{float(x), float(y), float(right / whole), float(down / whole), float(length), {}};
  for (int c = 0; c < 4; c++)
    result.colour.s[c] = static_cast<uint8_t>(std::lround(255 * colour.part[c]));
  return result;
}

/// The distance to the outside of a convex shape: to the furthest of its sides.
double to_rectangle(double along, double off, double tail, double neck, double thick) {
  return std::max({tail - along, along - neck, off - thick});
}
double to_triangle(double along, double off, double base, double tip, double side) {
  // The side from (base, side) to (tip, 0).
  const double dx = tip - base, dy = -side, length = std::hypot(dx, dy);
  return std::max(base - along, (dx * off - dy * (along - tip)) / length);
}

double distance(const Arrow &arrow, double thick, int x, int y) {
  const double dx = x - arrow.x, dy = y - arrow.y;
  const double along = dx * arrow.right + dy * arrow.down,
               off = std::abs(dy * arrow.right - dx * arrow.down);
  const double head = std::clamp(0.4 * arrow.length, 5 * thick, 10 * thick);
  const double neck = arrow.length - head;
  return std::min(to_rectangle(along, off, std::min(neck - 3 * thick, 0.0), neck, thick),
                  to_triangle(along, off, neck, arrow.length, 0.45 * head));
}

/// 1 inside, 0 outside, between over a pixel.
double inside(double distance) { return std::clamp(0.5 - distance, 0.0, 1.0); }

class Pixel {
 public:
  Pixel(const uint8_t *p, bool overlay) : overlay_(overlay) {
    for (int c = 0; c < 4; c++) part_[c] = overlay ? 0 : p[c] / 255.0;
  }
  void lay(const Colour &colour, double part) {
    for (int c = 0; c < 3; c++) part_[c] = (1 - part) * part_[c] + part * colour.part[c];
    if (overlay_) part_[3] = part + (1 - part) * part_[3];
  }
  void write(uint8_t *p) const {
    for (int c = 0; c < 4; c++)
      p[overlay_ && c < 3 ? 2 - c : c] = static_cast<uint8_t>(std::lround(255 * part_[c]));
  }

 private:
  bool overlay_;
  double part_[4];
};

Colour hue_of(double x, double y) {
  const double turn = std::atan2(y, x) / (2 * M_PI);
  Colour colour{{0, 0, 0, 1}};
  for (int c = 0; c < 3; c++) {
    const double hue = turn + (3 - c) % 3 / 3.0;
    colour.part[c] = std::clamp(std::abs(6 * (hue - std::floor(hue)) - 3) - 1, 0.0, 1.0);
  }
  return colour;
}

/// The rectangles that a macroblock is divided into, px.
struct Part {
  int x, y, width, height;
};
void divide(int how, const Part &part, std::vector<Part> &parts) {
  const int w = how & 2 ? part.width / 2 : part.width, h = how & 1 ? part.height / 2 : part.height;
  for (int y = part.y; y < part.y + part.height; y += h)
    for (int x = part.x; x < part.x + part.width; x += w) parts.push_back({x, y, w, h});
}
std::vector<Part> parts_of(uint16_t shape, int block) {
  std::vector<Part> parts;
  if ((shape & 3) < 3) {
    divide(shape & 3, {0, 0, block, block}, parts);
    return parts;
  }
  for (int quarter = 0; quarter < 4; quarter++)
    divide(shape >> (2 + 2 * quarter) & 3, {quarter % 2 * 8, quarter / 2 * 8, 8, 8}, parts);
  return parts;
}

}  // namespace

Frame arrows(const Frame &frame, const std::vector<Arrow> &arrows, uint32_t outline_color,
             bool overlay) {
  Frame out = overlay ? Frame(frame.width, frame.height) : frame;
  const auto [thick, outline] = Arrows::width(frame.width, frame.height);
  const Colour edge = colour_of(outline_color);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const Arrow *nearest = nullptr;
      int least = 256;
      double near = 0;
      for (const Arrow &arrow : arrows) {
        if (arrow.length < 0) continue;
        const double off = distance(arrow, thick, x, y);
        if (off >= outline + 0.5) continue;
        // Distances are distinguished in 255 steps.
        const int steps =
            static_cast<int>(std::clamp((off + thick) * 254 / (thick + outline + 0.5), 0.0, 254.0));
        if (steps < least) least = steps, nearest = &arrow, near = off;
      }
      if (!nearest) continue;
      Colour own{};
      for (int c = 0; c < 4; c++) own.part[c] = nearest->colour.s[c] / 255.0;
      Pixel pixel(frame.at(x, y), overlay);
      pixel.lay(edge, inside(near - outline) * edge.part[3]);
      pixel.lay(own, inside(near) * own.part[3]);
      pixel.write(out.at(x, y));
    }
  return out;
}

std::vector<Arrow> flow_arrows(const DenseVectors &field, double least, double gain, int cell,
                               uint32_t color) {
  std::vector<Arrow> list;
  for (int y = cell / 2; y < field.height; y += cell)
    for (int x = cell / 2; x < field.width; x += cell) {
      const size_t i = size_t(y) * field.width + x;
      const double vx = field.vectors[2 * i], vy = field.vectors[2 * i + 1];
      const double length = std::min(std::hypot(vx, vy) / gain, 1.0) * cell;
      if (field.confidence[i] < least || length < 1) continue;
      Colour colour = colour_of(color);
      if (!(color >> 24)) {
        colour = hue_of(vx, vy);
        for (int c = 0; c < 3; c++) colour.part[c] = 0.25 + 0.75 * colour.part[c];
      }
      list.push_back(arrow(x, y, vx, vy, length, colour));
    }
  return list;
}

Frame flow_color(const Frame &frame, const DenseVectors &field, double least, double gain) {
  Frame black = frame;
  for (size_t i = 0; i < black.rgba.size(); i++)
    if (i % 4 < 3) black.rgba[i] = 0;
  Frame out(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const size_t i = size_t(y) * frame.width + x;
      const double vx = field.vectors[2 * i], vy = field.vectors[2 * i + 1];
      Pixel pixel(black.at(x, y), false);
      if (field.confidence[i] >= least)
        pixel.lay(hue_of(vx, vy), std::min(std::hypot(vx, vy) / gain, 1.0));
      pixel.write(out.at(x, y));
    }
  return out;
}

Frame flow_overlay(const Frame &frame, const DenseVectors &field, double least, double gain,
                   bool overlay) {
  Frame out(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const size_t i = size_t(y) * field.width + x;
      const double vx = field.vectors[2 * i], vy = field.vectors[2 * i + 1];
      Pixel pixel(frame.at(x, y), overlay);
      if (field.confidence[i] >= least)
        pixel.lay(hue_of(vx, vy), 0.75 * std::min(std::hypot(vx, vy) / gain, 1.0));
      pixel.write(out.at(x, y));
    }
  return out;
}

std::vector<Arrow> block_arrows(const BlockVectors &field, int step, uint32_t color) {
  std::vector<Arrow> list;
  const int cells = field.block / field.cell, columns = field.columns / cells,
            rows = field.rows / cells;
  for (int y = 0; y < rows; y += step)
    for (int x = 0; x < columns; x += step) {
      const int column = std::min(x + step / 2, columns - 1),
                row = std::min(y + step / 2, rows - 1);
      for (const Part &part : parts_of(field.shapes[row * columns + column], field.block)) {
        const int left = column * field.block + part.x, upper = row * field.block + part.y;
        const auto v = field.vectors[upper / field.cell * field.columns + left / field.cell];
        if (!v.x && !v.y) continue;
        const double vx = v.x / 4.0, vy = v.y / 4.0;
        list.push_back(arrow(left + part.width / 2.0 - vx, upper + part.height / 2.0 - vy, vx, vy,
                             std::hypot(vx, vy), colour_of(color)));
      }
    }
  return list;
}

Frame block_grid(const Frame &frame, const BlockVectors &field, int line) {
  Frame out = frame;
  const int columns = field.columns / (field.block / field.cell);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++) {
      const int px = x % field.block, py = y % field.block;
      bool edge = false;
      for (const Part &part :
           parts_of(field.shapes[y / field.block * columns + x / field.block], field.block))
        if (px >= part.x && px < part.x + part.width && py >= part.y && py < part.y + part.height)
          edge = px < part.x + line || py < part.y + line;
      if (!edge) continue;
      const uint8_t *p = frame.at(x, y);
      const bool dark = 77 * p[0] + 150 * p[1] + 29 * p[2] < 64 * 256;
      Pixel pixel(p, false);
      pixel.lay(colour_of(dark ? 0xffffffff : 0), 0.4);
      pixel.write(out.at(x, y));
    }
  return out;
}

}  // namespace reference
