// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motiongroups.h"

#include <algorithm>
#include <cmath>

#include "reference/camera/similarity.h"

namespace reference {

namespace {

constexpr int usual_side = 16, most_blocks = 16384, short_sides = 14;  // blocks and their groups
constexpr int compared = 16, longest_vector = 128;                     // px
constexpr double least_pan = 1, least_speed = 1.5, speed_part = 0.15;
constexpr double least_gain = 2, least_foreground = 0.06;
constexpr int group_blocks = 8;
constexpr double most_different = 1.5, different_part = 0.2;
constexpr int overlay = 2;         // values of the foreground up to this are no change
constexpr double rounding = 2e-3;  // px

int parts(int length, int side) { return (length + side - 1) / side; }

/// The difference of a square around a point from the previous frame, of which it is `motion` away.
/// A square that ends at the frame's right or bottom side repeats its last pixels.
int difference(const Plane &current, const Plane &previous, int x, int y, int motion_x,
               int motion_y) {
  int sum = 0;
  for (int dy = -compared / 2; dy < compared / 2; dy++)
    for (int dx = -compared / 2; dx < compared / 2; dx++) {
      const int px = std::min(x + dx, current.width - 1), py = std::min(y + dy, current.height - 1);
      sum += std::abs(current.at(px, py) - previous.at(px - motion_x, py - motion_y));
    }
  return sum;
}

int nearest(float along) {
  return std::clamp(int(std::rint(std::clamp(along, -1e6f, 1e6f))), -longest_vector,
                    longest_vector);
}

bool between_pixels(float along) { return std::abs(along - std::floor(along) - 0.5) < rounding; }

}  // namespace

MotionGroups::MotionGroups(int width, int height, const glcl::camera::FrameGeometry &frame)
    : width_(width), height_(height), frame_(frame) {
  const int reduction = int(frame.reduction);
  side_ = std::max(usual_side - usual_side % reduction, reduction);
  while (parts(width, side_) * parts(height, side_) > most_blocks) side_ += reduction;
  reach_ = std::max(std::min(width, height) / (short_sides * side_), 1);
  layout_.columns = parts(width, side_), layout_.rows = parts(height, side_);
  layout_.side = side_ / reduction;
}

MotionGroups::Block MotionGroups::block(int column, int row, const Plane &current,
                                        const Plane &previous, const Field &field,
                                        const glcl::camera::CameraState &state,
                                        const std::vector<uint8_t> &foreground) const {
  const int x = std::min(column * side_ + side_ / 2, width_ - 1),
            y = std::min(row * side_ + side_ / 2, height_ - 1),
            field_rows = int(field.vectors.size()) / field.columns;
  const glcl::motion::Vector v =
      field.vectors[size_t(std::min(y / field.cell, field_rows - 1)) * field.columns +
                    std::min(x / field.cell, field.columns - 1)];
  const Complex own(v.x / 4.0f, v.y / 4.0f),
      place(float(x) - float(width_) / 2, float(y) - float(height_) / 2),
      // The motion belongs to where the pixel was.
      camera = vector_at(state.frame_motion, place - vector_at(state.frame_motion, place)),
      moved = own - camera;
  const int by_vector = difference(current, previous, x, y, int(std::rint(own.real())),
                                   int(std::rint(own.imag()))),
            by_camera =
                difference(current, previous, x, y, nearest(camera.real()), nearest(camera.imag()));
  int changed = 0;
  for (int v = row * layout_.side; v < std::min((row + 1) * layout_.side, frame_.size.s[1]); v++)
    for (int u = column * layout_.side; u < std::min((column + 1) * layout_.side, frame_.size.s[0]);
         u++)
      changed += foreground[size_t(v) * frame_.size.s[0] + u] > overlay;
  const double pan = std::abs(camera), speed = std::abs(moved);
  Block block{{moved.real(), moved.imag()}, 0, false};
  block.vague = between_pixels(camera.real()) || between_pixels(camera.imag());
  // Gains are whole numbers and may be equal to their limit.
  const double gain = by_camera - by_vector - least_gain * compared * compared + 0.5;
  block.slack = std::min({pan - least_pan, speed - std::max(least_speed, speed_part * pan),
                          changed - least_foreground * layout_.side * layout_.side,
                          block.vague ? 1 : gain, state.model_empty ? -1.0 : 1.0});
  return block;
}

void MotionGroups::next(const Plane &current, const Plane &previous, const Field &field,
                        const glcl::camera::CameraState &state,
                        const std::vector<uint8_t> &foreground) {
  blocks.clear();
  for (int row = 0; row < layout_.rows; row++)
    for (int column = 0; column < layout_.columns; column++)
      blocks.push_back(block(column, row, current, previous, field, state, foreground));
}

bool MotionGroups::alike(const Block &a, const Block &b, bool close) const {
  const double speed =
                   std::max(std::hypot(a.moved[0], a.moved[1]), std::hypot(b.moved[0], b.moved[1])),
               slack = most_different + different_part * speed -
                       std::hypot(a.moved[0] - b.moved[0], a.moved[1] - b.moved[1]);
  return slack > (close ? -rounding : rounding);
}

/// The first block of each moving block's set, else -1. A set is filled from its first block on.
std::vector<int> MotionGroups::first_blocks(const std::vector<bool> &moves, bool close) const {
  std::vector<int> first(blocks.size(), -1);
  for (size_t start = 0; start < blocks.size(); start++) {
    if (!moves[start] || first[start] >= 0) continue;
    first[start] = int(start);
    std::vector<size_t> open{start};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      const int x = int(at) % layout_.columns, y = int(at) / layout_.columns,
                left = std::max(x - reach_, 0),
                wide = std::min(x + reach_ + 1, layout_.columns) - left,
                top = std::max(y - reach_, 0), high = std::min(y + reach_ + 1, layout_.rows) - top;
      for (int i = 0; i < wide * high; i++) {
        const size_t other = size_t(top + i / wide) * layout_.columns + left + i % wide;
        if (!moves[other] || first[other] >= 0 || !alike(blocks[at], blocks[other], close))
          continue;
        first[other] = int(start);
        open.push_back(other);
      }
    }
  }
  return first;
}

BlockGroups MotionGroups::groups(bool close) const {
  BlockGroups found = layout_;
  std::vector<bool> moves;
  for (const Block &block : blocks) {
    moves.push_back(block.slack >= (close ? -rounding : rounding) && (close || !block.vague));
    found.moved.push_back(block.moved);
  }
  const std::vector<int> first = first_blocks(moves, close);
  std::vector<int> sizes(blocks.size());
  for (int start : first)
    if (start >= 0) sizes[size_t(start)]++;
  for (int start : first)
    found.numbers.push_back(start >= 0 && sizes[size_t(start)] >= group_blocks ? start + 1 : 0);
  const std::vector<int> own = found.numbers;
  for (size_t at = 0; at < own.size(); at++)
    for (int i = 0; i < 9 && !found.numbers[at]; i++) {
      const int x = int(at) % layout_.columns + i % 3 - 1,
                y = int(at) / layout_.columns + i / 3 - 1;
      if (x >= 0 && y >= 0 && x < layout_.columns && y < layout_.rows)
        found.numbers[at] = -own[size_t(y) * layout_.columns + x];
    }
  return found;
}

}  // namespace reference
