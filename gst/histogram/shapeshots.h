// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "shots.h"

namespace glcl::histogram {

/// Finds cuts and fades by shapes: by the space of edge pairs of each frame's edges, as
/// hough::EdgePairs counts them (Gómez Luna 2012). Colours, light, and where things are do not
/// matter. Plain C++.
///
/// The distance of two frames is 1 - r, r being the correlation of the roots of their spaces in
/// cells of 6°, 0–1. At a cut it is a peak, and the means of the three frames before and after it
/// differ far more than those next to them. A fade goes through frames with hardly an edge. What
/// mixes two shots frame by frame is no peak: dissolves are not told.
class ShapeShots {
 public:
  using Kind = Shots::Kind;
  using Shot = Shots::Shot;

  static constexpr int edges = 2048;  ///< of a frame that count
  static constexpr int steps = 90, kinds = steps * steps;

  /// `threshold`: twice the least distance of the frames at a cut.
  explicit ShapeShots(double threshold = Shots::default_threshold) : threshold_(threshold) {}

  void set_threshold(double threshold) { threshold_ = threshold; }

  /// The next frame, by its number and its space: `kinds` counts, then how many edges count. Gives
  /// the shots that are certain now; they began 8 frames ago, a fade up to 25.
  std::vector<Shot> add(uint64_t frame, const uint32_t *space);
  /// No more frames follow: the shots that the missing ones would have decided on. Forgets all.
  std::vector<Shot> finish();

 private:
  static constexpr int coarse = 3, side = steps / coarse, cells = side * side;

  struct Entry {
    uint64_t frame = 0;
    std::vector<float> space;  // mean 0, length 1
    uint32_t edges = 0;
    double distance = 0;  // to the frame before
  };

  static std::vector<float> prepared(const uint32_t *space);
  static bool blank(const Entry &entry);
  static double distance(const Entry &a, const Entry &b);
  const Entry &at(int i) const { return entries_[i]; }
  Entry mean(int i) const;
  double step(int i) const;
  uint32_t most_edges(int from, int to) const;
  bool is_peak(int i) const;
  bool is_fade(int i) const;
  bool is_cut(int i) const;
  std::optional<Shot> fade(int i);
  std::vector<Shot> look(bool to_the_end);

  double threshold_;
  std::deque<Entry> entries_;
  int next_ = 1;    // entry that no shot has been sought at
  int blanks_ = 0;  // entries before next_ that are blank, in a row
  bool seen_picture_ = false, blank_by_fade_ = false, fade_told_ = false;
};

}  // namespace glcl::histogram
