// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the events of accuracy-street with what happens in the street.
#pragma once

#include <string>
#include <vector>

#include "streetplayer.h"
#include "streetscene.h"

namespace street {

/// The rules and settings under which the events are expected.
constexpr double line_x = 0.5, zone_left = 0.375, zone_right = 0.8125;      ///< parts of the width
constexpr double left_after = 15, max_duration = 180, frozen_duration = 2;  ///< s

/// The objects in each frame.
using Truth = std::vector<std::vector<TrueBox>>;

/// An event that must be found once in a range of frames.
struct Expectation {
  size_t entry;
  std::string name, what;  ///< of the event; `what`: empty for any
  double frame;
  double early, late;   ///< frames by which it may be off
  double seconds = -1;  ///< that it has lasted; below 0: unknown
  bool of_object = false;
};

/// How well the events of a run agree with its timetable.
class Score {
 public:
  Score(const Timetable &times, const Scene &scene, Truth truth, const std::vector<Event> &events);
  /// Prints all events, false objects by cause, and what is beyond its bounds. Returns the number
  /// of the latter.
  int print() const;

 private:
  void expect_object(size_t entry);
  void expect_camera(size_t entry);
  void add(const Expectation &expectation) { wanted_.push_back(expectation); }
  int frame_at(size_t entry, double x) const;
  const TrueBox *box_of(size_t entry, int frame) const;
  bool is_of(const Event &event, size_t entry) const;
  const Event *find(const Expectation &wanted) const;
  int print_expected() const;
  int print_false() const;
  int print_ends() const;
  std::string cause_of(const Event &begin) const;

  Timetable times_;
  std::vector<glcl::RectF> swinging_;
  Truth truth_;
  std::vector<Event> events_;
  std::vector<Expectation> wanted_;
};

}  // namespace street
