// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hough/interface.h"
#include "shots.h"

namespace glcl::histogram {

/// Detects cuts and fades by shapes: by the counts of edge pairs of each frame from
/// hough::EdgePairs (Gómez Luna 2012). These counts do not depend on colours, brightness and
/// positions. Plain C++.
///
/// The distance of two frames is 1 - r, where r is the correlation of the square roots of the
/// counts in cells of 6°, 0–1. At a hard cut it has a peak, and the means of the three frames
/// before and after differ far more than those next to them. A fade passes through frames with
/// almost no edges. A gradual transition has no peak, so dissolves and wipes are not detected.
///
/// Edges may come and go while the picture stays, as with a lamp or a caption. So the texture of
/// the luma grid must change at a cut, and must not return soon, see Structure.
class ShapeShots {
 public:
  using Kind = Shots::Kind;
  using Shot = Shots::Shot;

  static constexpr int edges = 2048;  ///< most edges used per frame
  static constexpr int steps = hough::STEPS, kinds = steps * steps;
  static constexpr int counts = kinds + 2, values = counts + Structure::values;

  /// `threshold`: twice the minimum distance at a cut.
  explicit ShapeShots(double threshold = Shots::default_threshold) : threshold_(threshold) {}

  void set_threshold(double threshold) { threshold_ = threshold; }

  /// Adds a frame by its number and its `values`: hough::EdgePairs::space(), which are `kinds`
  /// counts and the number of edges used; then the Structure::values. Returns the
  /// boundaries that are now certain: cuts of 8 frames ago, those to a plain picture of 32, fades
  /// of up to 33.
  std::vector<Shot> add(uint64_t frame, const uint32_t *values);
  /// Ends the stream: returns the pending boundaries and resets the detector.
  std::vector<Shot> finish();

 private:
  static constexpr int coarse = 3, side = steps / coarse, cells = side * side;

  /// A frame of the window in which cuts are sought.
  struct WindowFrame {
    uint64_t frame = 0;
    std::vector<float> space;  // mean 0, length 1
    uint32_t edges = 0;
    double distance = 0, luma_distance = 0;  // to the previous frame
    Structure structure;
  };

  static std::vector<float> normalized(const uint32_t *space);
  static bool blank(const WindowFrame &entry);
  static double distance(const WindowFrame &a, const WindowFrame &b);
  const WindowFrame &at(int i) const { return entries_[i]; }
  WindowFrame mean(int i) const;
  double step(int i) const;
  uint32_t most_edges(int from, int to) const;
  bool is_peak(int i) const;
  bool is_fade(int i) const;
  Views views() const;
  double luma_step(int i) const;
  bool is_new_page(int i) const;
  bool keeps_texture(int i) const;
  bool is_cut(int i) const;
  std::optional<Shot> fade(int i);
  std::vector<Shot> search(bool to_the_end);

  double threshold_;
  std::deque<WindowFrame> entries_;
  int next_ = 1;          // where to search next
  int blank_frames_ = 0;  // consecutive ones before next_
  bool seen_picture_ = false, blank_by_fade_ = false, fade_reported_ = false;
};

}  // namespace glcl::histogram
