// SPDX-License-Identifier: LGPL-2.1-or-later
#include "activetimes.h"

#include <array>
#include <ctime>
#include <optional>

namespace glcl::rules {

namespace {

constexpr int day = 24 * 60, week = 7 * day;  // min
constexpr std::array names{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/// Reads a text from its beginning.
class WordReader {
 public:
  explicit WordReader(const std::string &text) : text_(text) {}

  bool skip(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found;
    return found;
  }
  bool at_end() const { return at_ == text_.size(); }
  /// 0 is Monday.
  std::optional<int> day_name() {
    for (size_t i = 0; i < names.size(); i++)
      if (text_.compare(at_, 3, names[i]) == 0) {
        at_ += 3;
        return static_cast<int>(i);
      }
    return {};
  }
  /// Minutes since midnight.
  std::optional<int> time_of_day() {
    const std::optional<int> hour = two_digits();
    if (!hour || !skip(':')) return {};
    const std::optional<int> minute = two_digits();
    if (!minute || *minute > 59 || *hour * 60 + *minute > day) return {};
    return *hour * 60 + *minute;
  }

 private:
  std::optional<int> two_digits() {
    int number = 0;
    for (int i = 0; i < 2; i++, at_++) {
      if (at_ >= text_.size() || text_[at_] < '0' || text_[at_] > '9') return {};
      number = 10 * number + (text_[at_] - '0');
    }
    return number;
  }

  const std::string &text_;
  size_t at_ = 0;
};

/// Reads days such as "Mon-Fri,Sun " into a set; none are all.
bool read_days(WordReader &reader, std::array<bool, 7> &days) {
  std::optional<int> first = reader.day_name();
  days.fill(!first);
  while (first) {
    const std::optional<int> last = reader.skip('-') ? reader.day_name() : first;
    if (!last) return false;
    for (int i = *first;; i = (i + 1) % 7) {
      days[size_t(i)] = true;
      if (i == *last) break;
    }
    if (!reader.skip(',')) return reader.skip(' ');
    first = reader.day_name();
    if (!first) return false;
  }
  return true;
}

}  // namespace

bool ActiveTimes::add(const std::string &text) {
  WordReader reader(text);
  std::array<bool, 7> days{};
  if (!read_days(reader, days)) return false;
  const std::optional<int> begin = reader.time_of_day();
  if (!begin || !reader.skip('-')) return false;
  const std::optional<int> end = reader.time_of_day();
  if (!end || !reader.at_end() || *begin == *end || *begin == day) return false;
  for (int i = 0; i < 7; i++)
    if (days[size_t(i)])
      spans_.push_back({i * day + *begin, i * day + *end + (*end < *begin ? day : 0)});
  return true;
}

bool ActiveTimes::contain(int second_of_week) const {
  const int minute = second_of_week / 60;
  for (const ActiveSpan &span : spans_)
    if ((span.begin <= minute && minute < span.end) || minute + week < span.end) return true;
  return false;
}

int second_of_week(uint64_t utc) {
  const auto seconds = static_cast<std::time_t>(utc / 1000000000);
  std::tm local{};
  localtime_r(&seconds, &local);
  return ((local.tm_wday + 6) % 7 * 24 + local.tm_hour) * 3600 + local.tm_min * 60 + local.tm_sec;
}

}  // namespace glcl::rules
