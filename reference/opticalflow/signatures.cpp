// SPDX-License-Identifier: LGPL-2.1-or-later
#include "signatures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

namespace reference {

namespace {

using glcl::opticalflow::MATCH_X, glcl::opticalflow::MATCH_Y, glcl::opticalflow::MOST_MOTION;
using glcl::opticalflow::SIGNATURE_MARGIN, glcl::opticalflow::Signatures;
using glcl::opticalflow::SignatureTable;
using Grey = std::function<float(int x, int y)>;

constexpr int lattice = 5, spacing = 3;

/// 192 times the grey, smoothed.
std::vector<int> smooth(int width, int height, const Grey &grey) {
  const int taps[] = {1, 4, 6, 4, 1};
  std::vector<int> scaled(size_t(width) * height), result(scaled.size());
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      scaled[size_t(y) * width + x] = static_cast<int>(std::rint(192 * grey(x, y)));
  const auto at = [&](int x, int y) {
    return scaled[size_t(std::clamp(y, 0, height - 1)) * width + std::clamp(x, 0, width - 1)];
  };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      int sum = 128;
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) sum += taps[i + 2] * taps[j + 2] * at(x + i, y + j);
      result[size_t(y) * width + x] = sum / 256;
    }
  return result;
}

uint32_t signature(const std::vector<int> &plane, int width, int x, int y) {
  const auto point = [&](int i, int j) {
    return plane[size_t(y + (j - 2) * spacing) * width + x + (i - 2) * spacing];
  };
  std::vector<int> differences;
  differences.reserve(20);
  for (int j = 0; j < lattice; j++)
    for (int i = 0; i < lattice; i++) {
      const bool across = (i + j) % 2 == 0;
      if (across && i + 1 < lattice) differences.push_back(point(i, j) - point(i + 1, j));
      if (!across && j + 1 < lattice) differences.push_back(point(i, j) - point(i, j + 1));
    }
  int sum = 0;
  for (int d : differences) sum += std::abs(d);
  if (sum < 1920) return 0;
  uint32_t up = 0, down = 0;
  for (int d : differences) {
    up = 2 * up + (25 * d > sum);
    down = 2 * down + (25 * d < -sum);
  }
  uint32_t hash = up * 0x9e3779b1u + down * 0x85ebca77u;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash ^= hash >> 13;
  return std::max(hash, 1u);
}

/// By pixel; 0: no signature.
std::vector<uint32_t> signatures(int width, int height, const Grey &grey) {
  const std::vector<int> plane = smooth(width, height, grey);
  std::vector<uint32_t> result(plane.size());
  for (int y = SIGNATURE_MARGIN; y < height - SIGNATURE_MARGIN; y++)
    for (int x = SIGNATURE_MARGIN; x < width - SIGNATURE_MARGIN; x++)
      result[size_t(y) * width + x] = signature(plane, width, x, y);
  return result;
}

}  // namespace

std::vector<Match> signature_matches(int width, int height, const Grey &before, const Grey &after) {
  const std::vector<uint32_t> from = signatures(width, height, before);
  const std::vector<uint32_t> to = signatures(width, height, after);
  const uint32_t slots = SignatureTable::slots(width, height);
  std::vector<int> slot_counts(slots);
  std::map<uint32_t, std::vector<size_t>> later;
  for (uint32_t s : from)
    if (s) slot_counts[s % slots]++;
  for (size_t i = 0; i < to.size(); i++)
    if (to[i]) later[to[i]].push_back(i);

  const int columns = Signatures::columns(width), rows = Signatures::rows(height);
  std::vector<Match> cells(size_t(columns) * rows, {-1, -1, -1, -1});
  for (size_t i = 0; i < from.size(); i++) {
    if (!from[i] || slot_counts[from[i] % slots] > 1) continue;
    const auto found = later.find(from[i]);
    if (found == later.end() || found->second.size() > 1) continue;
    const int x = int(i % width), y = int(i / width);
    const int vx = int(found->second[0] % width) - x, vy = int(found->second[0] / width) - y;
    if (std::max(std::abs(vx), std::abs(vy)) > MOST_MOTION) continue;
    Match &cell = cells[size_t(y / MATCH_Y) * columns + x / MATCH_X];
    if (cell.x < 0) cell = {cl_short(x), cl_short(y), cl_short(vx), cl_short(vy)};
  }

  std::vector<Match> list;
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < columns; i++) {
      const Match &own = cells[size_t(j) * columns + i];
      if (own.x < 0) continue;
      int confirming = -1;
      for (int l = std::max(j - 4, 0); l <= std::min(j + 4, rows - 1); l++)
        for (int k = std::max(i - 2, 0); k <= std::min(i + 2, columns - 1); k++) {
          const Match &other = cells[size_t(l) * columns + k];
          confirming +=
              other.x >= 0 && std::abs(other.vx - own.vx) <= 1 && std::abs(other.vy - own.vy) <= 1;
        }
      if (confirming >= 2) list.push_back(own);
    }
  return list;
}

}  // namespace reference
