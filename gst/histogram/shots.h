// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "structure.h"

namespace glcl::histogram {

/// Finds where one shot ends and the next begins, from a histogram per frame. Plain C++.
///
/// The distance of two frames is half the sum of the differences of their histograms (R, G, B, each
/// as 32 bins with soft edges), 0–1. A frame begins a shot by a cut where the distance to the frame
/// before stands out from its neighbourhood: far above the next two on either side, which those of
/// a pan or of something that passes close by do not, and above three quarters of the eight on
/// either side. Where shots are short texture tells: it changes at the frame, and stays from frame
/// to frame before and after. A flash is no cut: a few frames later the picture is what it was. Nor
/// is a step of exposure: with more or less light the frame before is like this one. Nor is what
/// leaves the texture of the frame where it is: a lamp, a night filter, a jump of white balance, a
/// caption.
///
/// A dissolve goes between two states that differ by more than their light, while the variance of
/// the levels runs below both's mean along a parabola, as a mixture's does. A fade goes through a
/// frame of one level. One that comes up again is one transition, a fade-in at the first frame that
/// shows something; one that stays is a fade-out. Where texture is the same before and after there
/// is no dissolve.
class Shots {
 public:
  enum class Kind { cut, fade_in, fade_out, dissolve };

  struct Shot {
    uint64_t frame;  ///< first one of the new shot; of a dissolve the one halfway
    Kind kind;
    double score;  ///< distance of what is before and after, 0–1
  };

  /// Of a frame: the counts of R, then of G, then of B, then the luma of the cells of Structure.
  static constexpr int levels = 256, counts = 3 * levels, values = counts + Structure::cells;

  static constexpr double default_threshold = 0.12;

  /// `threshold`: the least distance of the frames at a cut.
  explicit Shots(double threshold = default_threshold) : threshold_(threshold) {}

  void set_threshold(double threshold) { threshold_ = threshold; }

  /// The next frame, by its number and its `values`. Gives the shots that are certain now; they
  /// began some frames ago, a dissolve up to 40.
  std::vector<Shot> add(uint64_t frame, const uint32_t *values);
  /// No more frames follow: the shots that the missing ones would have decided on. Forgets all.
  std::vector<Shot> finish();

 private:
  static constexpr int bins = 32, channels = 3;

  /// What is kept of a frame.
  struct Entry {
    uint64_t frame = 0;
    std::array<float, bins * channels> histogram{};
    std::array<double, channels> mean{};  // levels
    double variance = 0;                  // levels², mean of the channels
    double distance = 0;                  // to the frame before
    Structure structure;
    double similarity = 0;  // of the texture to that of the frame before
  };

  static double distance(const Entry &a, const Entry &b);
  static double distance_in_light(const Entry &before, const Entry &after, double light);
  static bool is_relit(const Entry &before, const Entry &after);
  static void spread(Entry &entry, int channel, double place, double part);
  static bool blank(const Entry &entry);
  const Entry &at(int i) const { return entries_[i]; }
  double step(int i) const;

  double similarity(int i) const;
  bool stands_out(int i) const;
  bool joins_textures(int i) const;
  bool is_cut(int i) const;
  bool is_transient(int i) const;
  bool is_mixture(int from, int to) const;
  bool near_shot(int from, int to) const;
  std::optional<Shot> cut(int i);
  std::optional<Shot> dissolve(int i);
  std::optional<Shot> fade(int i);
  std::vector<Shot> look(bool to_the_end);

  double threshold_;
  std::deque<Entry> entries_;
  int cut_next_ = 1, gradual_next_ = 1;  // entries that cuts and the rest have not been sought at
  bool seen_picture_ = false;            // something not blank has been shown
  std::deque<uint64_t> starts_;          // of the last shots found
  uint64_t dissolved_to_ = 0;            // the last frame of the last dissolve
  int blanks_ = 0;                       // entries before gradual_next_ that are blank, in a row
  bool blank_by_fade_ = false, fade_told_ = false;
};

}  // namespace glcl::histogram
