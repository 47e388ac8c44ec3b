// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streettimes.h"

#include <stdexcept>

namespace street {

Timetable long_times() {
  return {1800,
          {{Kind::dog, 90},
           {Kind::cyclist, 110, 0, true},
           {Kind::car, 125},
           {Kind::light, 150, 180},
           {Kind::clouds, 210, 390},
           {Kind::dog, 300, 0, true},
           {Kind::parks, 400, 560},
           {Kind::puts, 440},
           {Kind::car, 500, 0, true},
           {Kind::takes, 590},
           {Kind::insects, 640, 760},
           {Kind::rain, 780, 930},
           {Kind::cyclist, 850},
           {Kind::snow, 960, 1080},
           {Kind::car, 1020},
           {Kind::defocused, 1100, 1110},
           {Kind::covered, 1130, 1140},
           {Kind::frozen, 1160, 1172},
           {Kind::moved, 1200, 1230},
           {Kind::night, 1300, 1470},
           {Kind::headlights, 1310, 1400},
           {Kind::dog, 1410},
           {Kind::car, 1440, 0, true},
           {Kind::flag_rests, 1500, 1620},
           {Kind::cyclist, 1540},
           {Kind::parks, 1680, 1750},
           {Kind::dog, 1770, 0, true}},
          // A dog in the shadow of a cloud, four events; the flag; one more on some devices.
          6};
}

Timetable short_times() {
  return {112,
          {{Kind::dog, 12},
           {Kind::car, 24, 0, true},
           {Kind::light, 32, 37},
           {Kind::parks, 40, 62},
           {Kind::headlights, 68, 74},
           {Kind::cyclist, 76},
           {Kind::night, 85, 90},
           {Kind::covered, 94, 98},
           {Kind::defocused, 102, 106}}};
}

Timetable times_of(const std::string &cause) {
  constexpr double ten_minutes = 600, settled = 60;
  if (cause == "coding") return {settled + ten_minutes, {}};
  for (int i = 0; i <= int(Kind::flag_rests); i++) {
    const auto kind = static_cast<Kind>(i);
    if (!is_cause(kind) || cause != name_of(kind)) continue;
    Timetable times{settled + ten_minutes, {{kind, settled, settled + ten_minutes}}};
    // Headlights are seen at night.
    if (kind == Kind::headlights) times.entries.push_back({Kind::night, 10, 1e9});
    return times;
  }
  throw std::runtime_error("There is no cause " + cause + ".");
}

const char *name_of(Kind kind) {
  static const char *const names[] = {"dog",     "cyclist",    "car",    "parked car", "bag",
                                      "box",     "light",      "clouds", "rain",       "snow",
                                      "insects", "headlights", "night",  "covered",    "defocused",
                                      "frozen",  "moved",      "flag"};
  return names[int(kind)];
}

bool is_object(Kind kind) { return kind <= Kind::takes; }

bool is_cause(Kind kind) { return kind >= Kind::light; }

}  // namespace street
