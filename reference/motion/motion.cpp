// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace reference {

using glcl::Rect;
using glcl::motion::Key;
using glcl::motion::Search;
using glcl::motion::SearchWindow;
using glcl::motion::Vector;

namespace {

int component_bits(int v) {
  int number = v > 0 ? 2 * v : 1 - 2 * v, bits = 1;
  for (; number > 1; number /= 2) bits += 2;
  return bits;
}

uint32_t sad(const Plane &current, const Plane &reference, const Rect &at, int dx, int dy) {
  uint32_t sum = 0;
  for (int y = at.y; y < at.y + at.height; y++)
    for (int x = at.x; x < at.x + at.width; x++)
      sum += std::abs(current.at(x, y) - reference.at(x + dx, y + dy));
  return sum;
}

/// The key of one rectangle. Costs above `most` are ignored.
Key search(const Plane &current, const Plane &reference, const Rect &at, const SearchWindow &window,
           int lambda, uint32_t most) {
  Key best = glcl::motion::no_key;
  for (int dy = window.y.first; dy <= window.y.last(); dy++)
    for (int dx = window.x.first; dx <= window.x.last(); dx++) {
      const Vector v{static_cast<int16_t>(4 * dx), static_cast<int16_t>(4 * dy)};
      const uint32_t cost = sad(current, reference, at, dx, dy) + lambda * vector_bits(v);
      if (cost <= most && cost < glcl::motion::cost_of(best)) best = glcl::motion::key_of(cost, v);
    }
  return best;
}

/// All rectangles of a frame that have a key.
std::vector<Rect> rectangles(const Plane &plane, int block) {
  const bool all = block == Search::partitions;
  const int side = all ? 16 : block;
  const std::vector<Rect> whole{{0, 0, side, side}}, &parts = all ? partitions() : whole;
  std::vector<Rect> list;
  for (int top = 0; top < plane.height; top += side)
    for (int left = 0; left < plane.width; left += side)
      for (const Rect &part : parts)
        list.push_back({left + part.x, top + part.y, part.width, part.height});
  return list;
}

/// Searches from candidate to candidate.
struct Walk {
  const Plane &current, &reference;
  Rect at;
  int range, lambda;
  Key best = glcl::motion::no_key;

  int x() const { return glcl::motion::vector_of(best).x / 4; }
  int y() const { return glcl::motion::vector_of(best).y / 4; }
  void visit(int dx, int dy) {
    if (std::max(std::abs(dx), std::abs(dy)) > range) return;
    const Vector v{static_cast<int16_t>(4 * dx), static_cast<int16_t>(4 * dy)};
    const uint32_t cost = sad(current, reference, at, dx, dy) + lambda * vector_bits(v);
    best = std::min(best, glcl::motion::key_of(cost, v));
  }
  void visit_square(int x0, int y0, int reach) {
    for (int dy = -reach; dy <= reach; dy++)
      for (int dx = -reach; dx <= reach; dx++) visit(x0 + dx, y0 + dy);
  }
};

/// One step of hierarchical().
std::vector<Key> follow(const Plane &current, const Plane &reference, int block, int range,
                        int lambda, const std::vector<Key> &parents, const Plane &parent_plane) {
  const int columns = (parent_plane.width + 7) / 8, rows = (parent_plane.height + 7) / 8;
  std::vector<Key> keys;
  for (const Rect &at : rectangles(current, block)) {
    const int px = (at.x + at.width / 2) / 16, py = (at.y + at.height / 2) / 16;
    Walk walk{current, reference, at, range, lambda};
    walk.visit_square(0, 0, 2);
    for (const auto &[dx, dy] : {std::pair{0, 0}, {0, -1}, {-1, 0}, {1, 0}, {0, 1}}) {
      const int x = std::clamp(px + dx, 0, columns - 1), y = std::clamp(py + dy, 0, rows - 1);
      const Vector v = glcl::motion::vector_of(parents[size_t(y) * columns + x]);
      walk.visit_square(v.x / 2, v.y / 2, 2);
    }
    keys.push_back(walk.best);
  }
  return keys;
}

}  // namespace

const std::vector<Rect> &partitions() {
  static const auto *all = [] {
    auto *list = new std::vector<Rect>;
    for (const auto &[width, height] :
         {std::pair{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}})
      for (int y = 0; y < 16; y += height)
        for (int x = 0; x < 16; x += width) list->push_back({x, y, width, height});
    return list;
  }();
  return *all;
}

uint8_t Plane::at(int x, int y) const {
  return values[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
}

Plane luma(const Frame &frame) {
  Plane plane(frame.width, frame.height);
  for (size_t i = 0; i < plane.values.size(); i++) {
    const uint8_t *p = &frame.rgba[4 * i];
    plane.values[i] = static_cast<uint8_t>((30 * p[0] + 59 * p[1] + 11 * p[2] + 50) / 100);
  }
  return plane;
}

std::vector<uint8_t> padded(const Plane &plane) {
  using Layout = glcl::motion::LumaPlane;
  const Layout layout(plane.width, plane.height);
  std::vector<uint8_t> bytes(layout.bytes());
  for (int y = 0; y < layout.rows; y++)
    for (int x = 0; x < layout.pitch; x++)
      bytes[size_t(y) * layout.pitch + x] = plane.at(x - Layout::padding, y - Layout::padding);
  return bytes;
}

Plane halved(const Plane &plane) {
  Plane half((plane.width + 1) / 2, (plane.height + 1) / 2);
  for (int y = 0; y < half.height; y++)
    for (int x = 0; x < half.width; x++)
      half.values[size_t(y) * half.width + x] =
          static_cast<uint8_t>((plane.at(2 * x, 2 * y) + plane.at(2 * x + 1, 2 * y) +
                                plane.at(2 * x, 2 * y + 1) + plane.at(2 * x + 1, 2 * y + 1) + 2) /
                               4);
  return half;
}

int vector_bits(Vector v) { return component_bits(v.x) + component_bits(v.y); }

std::vector<Key> full_search(const Plane &current, const Plane &reference, int block,
                             const SearchWindow &window, int lambda) {
  std::vector<Key> keys;
  for (const Rect &at : rectangles(current, block))
    keys.push_back(
        search(current, reference, at, window, lambda, block == Search::partitions ? 65535 : ~0u));
  return keys;
}

std::vector<Key> hexagon(const Plane &current, const Plane &reference, int block, int range,
                         int lambda) {
  std::vector<Key> keys;
  for (const Rect &at : rectangles(current, block)) {
    Walk walk{current, reference, at, range, lambda};
    walk.visit(0, 0);
    Key before;
    do {
      const int x = walk.x(), y = walk.y();
      before = walk.best;
      for (const auto &[dx, dy] : {std::pair{-2, 0}, {2, 0}, {-1, -2}, {1, -2}, {-1, 2}, {1, 2}})
        walk.visit(x + dx, y + dy);
    } while (walk.best < before);
    walk.visit_square(walk.x(), walk.y(), 1);
    keys.push_back(walk.best);
  }
  return keys;
}

std::vector<Key> hierarchical(const Plane &current, const Plane &reference, int block, int range,
                              int lambda) {
  const Plane half = halved(current), half_reference = halved(reference);
  std::vector<Key> keys;
  if (range <= 16) {
    keys = full_search(half, half_reference, 8, SearchWindow::of_range((range + 1) / 2), lambda);
  } else {
    const Plane quarter = halved(half), quarter_reference = halved(half_reference);
    keys =
        full_search(quarter, quarter_reference, 8, SearchWindow::of_range((range + 3) / 4), lambda);
    keys = follow(half, half_reference, 8, (range + 1) / 2, lambda, keys, quarter);
  }
  return follow(current, reference, block, range, lambda, keys, half);
}

namespace {

int six(int a, int b, int c, int d, int e, int f) {
  return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

uint8_t clip(int v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

/// The cost of a rectangle at a vector in quarter pixels.
uint32_t cost_at(const Plane &current, const Samples &reference, const Rect &at, Vector v,
                 int lambda) {
  uint32_t sum = lambda * vector_bits(v);
  for (int y = at.y; y < at.y + at.height; y++)
    for (int x = at.x; x < at.x + at.width; x++)
      sum += std::abs(current.at(x, y) - reference.at(4 * x + v.x, 4 * y + v.y));
  return sum;
}

/// The partition of a macroblock, divided as `shape` says, that holds cell (x, y).
int partition_at(uint16_t shape, int x, int y) {
  constexpr int firsts[2][4] = {{0, 1, 3, 0}, {5, 9, 17, 25}};
  const int quarter = y / 2 * 2 + x / 2;
  const bool small = (shape & 3) == 3;
  const int first = firsts[small][small ? shape >> (2 + 2 * quarter) & 3 : shape & 3];
  const auto &all = partitions();
  for (int p = first;; p++)
    if (4 * x >= all[p].x && 4 * x < all[p].x + all[p].width && 4 * y >= all[p].y &&
        4 * y < all[p].y + all[p].height)
      return p;
}

/// The keys' costs where a macroblock, or a quarter of it, is divided like this, and the bits of
/// the division.
uint32_t cost_of(const Key *keys, const std::vector<int> &parts, int bits, int lambda) {
  uint32_t sum = lambda * bits;
  for (int part : parts) sum += glcl::motion::cost_of(keys[part]);
  return sum;
}

}  // namespace

Samples::Samples(const Plane &plane, int margin) : plane_(plane), margin_(margin) {
  b_ = h_ = j_ = Plane(plane.width + 2 * margin, plane.height + 2 * margin);
  const auto &p = plane;
  const auto wide = [&](int x, int y) {
    return six(p.at(x - 2, y), p.at(x - 1, y), p.at(x, y), p.at(x + 1, y), p.at(x + 2, y),
               p.at(x + 3, y));
  };
  for (int y = -margin; y < plane.height + margin; y++)
    for (int x = -margin; x < plane.width + margin; x++) {
      const size_t i = size_t(y + margin) * b_.width + x + margin;
      b_.values[i] = clip((wide(x, y) + 16) >> 5);
      h_.values[i] = clip((six(p.at(x, y - 2), p.at(x, y - 1), p.at(x, y), p.at(x, y + 1),
                               p.at(x, y + 2), p.at(x, y + 3)) +
                           16) >>
                          5);
      j_.values[i] = clip((six(wide(x, y - 2), wide(x, y - 1), wide(x, y), wide(x, y + 1),
                               wide(x, y + 2), wide(x, y + 3)) +
                           512) >>
                          10);
    }
}

uint8_t Samples::half(int x, int y) const {
  const int px = x >> 1, py = y >> 1;
  if (x & 1) return (y & 1 ? j_ : b_).at(px + margin_, py + margin_);
  return y & 1 ? h_.at(px + margin_, py + margin_) : plane_.at(px, py);
}

uint8_t Samples::at(int x, int y) const {
  const auto mean = [](int a, int b) { return static_cast<uint8_t>((a + b + 1) / 2); };
  const int left = x >> 1, top = y >> 1;  // in half pixels
  if (!(x & 1) && !(y & 1)) return half(left, top);
  if (!(y & 1)) return mean(half(left, top), half(left + 1, top));
  if (!(x & 1)) return mean(half(left, top), half(left, top + 1));
  // Diagonal: of the four half-pixel places around it, that of b and that of h.
  const int odd_x = left & 1 ? left : left + 1, even_x = left & 1 ? left + 1 : left;
  const int odd_y = top & 1 ? top : top + 1, even_y = top & 1 ? top + 1 : top;
  return mean(half(odd_x, even_y), half(even_x, odd_y));
}

void refine(std::vector<Key> &keys, const Plane &current, const Samples &reference, int block,
            int lambda, bool quarter) {
  size_t i = 0;
  for (const Rect &at : rectangles(current, block)) {
    Key &key = keys[i++];
    key = std::min(key, glcl::motion::key_of(~0u, {}));
    for (int step = 2; step > (quarter ? 0 : 1); step--) {
      const Vector from = glcl::motion::vector_of(key);
      for (int n = 0; n < 9; n++) {
        if (n == 4) continue;
        const Vector v{static_cast<int16_t>(from.x + step * (n % 3 - 1)),
                       static_cast<int16_t>(from.y + step * (n / 3 - 1))};
        key = std::min(key, glcl::motion::key_of(cost_at(current, reference, at, v, lambda), v));
      }
    }
  }
}

namespace {

/// How many of the eight neighbours of key `i` have a vector other than 0 within a pixel of its
/// own; `across`: keys per block.
int company(const std::vector<Key> &keys, int i, int across, int columns) {
  const int rows = static_cast<int>(keys.size()) / across / columns;
  const int column = i / across % columns, row = i / across / columns;
  const Vector own = glcl::motion::vector_of(keys[i]);
  int alike = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const int x = column + dx, y = row + dy;
      if ((!dx && !dy) || x < 0 || y < 0 || x >= columns || y >= rows) continue;
      const Vector v = glcl::motion::vector_of(keys[size_t(y * columns + x) * across + i % across]);
      alike += (v.x || v.y) && std::abs(v.x - own.x) <= 4 && std::abs(v.y - own.y) <= 4;
    }
  return alike;
}

}  // namespace

void keep_still(std::vector<Key> &keys, const Plane &current, const Plane &reference, int block,
                int lambda, const NoiseTable &noise, bool between, Flicker *flicker) {
  Flicker none;
  if (!flicker) flicker = &none;
  flicker->next();
  const bool divided = block == Search::partitions;
  const int across = divided ? Search::partitions : 1, side = divided ? 16 : block;
  const int columns = (current.width + side - 1) / side;
  const std::vector<Key> found = keys;
  const auto still = static_cast<uint32_t>(glcl::motion::key_of(0, {0, 0}));
  size_t i = 0;
  for (const Rect &at : rectangles(current, block)) {
    const bool whole = i % across == 0;
    const bool alone = company(found, static_cast<int>(i), across, columns) < 3;
    Key &key = keys[i++];
    float sum = 0;
    int change = 0;
    for (int y = at.y; y < at.y + at.height; y++)
      for (int x = at.x; x < at.x + at.width; x++) {
        sum += current.at(x, y);
        change += current.at(x, y) - reference.at(x, y);
      }
    const int count = at.width * at.height;
    const auto pixels = static_cast<float>(count);
    const float level = std::sqrt(noise_correlation * noise_at(noise, sum / pixels));
    const auto left =
        static_cast<float>(static_cast<int>(glcl::motion::cost_of(key)) -
                           lambda * static_cast<int>(vector_bits(glcl::motion::vector_of(key))));
    const float rest = left / (0.8f * pixels);
    if (whole)
      flicker->count(0.35254f * std::max(rest * rest - 2 * noise_correlation * noise[0], 0.0f));
    if (static_cast<uint32_t>(key) == still) {
      if (whole && left >= 0.125f * pixels) flicker->rest();
      continue;
    }
    const float coded = std::clamp(2.5f - 1.25f * level / std::sqrt(noise_correlation), 0.0f, 1.0f);
    const float explained =
        coded * std::min(2 * left, pixels) + (alone ? 0.8f * left : 0) +
        level * ((alone ? 12 : 4) * std::sqrt(pixels) + (between ? 0.15f * pixels : 0)) +
        std::sqrt(noise.back()) * pixels;
    const float renewal = 0.8f * std::sqrt(flicker->variance() / 0.35254f) * pixels;
    const float stays = alone ? 1 : 1 - flicker->pans();
    const uint32_t most =
        glcl::motion::cost_of(key) +
        static_cast<uint32_t>(stays * (explained + (1 - flicker->camera()) * renewal));
    const uint32_t cost = sad(current, reference, at, 0, 0) + lambda * vector_bits({0, 0});
    const int rise = static_cast<int>(std::lround(static_cast<double>(change) / count));
    uint32_t relit = lambda * vector_bits({0, 0});
    for (int y = at.y; y < at.y + at.height; y++)
      for (int x = at.x; x < at.x + at.width; x++)
        relit += std::abs(current.at(x, y) - std::clamp(reference.at(x, y) + rise, 0, 255));
    const auto variance = [&](const Plane &plane) {
      double all = 0, squares = 0;
      for (int y = at.y; y < at.y + at.height; y++)
        for (int x = at.x; x < at.x + at.width; x++)
          all += plane.at(x, y), squares += plane.at(x, y) * plane.at(x, y);
      return (squares - all * all / count) / count;
    };
    const float deviation = level / std::sqrt(noise_correlation);
    const float most_faint = left < 0.57f * deviation * pixels
                                 ? 0
                                 : (3 - 1.5f * flicker->pans()) * deviation * deviation;
    const bool faint = std::min(variance(current), variance(reference)) <=
                       std::max(most_faint, (1 - flicker->pans()) * 5.0f);
    if (whole && std::min(cost, relit) >
                     glcl::motion::cost_of(key) + static_cast<uint32_t>(explained + renewal))
      flicker->move();
    if (std::min(cost, relit) <= most || faint) key = glcl::motion::key_of(cost, {0, 0});
  }
}

NoiseTable noise_of(const Plane &before, const Plane &after) {
  return noise(
      glcl::noise::Noise::Texels::luma, before.width, before.height,
      [&](int x, int y) { return static_cast<float>(before.at(x, y)); },
      [&](int x, int y) { return static_cast<float>(after.at(x, y)); });
}

Field field(const std::vector<Key> &keys, int width, int height, int block, int lambda) {
  const bool divided = block == Search::partitions;
  const int side = divided ? 16 : block, columns = (width + side - 1) / side,
            rows = (height + side - 1) / side, cells = divided ? 4 : 1;
  Field field{side / cells, columns * cells, {}, {}, {}};
  field.vectors.resize(size_t(columns) * rows * cells * cells);
  for (int i = 0; i < columns * rows; i++) {
    const Key *own = &keys[size_t(i) * (divided ? Search::partitions : 1)];
    uint16_t shape = 0;
    uint32_t cost = glcl::motion::cost_of(own[0]);
    if (divided) {
      uint32_t quarters = 5 * lambda;
      uint16_t quarters_shape = 3;
      for (int q = 0; q < 4; q++) {
        const int x = q % 2, y = q / 2;
        const uint32_t costs[] = {cost_of(own, {5 + q}, 1, lambda),
                                  cost_of(own, {9 + 4 * y + x, 11 + 4 * y + x}, 3, lambda),
                                  cost_of(own, {17 + 4 * y + 2 * x, 18 + 4 * y + 2 * x}, 3, lambda),
                                  cost_of(own,
                                          {25 + 8 * y + 2 * x, 26 + 8 * y + 2 * x,
                                           29 + 8 * y + 2 * x, 30 + 8 * y + 2 * x},
                                          5, lambda)};
        const auto best = std::min_element(costs, costs + 4);
        quarters += *best;
        quarters_shape |= (best - costs) << (2 + 2 * q);
      }
      const uint32_t costs[] = {cost_of(own, {0}, 1, lambda), cost_of(own, {1, 2}, 3, lambda),
                                cost_of(own, {3, 4}, 3, lambda), quarters};
      const auto best = std::min_element(costs, costs + 4);
      cost = *best;
      shape = best - costs == 3 ? quarters_shape : static_cast<uint16_t>(best - costs);
    }
    field.costs.push_back(cost);
    field.shapes.push_back(shape);
    for (int y = 0; y < cells; y++)
      for (int x = 0; x < cells; x++)
        field.vectors[size_t(i / columns * cells + y) * field.columns + i % columns * cells + x] =
            -glcl::motion::vector_of(own[divided ? partition_at(shape, x, y) : 0]);
  }
  return field;
}

Plane predict(const Samples &reference, const Field &field, int width, int height) {
  Plane plane(width, height);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const Vector v = field.vectors[size_t(y / field.cell) * field.columns + x / field.cell];
      plane.values[size_t(y) * width + x] = reference.at(4 * x - v.x, 4 * y - v.y);
    }
  return plane;
}

double mse(const Plane &a, const Plane &b) {
  double sum = 0;
  for (size_t i = 0; i < a.values.size(); i++)
    sum += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
  return sum / static_cast<double>(a.values.size());
}

}  // namespace reference
