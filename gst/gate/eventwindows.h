// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glcl::gate {

/// Time before the begin of events and after their end, ns.
struct Margins {
  uint64_t pre = 0, post = 0;
};

/// Events with a begin and an end, and the times that they cover. Times are running times, ns, and
/// may come before or after those of the frames that they are asked about.
class EventWindows {
 public:
  static constexpr size_t most = 1000;  ///< events; the first of further ones become one

  /// An event begins. A second begin of the same event is ignored.
  void begin(const std::string &key, uint64_t time);
  /// An event ends. The end of an unknown one is ignored.
  void end(const std::string &key, uint64_t time);
  /// An event that ends as it begins.
  void moment(uint64_t time) { add({"", time, time}); }
  /// True if a time is between the begin of an event, less `pre`, and its end, plus `post`.
  bool covers(uint64_t time, const Margins &margins) const;
  /// Forgets events that cover no time from this one on.
  void forget_before(uint64_t time, const Margins &margins);
  void clear() { events_.clear(); }
  size_t count() const { return events_.size(); }

 private:
  struct Event {
    std::string key;
    uint64_t begin;
    std::optional<uint64_t> end;
  };

  void add(Event event);

  std::vector<Event> events_;  // in the order of their messages
};

}  // namespace glcl::gate
