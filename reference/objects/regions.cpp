// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "objects.h"

namespace reference {

using glcl::objects::Region;

namespace {

constexpr int cell = 2, strong = 3, weak = 2, reach = 2, solid = 14;
constexpr int overlay = 2;  // values of the foreground up to this are no change

/// The cells of a frame, and how they belong together.
class RegionCells {
 public:
  RegionCells(const std::vector<uint8_t> &foreground, int width, int height,
              const std::vector<uint8_t> &mask, const BlockGroups &groups)
      : foreground_(foreground),
        width_(width),
        height_(height),
        columns_((width + cell - 1) / cell),
        rows_((height + cell - 1) / cell),
        groups_(groups),
        counts_(size_t(columns_) * rows_),
        done_(counts_.size()) {
    for (size_t at = 0; at < counts_.size(); at++)
      if (mask.empty() || mask[at]) each_pixel(at, [&](int, int, int) { counts_[at]++; });
    for (size_t at = 0; at < counts_.size(); at++) {
      bool neighbour = false;
      around(at, 1, [&](size_t other) { neighbour |= counts_[other] >= strong; });
      part_.push_back(counts_[at] >= strong || (counts_[at] >= weak && neighbour));
    }
    find_full();
    find_groups();
  }

  size_t count() const { return counts_.size(); }
  int area(size_t at) const { return counts_[at]; }
  /// True for cells of regions that no list() had yet.
  bool begins(size_t at) const { return part_[at] && !done_[at]; }
  /// All cells of the region that begins with this one.
  std::vector<size_t> list(size_t first) {
    std::vector<size_t> found, open{first};
    done_[first] = true;
    const auto add = [&](size_t at) {
      if (!begins(at)) return;
      done_[at] = true;
      open.push_back(at);
    };
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      found.push_back(at);
      around(at, reach, [&](size_t other) {
        if ((adjoins(at, other) || !(full_[at] || full_[other])) &&
            std::abs(group(at)) == std::abs(group(other)))
          add(other);
      });
      if (group(at) <= 0) continue;
      std::vector<size_t> &same = members_[size_t(group(at)) - 1];
      if (!std::binary_search(same.begin(), same.end(), at)) continue;
      std::for_each(same.begin(), same.end(), add);
      same.clear();
    }
    return found;
  }
  /// The block of a cell's first pixel.
  size_t block(size_t at) const {
    return size_t(row(at) * cell / groups_.side) * groups_.columns +
           column(at) * cell / groups_.side;
  }
  /// The group of a cell.
  int group(size_t at) const { return groups_.numbers.empty() ? 0 : groups_.numbers[block(at)]; }
  template <class Work>
  void each_pixel(size_t at, Work work) const {
    each_place(at, [&](size_t pixel) {
      if (const int value = foreground_[pixel]; value > overlay)
        work(int(pixel) % width_, int(pixel) / width_, value);
    });
  }
  /// The indices of a cell's pixels.
  template <class Work>
  void each_place(size_t at, Work work) const {
    for (int y = row(at) * cell; y < std::min((row(at) + 1) * cell, height_); y++)
      for (int x = column(at) * cell; x < std::min((column(at) + 1) * cell, width_); x++)
        work(size_t(y) * width_ + x);
  }
  /// The cell at a distance of another one, if it is in the frame.
  std::optional<size_t> at(size_t from, int dx, int dy) const {
    const int x = column(from) + dx, y = row(from) + dy;
    if (x < 0 || y < 0 || x >= columns_ || y >= rows_) return {};
    return size_t(y) * columns_ + x;
  }

 private:
  int column(size_t at) const { return int(at) % columns_; }
  int row(size_t at) const { return int(at) / columns_; }
  bool adjoins(size_t a, size_t b) const {
    return std::abs(column(a) - column(b)) <= 1 && std::abs(row(a) - row(b)) <= 1;
  }
  template <class Work>
  void around(size_t at, int by, Work work) const {
    for (int y = std::max(row(at) - by, 0); y <= std::min(row(at) + by, rows_ - 1); y++)
      for (int x = std::max(column(at) - by, 0); x <= std::min(column(at) + by, columns_ - 1); x++)
        work(size_t(y) * columns_ + x);
  }
  void find_full() {
    full_.resize(count());
    for (size_t at = 0; at < count(); at++) {
      if (row(at) + 1 == rows_ || column(at) + 1 == columns_) continue;
      const size_t below = at + size_t(columns_), square[] = {at, at + 1, below, below + 1};
      int sum = 0;
      for (size_t i : square) sum += counts_[i];
      for (size_t i : square) full_[i] = full_[i] || sum >= solid;
    }
  }
  /// The cells of each group, from its first strong one on: they are one region wherever they are.
  void find_groups() {
    members_.resize(groups_.numbers.size());
    for (size_t at = 0; at < count(); at++) {
      if (!part_[at] || group(at) <= 0) continue;
      std::vector<size_t> &same = members_[size_t(group(at)) - 1];
      if (!same.empty() || counts_[at] >= strong) same.push_back(at);
    }
  }

  const std::vector<uint8_t> &foreground_;
  int width_, height_, columns_, rows_;
  const BlockGroups &groups_;
  std::vector<int> counts_;
  std::vector<bool> part_, full_, done_;
  std::vector<std::vector<size_t>> members_;
};

/// Adds a cell to its region.
void add(Region &region, const RegionCells &cells, size_t at, const std::vector<float> &small,
         int width, const BlockGroups &groups) {
  int squares = 0;
  cells.each_pixel(at, [&](int x, int y, int value) {
    const int level = std::clamp(int(small[size_t(y) * width + x]), 0, 255);
    region.levels += level, squares += level * level;
    region.left = std::min(region.left, x), region.right = std::max(region.right, x);
    region.top = std::min(region.top, y), region.bottom = std::max(region.bottom, y);
    region.area++, region.distance += value;
  });
  region.squares += squares / 64;
  if (cells.group(at) <= 0) return;
  const auto &[x, y] = groups.moved[cells.block(at)];
  region.moving += cells.area(at);
  region.vx += cells.area(at) * int(std::rint(4 * x));
  region.vy += cells.area(at) * int(std::rint(4 * y));
}

/// Adds the changes in a cell, and those two cells from it if there is no foreground up to a third
/// one.
void add_changes(Region &region, const RegionCells &cells, size_t at,
                 const std::vector<int> &changes) {
  region.cells++;
  cells.each_place(at, [&](size_t pixel) { region.change += std::abs(changes[pixel]); });
  for (const auto &[dx, dy] : {std::array{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
    const auto free = [&, x = dx, y = dy](int steps) {
      const std::optional<size_t> place = cells.at(at, steps * x, steps * y);
      return place && cells.area(*place) < weak;
    };
    if (!free(1) || !free(2) || !free(3)) continue;
    region.outside++;
    cells.each_place(*cells.at(at, 2 * dx, 2 * dy),
                     [&](size_t pixel) { region.outside_change += changes[pixel]; });
  }
}

}  // namespace

std::vector<Region> regions(const std::vector<uint8_t> &foreground, const std::vector<float> &small,
                            int width, int height, int least, const std::vector<uint8_t> &mask,
                            const BlockGroups &groups, const std::vector<int> &changes) {
  RegionCells cells(foreground, width, height, mask, groups);
  std::vector<Region> list;
  for (size_t first = 0; first < cells.count(); first++) {
    if (!cells.begins(first)) continue;
    Region region{INT_MAX, INT_MAX, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (size_t at : cells.list(first)) {
      add(region, cells, at, small, width, groups);
      if (!changes.empty()) add_changes(region, cells, at, changes);
    }
    if (region.area >= least) list.push_back(region);
  }
  return list;
}

std::vector<uint8_t> region_mask(const std::vector<uint8_t> &foreground, int width,
                                 const std::vector<Region> &regions,
                                 const std::vector<uint8_t> &mask) {
  const int columns = (width + cell - 1) / cell;
  std::vector<uint8_t> out(foreground.size());
  for (const Region &region : regions)
    for (int y = region.top; y <= region.bottom; y++)
      for (int x = region.left; x <= region.right; x++) {
        const size_t at = size_t(y) * width + x;
        out[at] = out[at] || foreground[at] > overlay;
      }
  for (size_t at = 0; at < foreground.size(); at++)
    if (foreground[at] == 1 || foreground[at] == overlay) {
      const uint8_t kind = foreground[at] == overlay ? 3 : 2;
      out[at] = mask.empty() || mask[at / width / cell * columns + at % width / cell] ? kind : 0;
    }
  return out;
}

}  // namespace reference
