// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "canny.h"
#include "hough/canny.h"

namespace reference {

namespace {

using glcl::hough::Canny;

constexpr int tile_side = 32, seeds_per_tile = 4;
constexpr int64_t one = 65536;  // 1 px

struct Point {
  int x, y;
};

/// The unit vector in steps of 2°, scaled by 2^14.
Point normal(int step) {
  const double angle = 2 * step * std::acos(-1.0) / 180;
  return {static_cast<int>(std::lround(16384 * std::cos(angle))),
          static_cast<int>(std::lround(16384 * std::sin(angle)))};
}

/// The edges that count.
struct EdgeView {
  uint16_t at(int x, int y) const {
    const bool inside = x >= region.x && y >= region.y && x < region.right() && y < region.bottom();
    const uint16_t edge = inside ? edges[size_t(y) * width + x] : 0;
    return weak || edge & Canny::strong ? edge : 0;
  }
  const std::vector<uint16_t> &edges;
  int width, height;
  bool weak;
  glcl::Rect region;
};

/// A line of a tile: direction of its normal in 4°, and distance of the normal's foot from the
/// middle, px, of which it takes this one and the next.
struct Seed {
  int bin, distance;
};

bool near(const Seed &a, const Seed &b) {
  const int turn = std::abs(a.bin - b.bin);
  const int other = turn > 22 ? -2 - b.distance : b.distance;
  return std::min(turn, 45 - turn) <= 4 && std::abs(a.distance - other) <= 2;
}

std::vector<Seed> seeds_of(const EdgeView &edges, int tile_x, int tile_y, int least) {
  constexpr int distances = 48;
  std::array<std::array<int, distances>, 45> votes{};
  for (int y = 0; y < tile_side; y++)
    for (int x = 0; x < tile_side; x++) {
      const uint16_t edge = edges.at(tile_x * tile_side + x, tile_y * tile_side + y);
      if (!edge) continue;
      for (int turn = -2; turn <= 2; turn++) {
        const int bin = (((edge & 127) - 1) / 2 + turn + 45) % 45;
        const Point n = normal(2 * bin);
        const double distance = ((2 * x - 31) * n.x + (2 * y - 31) * n.y) / 32768.0;
        votes[bin][static_cast<int>(std::floor(distance)) + distances / 2]++;
      }
    }
  std::vector<Seed> seeds;
  for (int number = 0; number < seeds_per_tile; number++) {
    int most = least - 1;
    std::optional<Seed> best;
    for (int bin = 0; bin < 45; bin++)
      for (int k = 0; k + 1 < distances; k++) {
        const Seed seed{bin, k - distances / 2};
        const int sum = votes[bin][k] + votes[bin][k + 1];
        if (sum > most && std::none_of(seeds.begin(), seeds.end(),
                                       [&](const Seed &other) { return near(seed, other); }))
          most = sum, best = seed;
      }
    if (!best) break;
    seeds.push_back(*best);
  }
  return seeds;
}

/// A line as places across its longer axis: `start` at the origin, `slope` more per px; 1/65536 px.
struct TracedLine {
  Point origin;
  bool upright;
  int64_t start, slope;

  int64_t across(int along) const { return start + slope * along; }
  Point pixel(int along, int place) const {
    return upright ? Point{origin.x + place, origin.y + along}
                   : Point{origin.x + along, origin.y + place};
  }
};

TracedLine line_of(const Seed &seed, int tile_x, int tile_y) {
  const Point n = normal(2 * seed.bin);
  TracedLine line{
      {tile_x * tile_side + 16, tile_y * tile_side + 16}, std::abs(n.x) > std::abs(n.y), 0, 0};
  const int along = line.upright ? n.y : n.x, across = line.upright ? n.x : n.y;
  line.slope = -along * one / across;
  line.start = (int64_t(2 * (seed.distance + 1)) * 16384 - along) * (one / 2) / across - one / 2;
  return line;
}

int64_t floor_divided(int64_t value, int64_t by) {
  return value / by - (value % by != 0 && (value < 0) != (by < 0));
}

/// The length per px along the longer axis, scaled by 2^14.
int64_t length_per_step(int64_t slope) {
  const int64_t across = floor_divided(slope, 4), square = (int64_t(1) << 28) + across * across;
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) root--;
  while ((root + 1) * (root + 1) <= square) root++;
  return root;
}

/// A place along a line with an edge, and where it is across.
struct Hit {
  int along, across;
};

/// The edges beside a line from one place to another, up to `width` px away.
std::vector<Hit> hits_of(const EdgeView &edges, const TracedLine &line, int first, int last,
                         int width) {
  const auto across = static_cast<int>(floor_divided(line.slope, 4));
  const int step = (line.upright ? full_step(16384, -across) : full_step(-across, 16384)) % 90;
  std::vector<Hit> hits;
  for (int along = first; along <= last; along++) {
    const int64_t exact = line.across(along);
    const auto nearest = static_cast<int>(floor_divided(exact + one / 2, one));
    const int side = exact < nearest * one ? -1 : 1;
    std::vector<int> places{nearest};
    for (int off = 1; off <= width; off++)
      places.insert(places.end(), {nearest + side * off, nearest - side * off});
    for (const int place : places) {
      const Point at = line.pixel(along, place);
      const uint16_t edge = edges.at(at.x, at.y);
      const int turn = std::abs((edge & 127) - 1 - step);
      if (!edge || std::min(turn, 90 - turn) > 6) continue;
      hits.push_back({along, place});
      break;
    }
  }
  return hits;
}

/// The run nearest to `middle` whose gaps are not larger than `gap`.
std::vector<Hit> run_of(const std::vector<Hit> &hits, int middle, int gap) {
  if (hits.empty()) return {};
  const auto key = [&](const Hit &hit) {
    return 2 * std::abs(hit.along - middle) + (hit.along < middle);
  };
  auto first = std::min_element(hits.begin(), hits.end(),
                                [&](const Hit &a, const Hit &b) { return key(a) < key(b); });
  auto last = first;
  while (first != hits.begin() && first->along - (first - 1)->along - 1 <= gap) --first;
  while (last + 1 != hits.end() && (last + 1)->along - last->along - 1 <= gap) ++last;
  return {first, last + 1};
}

bool fit(TracedLine &line, const std::vector<Hit> &run) {
  const auto count = static_cast<int64_t>(run.size());
  if (count < 6) return false;
  int64_t along = 0, across = 0, squares = 0, products = 0;
  for (const Hit &hit : run) {
    along += hit.along, across += hit.across;
    squares += int64_t(hit.along) * hit.along, products += int64_t(hit.along) * hit.across;
  }
  const int64_t spread = squares * 16 - along * along * 16 / count;
  const int64_t tilt = products * 16 - along * across * 16 / count;
  if (spread <= 0 || std::abs(tilt) > 2 * spread) return false;
  line.slope = tilt * one / spread;
  line.start = (across * one - line.slope * along) / count;
  return true;
}

LineSegment segment_of(const TracedLine &line, const std::vector<Hit> &run, int min_length) {
  const int first = run.front().along, last = run.back().along;
  const auto hits = static_cast<int>(run.size());
  const auto end = [&](int along) {
    const auto across = static_cast<int>(floor_divided(line.across(along), 256));
    return line.upright ? Point{line.origin.x * 256 + across, (line.origin.y + along) * 256}
                        : Point{(line.origin.x + along) * 256, line.origin.y * 256 + across};
  };
  const Point begins = end(first), ends = end(last);
  LineSegment segment{begins.x, begins.y, ends.x, ends.y, hits, last - first + 1, 0, 0};
  const int64_t per_step = length_per_step(line.slope);
  if (segment.steps * per_step / 16384 >= min_length && hits * 1024 >= 640 * segment.steps)
    segment.strength = static_cast<int>(hits * per_step / 1024);
  return segment;
}

/// Follows a line from its tile on.
LineSegment follow(const EdgeView &edges, TracedLine line, const LineSettings &settings) {
  const int origin = line.upright ? line.origin.y : line.origin.x;
  const int begin = (line.upright ? edges.region.y : edges.region.x) - origin;
  const int end = (line.upright ? edges.region.bottom() : edges.region.right()) - 1 - origin;
  int reach = 20, middle = 0;
  bool closed = false;
  for (int round = 0;; round++) {
    const int first = std::max(-reach, begin), last = std::min(reach, end);
    const int gap = round == 0 ? tile_side
                               : static_cast<int>(settings.max_line_gap * int64_t(16384) /
                                                  length_per_step(line.slope));
    const std::vector<Hit> run =
        run_of(hits_of(edges, line, first, last, round == 0 ? 2 : 1), middle, gap);
    if (!fit(line, run)) return {};
    if (closed) return segment_of(line, run, settings.min_line_length);
    middle = (run.front().along + run.back().along) / 2;
    closed = round > 0 && (run.front().along - first > gap || first > -reach) &&
             (last - run.back().along > gap || last < reach);
    if (!closed) reach *= 4;
  }
}

/// True if both ends of the weaker segment are beside the stronger one's line, and half of it
/// beside that segment.
bool same_line(const LineSegment &stronger, const LineSegment &weaker) {
  std::array<int, 4> a{stronger.x1, stronger.y1, stronger.x2, stronger.y2};
  std::array<int, 4> b{weaker.x1, weaker.y1, weaker.x2, weaker.y2};
  if (std::abs(a[3] - a[1]) > std::abs(a[2] - a[0]))
    for (std::array<int, 4> *one : {&a, &b}) *one = {(*one)[1], (*one)[0], (*one)[3], (*one)[2]};
  const auto off = [&](int x, int y) {
    return std::abs(y - a[1] - static_cast<int>(int64_t(a[3] - a[1]) * (x - a[0]) / (a[2] - a[0])));
  };
  const int shared = std::min(std::max(b[0], b[2]), a[2]) - std::max(std::min(b[0], b[2]), a[0]);
  return off(b[0], b[1]) <= 640 && off(b[2], b[3]) <= 640 && 2 * shared >= std::abs(b[2] - b[0]);
}

/// True if the seed of `other` is in one of the tiles on the way of a segment, or next to it.
bool on_the_way(const LineSegment &segment, int tile_x, int tile_y) {
  const bool upright = std::abs(segment.y2 - segment.y1) > std::abs(segment.x2 - segment.x1);
  const int begin = upright ? segment.y1 : segment.x1, end = upright ? segment.y2 : segment.x2;
  const int from = upright ? segment.x1 : segment.y1, to = upright ? segment.x2 : segment.y2;
  const int along = upright ? tile_y : tile_x, across = upright ? tile_x : tile_y;
  constexpr int side = 256 * tile_side;
  if (along < floor_divided(begin, side) || along > floor_divided(end, side)) return false;
  const int middle = std::clamp(along * side + side / 2, begin, end);
  const auto place = from + static_cast<int>(int64_t(to - from) * (middle - begin) / (end - begin));
  return std::abs(floor_divided(place, side) - across) <= 1;
}

/// The numbers of the segments that are no line of a stronger one, strongest first.
std::vector<size_t> select(const std::vector<LineSegment> &segments, int tiles_x) {
  constexpr size_t capacity = glcl::hough::LineFinder::most_candidates;
  std::vector<size_t> order, unique, kept;
  for (size_t i = 0; i < segments.size(); i++)
    if (segments[i].strength) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return segments[a].strength > segments[b].strength; });
  for (size_t i = 0; i < order.size(); i++) {
    const auto repeats = [&](size_t other) {
      const auto tile = static_cast<int>(other / seeds_per_tile);
      return on_the_way(segments[order[i]], tile % tiles_x, tile / tiles_x) &&
             same_line(segments[other], segments[order[i]]);
    };
    if (std::none_of(order.begin(), order.begin() + ptrdiff_t(i), repeats))
      unique.push_back(order[i]);
  }
  // Of too many, those of the largest whole strengths stay, and the first ones of the last of
  // these.
  const auto whole = [&](size_t i) { return std::clamp(segments[i].strength / 16, 1, 1023); };
  std::vector<size_t> listed = unique;
  std::sort(listed.begin(), listed.end());
  std::stable_sort(listed.begin(), listed.end(),
                   [&](size_t a, size_t b) { return whole(a) > whole(b); });
  listed.resize(std::min(listed.size(), capacity));
  const auto in_list = [&](size_t i) {
    return std::find(listed.begin(), listed.end(), i) != listed.end();
  };
  unique.erase(std::remove_if(unique.begin(), unique.end(), [&](size_t i) { return !in_list(i); }),
               unique.end());
  for (size_t i = 0; i < unique.size(); i++)
    if (std::none_of(unique.begin(), unique.begin() + ptrdiff_t(i),
                     [&](size_t other) { return same_line(segments[other], segments[unique[i]]); }))
      kept.push_back(unique[i]);
  return kept;
}

}  // namespace

Lines::Lines(const std::vector<uint16_t> &edges, int width, int height, bool weak,
             const glcl::Rect &region, const LineSettings &settings) {
  const EdgeView view{edges, width, height, weak, region};
  const int tiles_x = (width + tile_side - 1) / tile_side,
            tiles_y = (height + tile_side - 1) / tile_side;
  const int least = std::clamp(settings.min_line_length / 3, 6, 14);
  for (int y = 0; y < tiles_y; y++)
    for (int x = 0; x < tiles_x; x++) {
      const std::vector<Seed> seeds = seeds_of(view, x, y, least);
      for (size_t i = 0; i < seeds_per_tile; i++)
        segments.push_back(i < seeds.size() ? follow(view, line_of(seeds[i], x, y), settings)
                                            : LineSegment{});
    }
  for (const size_t i : select(segments, tiles_x)) {
    if (found.size() == size_t(settings.lines)) break;
    const LineSegment &one = segments[i];
    const auto px = [](int place) { return static_cast<float>(place) / 256; };
    found.push_back({px(one.x1), px(one.y1), px(one.x2), px(one.y2),
                     static_cast<float>(1024 * one.hits / one.steps) / 1024});
  }
}

}  // namespace reference
