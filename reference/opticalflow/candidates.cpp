// SPDX-License-Identifier: LGPL-2.1-or-later
#include "candidates.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference/opticalflow/signatures.h"

namespace reference::opticalflow {

namespace {

using glcl::opticalflow::MODE_CELL;

bool alike(const Match &a, const Match &b, int most) {
  return std::abs(a.vx - b.vx) <= most && std::abs(a.vy - b.vy) <= most;
}

/// The mean of the largest set of similar matches; false if there are fewer than 3.
bool mode_of(const std::vector<Match> &matches, Match *middle, CandidateMotions::Vector *mean) {
  int most = 0;
  for (const Match &candidate : matches) {
    int votes = 0, x = 0, y = 0;
    for (const Match &other : matches)
      if (alike(candidate, other, 1)) votes++, x += other.vx, y += other.vy;
    if (votes <= most) continue;
    most = votes;
    *middle = candidate;
    *mean = {float(x) / float(votes), float(y) / float(votes)};
  }
  return most >= 3;
}

}  // namespace

CandidateMotions::CandidateMotions(int width, int height, const Grey &before, const Grey &after)
    : columns_((width + MODE_CELL - 1) / MODE_CELL),
      rows_((height + MODE_CELL - 1) / MODE_CELL),
      cell_modes_(size_t(columns_) * rows_) {
  std::vector<std::vector<Match>> matches(cell_modes_.size());
  for (const Match &match : signature_matches(width, height, before, after))
    matches[size_t(match.y / MODE_CELL) * columns_ + match.x / MODE_CELL].push_back(match);
  for (size_t i = 0; i < matches.size(); i++) {
    Match first{};
    Vector mean;
    if (!mode_of(matches[i], &first, &mean)) continue;
    cell_modes_[i].push_back(mean);
    pairs_.push_back({before(first.x, first.y), after(first.x + first.vx, first.y + first.vy)});
    std::vector<Match> others;
    for (const Match &match : matches[i])
      if (!alike(match, first, 2)) others.push_back(match);
    // The second mode includes all matches similar to its centre, even those close to the first
    // mode.
    int most = 0;
    for (const Match &candidate : others) {
      int votes = 0, x = 0, y = 0;
      for (const Match &other : matches[i])
        if (alike(candidate, other, 1)) votes++, x += other.vx, y += other.vy;
      if (votes <= most) continue;
      most = votes;
      mean = {float(x) / float(votes), float(y) / float(votes)};
    }
    if (most >= 3) cell_modes_[i].push_back(mean);
  }
}

std::vector<CandidateMotions::Vector> CandidateMotions::around(float x, float y) const {
  const int column = std::min(static_cast<int>(x / MODE_CELL), columns_ - 1);
  const int row = std::min(static_cast<int>(y / MODE_CELL), rows_ - 1);
  std::vector<Vector> result;
  const auto offer = [&](int i, int j, size_t mode) {
    if (i < 0 || j < 0 || i >= columns_ || j >= rows_) return false;
    const std::vector<Vector> &modes = cell_modes_[size_t(j) * columns_ + i];
    if (modes.size() <= mode) return false;
    result.push_back(modes[mode]);
    return true;
  };
  for (int j = row - 1; j <= row + 1; j++)
    for (int i = column - 1; i <= column + 1; i++) offer(i, j, 0);
  const bool near = !result.empty();
  for (const auto &[i, j] : {std::array{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}})
    offer(column + i, row + j, 1);
  for (int ring = 2; ring <= 5 && !near; ring++)
    for (int j = row - ring; j <= row + ring; j++)
      for (int i = column - ring; i <= column + ring; i++)
        if (std::max(std::abs(i - column), std::abs(j - row)) == ring && offer(i, j, 0))
          return result;
  return result;
}

}  // namespace reference::opticalflow
