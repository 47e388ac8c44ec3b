// SPDX-License-Identifier: LGPL-2.1-or-later
// The timetable of the street of accuracy-street.
#pragma once

#include <string>
#include <vector>

namespace street {

constexpr int width = 320, height = 180, rate = 10;  ///< px; frames per second

enum class Kind {
  dog,  ///< those that pass, from left to right or back
  cyclist,
  car,
  parks,  ///< a car that parks, and drives off at the end
  puts,   ///< a cyclist who leaves a bag behind
  takes,  ///< a cyclist who takes a box away
  light,  ///< the light is switched off, and on at the end
  clouds,
  rain,
  snow,
  insects,
  headlights,  ///< of cars that turn: they sweep over walls
  night,       ///< the camera turns grey, and back
  covered,
  defocused,
  frozen,
  moved,  ///< the camera is turned, and back at the end
  flag_rests,
};

/// Something that happens from one time to another, s.
struct Entry {
  Kind kind;
  double from, to = 0;
  bool left = false;  ///< it passes to the left
};

struct Timetable {
  double seconds;
  std::vector<Entry> entries;
  int most_missed = 0;  ///< events that are known to be missed or late
};

/// Half an hour of everything.
Timetable long_times();
/// The same in little time; what falls from the sky is left out.
Timetable short_times();
/// One cause of false objects for ten minutes. Throws std::runtime_error if the name is unknown.
Timetable times_of(const std::string &cause);

const char *name_of(Kind kind);
/// True for those that pass, park, put or take something.
bool is_object(Kind kind);
/// True for what lasts and must not be an object.
bool is_cause(Kind kind);

}  // namespace street
