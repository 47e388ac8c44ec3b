// SPDX-License-Identifier: LGPL-2.1-or-later
#include "movededges.h"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

using namespace glcl::hough;

const double pi = std::acos(-1.0);
constexpr double last_reach = 1.5, on_edge = 0.5, clear_shift = 0.9, still_part = 0.75;

int step_of(uint16_t edge) { return (edge & 127) - 1; }

double steps_between(double a, double b) {
  const double off = std::abs(a - b);
  return std::min(off, STEPS - off);
}

double radius_of(const EdgeMaps &maps) {
  return std::hypot(maps.width - 1, maps.height - 1) / 2 + 1;
}

int reach_of(const EdgeMaps &maps) {
  return std::min(int(12 * std::max(radius_of(maps) / 400, 1.0)), int(MOST_SHIFT));
}

/// `x` and `y`: of the middle, px of the frame.
struct SimilarityPose {
  double a = 1, b = 0, x = 0, y = 0;
};

SimilarityPose pose_of(const EdgeMaps &maps, const AlignedMotion &motion) {
  return {motion[0], motion[1], motion[2] + 0.5 * (maps.width - 1),
          motion[3] + 0.5 * (maps.height - 1)};
}

/// An edge of the earlier frame after a pose, and the nearest edge along its normal.
struct PosedEdge {
  double px, py, qx, qy, nx, ny, step, across;
  bool inside;
  double off = 0, misfit = 0;

  PosedEdge(const EdgeMaps &maps, uint32_t index, const SimilarityPose &pose) {
    const int x = int(index) % maps.width, y = int(index) / maps.width;
    px = x - 0.5 * (maps.width - 1), py = y - 0.5 * (maps.height - 1);
    qx = pose.x + pose.a * px - pose.b * py, qy = pose.y + pose.b * px + pose.a * py;
    step = step_of(maps.before[index]) + std::atan2(pose.b, pose.a) * STEPS / pi;
    step -= STEPS * std::floor(step / STEPS);
    nx = std::cos(step * pi / STEPS), ny = std::sin(step * pi / STEPS);
    across = nx * (qx - x) + ny * (qy - y);
    inside = qx >= 0 && qy >= 0 && qx <= maps.width - 1 && qy <= maps.height - 1;
  }

  /// Looks for an edge within `reach` px.
  bool meets(const EdgeMaps &maps, double reach) {
    const int most = int(reach) + 1;
    double least = reach + 1e-3;
    for (int k = 0; k <= 2 * most; k++) {
      const int along = k % 2 ? -(k + 1) / 2 : k / 2;
      const int y = int(std::floor(qy + ny * along + 0.5)),
                first = int(std::floor(qx + nx * along));
      if (y < 0 || y >= maps.height) continue;
      for (int x = std::max(first, 0); x <= std::min(first + 1, maps.width - 1); x++) {
        const uint16_t edge = maps.after[size_t(y) * maps.width + x];
        const double off_step = steps_between(step_of(edge), step);
        if (!edge || off_step > 6) continue;
        const double distance = nx * (x - qx) + ny * (y - qy);
        if (std::abs(distance) < least)
          least = std::abs(distance), off = distance, misfit = off_step / 7;
      }
      if (least < std::abs(along) - 0.5) break;
    }
    return least <= reach;
  }
};

bool is_still(const AreaEdges &area) { return area.still >= still_part * area.count; }

bool is_still(uint32_t edge) { return edge & STILL_EDGE; }

double met_part(const std::vector<AreaEdges> &areas) {
  double inside = 0, met = 0;
  for (const AreaEdges &area : areas) inside += area.inside, met += area.met;
  return met / std::max(inside, 1.0);
}

/// Calls `use` for each edge with its area and its index in the map.
template <class Use>
void for_edges(const std::vector<AreaEdges> &areas, const Use &use) {
  for (const AreaEdges &area : areas)
    for (uint32_t k = 0; k < area.count; k++)
      use(area, area.edges[k] & ~uint32_t(STILL_EDGE), is_still(area.edges[k]));
}

/// The damped solution of normal equations.
std::array<double, 4> solved(std::array<std::array<double, 5>, 4> m, double count) {
  for (size_t i = 0; i < 4; i++) m[i][i] += 1e-3 * count + 1e-6;
  for (size_t i = 0; i < 4; i++)
    for (size_t k = i + 1; k < 4; k++) {
      const double part = m[k][i] / m[i][i];
      for (size_t j = i; j < 5; j++) m[k][j] -= part * m[i][j];
    }
  std::array<double, 4> x{};
  for (size_t i = 4; i-- > 0;) {
    x[i] = m[i][4];
    for (size_t j = i + 1; j < 4; j++) x[i] -= m[i][j] * x[j];
    x[i] /= m[i][i];
  }
  return x;
}

/// The pose after a fit.
SimilarityPose fitted(const EdgeMaps &maps, const std::vector<AreaEdges> &areas,
                      const SimilarityPose &pose, double reach, bool late) {
  const double radius = radius_of(maps);
  std::array<std::array<double, 5>, 4> sums{};
  double count = 0;
  for_edges(areas, [&](const AreaEdges &area, uint32_t index, bool still) {
    PosedEdge edge(maps, index, pose);
    if (still && (!late || is_still(area) || std::abs(edge.across) >= clear_shift)) return;
    if (!edge.inside || !edge.meets(maps, reach)) return;
    const double near = 1 - edge.off * edge.off / (reach * reach + 1),
                 weight = near * near * (1 - edge.misfit * edge.misfit);
    const std::array row{(edge.nx * edge.px + edge.ny * edge.py) / radius,
                         (edge.ny * edge.px - edge.nx * edge.py) / radius, edge.nx, edge.ny,
                         edge.off};
    for (size_t a = 0; a < 4; a++)
      for (size_t b = 0; b < 5; b++) sums[a][b] += weight * row[a] * row[b];
    count++;
  });
  const auto step = solved(sums, count);
  return {pose.a + step[0] / radius, pose.b + step[1] / radius, pose.x + step[2], pose.y + step[3]};
}

/// The first of the shifts with the most votes, its own twice and those of its neighbours.
SimilarityPose voted_pose(const EdgeMaps &maps, const std::vector<uint32_t> &votes) {
  const int reach = reach_of(maps), side = 2 * reach + 1;
  uint32_t most = 0;
  int best = 0;
  for (int i = 0; i < side * side; i++) {
    uint32_t sum = votes[size_t(i)];
    for (int y = std::max(i / side - 1, 0); y <= std::min(i / side + 1, side - 1); y++)
      for (int x = std::max(i % side - 1, 0); x <= std::min(i % side + 1, side - 1); x++)
        sum += votes[size_t(y) * side + x];
    if (sum > most) most = sum, best = i;
  }
  return {1, 0, 0.5 * (maps.width - 1) + best % side - reach,
          0.5 * (maps.height - 1) + best / side - reach};
}

}  // namespace

std::vector<AreaEdges> sampled_edges(const EdgeMaps &maps, const glcl::Rect &region,
                                     const AlignedMotion &motion) {
  std::vector<AreaEdges> areas(size_t(AREAS) * AREAS);
  for (int i = 0; i < AREAS * AREAS; i++) {
    AreaEdges &area = areas[size_t(i)];
    const int column = i % AREAS, line = i / AREAS;
    std::vector<uint32_t> all;
    for (int y = line * region.height / AREAS; y < (line + 1) * region.height / AREAS; y++)
      for (int x = column * region.width / AREAS; x < (column + 1) * region.width / AREAS; x++) {
        const auto index = uint32_t((region.y + y) * maps.width + region.x + x);
        if (maps.before[index] & EDGE_STRONG) all.push_back(index);
      }
    const size_t every = std::max<size_t>((all.size() + AREA_EDGES - 1) / AREA_EDGES, 1);
    for (size_t k = 0; k < all.size(); k += every) {
      const uint16_t next = maps.after[all[k]];
      const bool still = next && steps_between(step_of(maps.before[all[k]]), step_of(next)) <= 2;
      area.edges[area.count++] = all[k] | (still ? STILL_EDGE : 0);
      PosedEdge edge(maps, all[k], pose_of(maps, motion));
      area.still += still;
      if (still || !edge.inside) continue;
      area.inside++, area.met += edge.meets(maps, on_edge);
    }
  }
  return areas;
}

bool moved_needed(const std::vector<AreaEdges> &areas) {
  int still = 0, moved = 0;
  for (const AreaEdges &area : areas)
    if (2 * area.count >= AREA_EDGES) is_still(area) ? still++ : moved++;
  return moved > 0 && moved >= 0.125 * (moved + still) && (still >= 3 || met_part(areas) < 0.75);
}

std::vector<uint32_t> moved_votes(const EdgeMaps &maps, const std::vector<AreaEdges> &areas) {
  const int reach = reach_of(maps), side = 2 * reach + 1;
  std::vector<uint32_t> votes(size_t(side) * side);
  if (!moved_needed(areas)) return votes;
  for_edges(areas, [&](const AreaEdges &, uint32_t index, bool still) {
    if (still) return;
    for (int i = 0; i < side * side; i++) {
      const int x = int(index) % maps.width + i % side - reach,
                y = int(index) / maps.width + i / side - reach;
      if (x < 0 || y < 0 || x >= maps.width || y >= maps.height) continue;
      const uint16_t edge = maps.after[size_t(y) * maps.width + x];
      votes[size_t(i)] += edge && steps_between(step_of(maps.before[index]), step_of(edge)) <= 2;
    }
  });
  return votes;
}

std::optional<AlignedMotion> moved_alignment(const EdgeMaps &maps,
                                             const std::vector<AreaEdges> &areas,
                                             const std::vector<uint32_t> &votes) {
  if (!moved_needed(areas)) return {};
  SimilarityPose pose = voted_pose(maps, votes);
  constexpr int rounds = 6;
  for (int round = 0; round < rounds; round++)
    pose = fitted(maps, areas, pose, std::max(3 - 1.5 * round / (rounds - 2), last_reach),
                  2 * round >= rounds);
  std::vector<int> balance(areas.size());
  int inside = 0, near = 0, on_edges = 0;
  for_edges(areas, [&](const AreaEdges &area, uint32_t index, bool still) {
    PosedEdge edge(maps, index, pose);
    if (!edge.inside) return;
    const bool meets = edge.meets(maps, last_reach), on = meets && std::abs(edge.off) <= on_edge;
    if (!still) inside++, near += meets, on_edges += on;
    if (std::abs(edge.across) >= clear_shift && still != on)
      balance[size_t(&area - areas.data())] += still ? -1 : 1;
  });
  const auto moved = std::count_if(balance.begin(), balance.end(), [](int b) { return b > 0; }),
             still = std::count_if(balance.begin(), balance.end(), [](int b) { return b < 0; });
  const double part = double(on_edges) / std::max(inside, 1), more = still >= 3 ? 1 : 1.05;
  if (part <= more * met_part(areas) || part < 0.4 || double(moved) <= 1.25 * double(still))
    return {};
  return AlignedMotion{float(pose.a),
                       float(pose.b),
                       float(pose.x - 0.5 * (maps.width - 1)),
                       float(pose.y - 0.5 * (maps.height - 1)),
                       float(near) / float(std::max(inside, 1)),
                       float(inside)};
}

}  // namespace reference
