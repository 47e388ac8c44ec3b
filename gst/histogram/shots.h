// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "framefeatures.h"
#include "views.h"

namespace glcl::histogram {

/// Detects shot boundaries from the histogram and the luma grid of each frame. Plain C++.
///
/// A hard cut is a frame whose histogram is far from the previous one, compared with the frames
/// around it, or whose texture changes while it stays the same before and after. It is not a cut if
/// the previous picture returns within a few frames (a flash, a black or damaged frame). Nor is it
/// one if a gain in brightness explains the difference, or if the texture stays (a lamp, a night
/// filter, a jump of white balance, a caption).
///
/// A gradual transition is a dissolve, a wipe, or a fade, which passes through blank frames.
class Shots {
 public:
  enum class Kind { cut, fade_in, fade_out, dissolve, wipe };

  /// A detected shot boundary.
  struct Shot {
    uint64_t frame;  ///< first frame of the new shot; the middle of a dissolve or a wipe
    Kind kind;
    double score;  ///< difference of the shots before and after, 0–1
    /// Frames [begin, end) belong to a gradual transition, not to one of the shots.
    uint64_t begin = frame, end = frame;
  };

  static constexpr int levels = FrameFeatures::levels, counts = FrameFeatures::counts,
                       values = FrameFeatures::values;
  static constexpr double default_threshold = 0.12;

  /// `threshold`: minimum distance of the histograms at a cut.
  explicit Shots(double threshold = default_threshold) : threshold_(threshold) {}

  void set_threshold(double threshold) { threshold_ = threshold; }

  /// Adds a frame by its number and its FrameFeatures::values. Returns the boundaries that are now
  /// certain: cuts of 8 frames ago, gradual transitions of up to 60 frames ago.
  std::vector<Shot> add(uint64_t frame, const uint32_t *values);
  /// Ends the stream: returns the pending boundaries and resets the detector.
  std::vector<Shot> finish();

 private:
  int size() const { return static_cast<int>(frames_.size()); }
  const FrameFeatures &at(int i) const { return frames_[i]; }
  double step(int i) const;
  double luma_step(int i) const;
  double similarity(int i) const;
  Views views() const;

  bool is_insert(int first, int end) const;
  bool is_transient(int i) const;
  double usual_step(int i) const;
  bool is_short_shot(int i) const;
  bool stands_out(int i) const;
  bool stands_out_in_luma(int i) const;
  bool joins_textures(int i) const;
  std::optional<Shot> cut(int i) const;
  std::optional<Shot> new_page(int i) const;
  bool has_blank(int from, int to) const;
  bool has_jump(int from, int to) const;
  bool is_mixture(int from, int to) const;
  bool near_shot(int from, int to) const;
  /// A gradual transition between two frames of the history.
  struct Gradual {
    int from, to;  // the last frame of one shot, the first of the other
    Kind kind;
  };
  std::optional<Gradual> longest_gradual(int i) const;
  std::optional<Shot> gradual(int i);
  std::optional<Gradual> dissolve_by_variance(int i) const;
  std::optional<Shot> fade(int i);
  std::optional<Shot> fade_out(int last);
  std::vector<Shot> search(bool to_the_end);

  double threshold_;
  History frames_;
  int next_cut_ = 1, next_gradual_ = 1;  // where to search next
  bool seen_picture_ = false;            // a frame that is not blank was seen
  std::deque<uint64_t> starts_;          // first frames of the last shots
  uint64_t gradual_end_ = 0;             // end of the last dissolve or wipe
  int blank_frames_ = 0;                 // consecutive ones before next_gradual_
  bool blank_by_fade_ = false, fade_reported_ = false;
};

}  // namespace glcl::histogram
