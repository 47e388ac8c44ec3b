// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glcl::rules {

/// Times of a week, to the minute.
class ActiveTimes {
 public:
  /// Adds the times of a text: "HH:MM-HH:MM", after days such as "Mon-Fri " or "Sat,Sun ". Without
  /// days they are those of every day. Times that pass midnight belong to the day on which they
  /// begin. Returns false if the text is wrong.
  bool add(const std::string &text);
  /// True without any times.
  bool empty() const { return spans_.empty(); }
  /// True at this second since Monday, 0:00.
  bool contain(int second_of_week) const;

 private:
  struct ActiveSpan {
    int begin, end;  // minutes since Monday, 0:00; the end may be in the next week
  };
  std::vector<ActiveSpan> spans_;
};

/// Seconds since Monday, 0:00, in the time zone of this machine; `utc`: ns since 1970.
int second_of_week(uint64_t utc);

}  // namespace glcl::rules
