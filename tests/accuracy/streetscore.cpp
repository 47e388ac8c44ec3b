// SPDX-License-Identifier: LGPL-2.1-or-later
#include "streetscore.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "clips.h"

namespace street {

namespace {

constexpr double learning_seconds =
    60;  // of swinging things, from the start or a move of the camera
constexpr double after_seconds = left_after + 10;  // in which a cause may still make objects
constexpr int hysteresis = 2;                      // px that an object passes a border by
constexpr double most_off = 2, most_part = 0.05;   // frames; part of a dwell time
constexpr int most_false = 1;                      // objects by a cause
/// Causes that give more.
const std::map<std::string, int> known_false{{"swinging", 3}};

int most_of(const std::string &what, int otherwise) {
  const auto known = known_false.find(what);
  return known == known_false.end() ? otherwise : known->second;
}

bool overlap(const glcl::RectF &a, const glcl::RectF &b) {
  return glcl::common_area(a, b) >= 0.3f * std::min(a.area(), b.area());
}

bool starts_with(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace

Score::Score(const Timetable &times, const Scene &scene, Truth truth,
             const std::vector<Event> &events)
    : times_(times), swinging_(scene.scenery()), truth_(std::move(truth)), events_(events) {
  for (size_t i = 0; i < times_.entries.size(); i++) {
    if (times_.entries[i].from >= times_.seconds) continue;
    if (is_object(times_.entries[i].kind))
      expect_object(i);
    else
      expect_camera(i);
  }
  std::stable_sort(wanted_.begin(), wanted_.end(),
                   [](const Expectation &a, const Expectation &b) { return a.frame < b.frame; });
}

const TrueBox *Score::box_of(size_t entry, int frame) const {
  for (const TrueBox &box : truth_[size_t(std::clamp(frame, 0, int(truth_.size()) - 1))])
    if (box.entry == entry) return &box;
  return nullptr;
}

/// The first frame in which the middle of the lower edge has passed a place; -1 without one.
int Score::frame_at(size_t entry, double x) const {
  const bool left = times_.entries[entry].left;
  for (int i = 0; i < int(truth_.size()); i++)
    for (const TrueBox &box : truth_[size_t(i)])
      if (box.entry == entry && box.passes &&
          (left ? box.box.x() < float(x - hysteresis) : box.box.x() > float(x + hysteresis)))
        return i;
  return -1;
}

void Score::expect_object(size_t at) {
  const Entry &entry = times_.entries[at];
  int first = -1;
  for (int i = 0; i < int(truth_.size()) && first < 0; i++)
    if (box_of(at, i)) first = i;
  const double enters = frame_at(at, width * (entry.left ? zone_right : zone_left)),
               leaves = frame_at(at, width * (entry.left ? zone_left : zone_right));
  add({at, "motion-begin", "", double(first), 0, 20, -1, true});
  // Seen from its upper end, the line has the right side of the picture on its left.
  add({at, "line-cross", entry.left ? "left-to-right" : "right-to-left",
       double(frame_at(at, width * line_x)), most_off, most_off, -1, true});
  add({at, "zone-enter", "bay", enters, most_off, most_off, -1, true});
  add({at, "zone-leave", "bay", leaves, most_off, most_off, (leaves - enters) / rate, true});
  if (entry.kind == Kind::parks) {
    const double stop = Scene::stop_of(entry);
    add({at, "object-state", "stationary", stop * rate, 0, 40, -1, true});
    add({at, "object-state", "moving", entry.to * rate, 0, 20, -1, true});
  }
  if (entry.kind != Kind::puts && entry.kind != Kind::takes) return;
  for (int i = 0; i < int(truth_.size()); i++)
    for (const TrueBox &box : truth_[size_t(i)])
      if (box.entry == at && !box.passes)
        return add({at, "object-state", entry.kind == Kind::puts ? "left" : "removed",
                    i + left_after * rate, 20, 100, -1, true});
}

void Score::expect_camera(size_t at) {
  const Entry &entry = times_.entries[at];
  const double from = entry.from * rate, to = entry.to * rate;
  const auto lasts = [&](const std::string &name, double hidden, double until, double slack) {
    add({at, name + "-begin", "", hidden + until * rate, slack, slack, -1});
    add({at, name + "-end", "", to, slack, 2 * slack, (to - hidden) / rate});
  };
  const bool ends = entry.to < times_.seconds;
  switch (entry.kind) {
    case Kind::light:
      add({at, "light-switch", "", from, most_off, most_off, -1});
      add({at, "light-switch", "", to, most_off, most_off, -1});
      break;
    case Kind::night:
      add({at, "ir-switch", "grey", from + rate / 2.0, most_off, 5, -1});
      if (ends) add({at, "ir-switch", "colour", to + rate / 2.0, most_off, 5, -1});
      break;
    case Kind::covered:
      lasts("camera-covered", from + 5, 2, 5);
      break;
    case Kind::defocused:
      lasts("camera-defocused", from + 5, 2, 5);
      break;
    case Kind::frozen:
      lasts("camera-frozen", from + 1, frozen_duration, 5);
      break;
    case Kind::moved:
      add({at, "camera-moved", "", from + 2 * rate, most_off, 5, -1});
      add({at, "camera-moved", "", to + 2 * rate, most_off, 5, -1});
      break;
    case Kind::flag_rests:
      add({at, "motion-begin", "", to, 0, 100, -1, true});
      break;
    default:
      break;
  }
}

bool Score::is_of(const Event &event, size_t entry) const {
  if (times_.entries[entry].kind == Kind::flag_rests) return overlap(event.box, swinging_.back());
  for (const TrueBox &box : truth_[size_t(std::clamp(event.frame, 0, int(truth_.size()) - 1))])
    if (box.entry == entry && overlap(event.box, box.box)) return true;
  return false;
}

const Event *Score::find(const Expectation &wanted) const {
  const Event *best = nullptr;
  for (const Event &event : events_) {
    if (event.name != wanted.name ||
        (!event.what.empty() && !wanted.what.empty() && event.what != wanted.what) ||
        (wanted.of_object && !is_of(event, wanted.entry)))
      continue;
    const auto off = [&](const Event &one) { return std::abs(one.frame - wanted.frame); };
    if (!best || off(event) < off(*best)) best = &event;
  }
  return best && std::abs(best->frame - wanted.frame) <= 30 * rate ? best : nullptr;
}

int Score::print_expected() const {
  int beyond = 0;
  std::printf("%-9s %-11s %-24s %-14s %8s %8s\n", "time", "of", "event", "", "off", "lasted");
  for (const Expectation &wanted : wanted_) {
    const Event *found = find(wanted);
    const double off = found ? found->frame - wanted.frame : 0,
                 longer = found && wanted.seconds >= 0 ? found->seconds - wanted.seconds : 0;
    const bool of_zone = wanted.name == "zone-leave";
    const bool good = found && off >= -wanted.early && off <= wanted.late &&
                      (!of_zone || std::abs(longer) * rate <=
                                       std::max(most_off, most_part * wanted.seconds * rate));
    const double at = wanted.frame / rate;
    std::printf("%02d:%04.1f   %-11s %-24s %-14s ", int(at / 60), std::fmod(at, 60),
                name_of(times_.entries[wanted.entry].kind), wanted.name.c_str(),
                wanted.what.c_str());
    if (found)
      std::printf("%+8.0f ", off);
    else
      std::printf("%8s ", "missed");
    if (found && wanted.seconds >= 0) std::printf("%+7.1f s ", longer);
    std::printf("%s\n", good ? "" : "!");
    beyond += !good;
  }
  return beyond;
}

/// The cause of an object that is not in the street.
std::string Score::cause_of(const Event &begin) const {
  const double t = begin.frame / double(rate);
  double since_move = t;
  std::string cause;
  double latest = 1e9;
  for (const Entry &entry : times_.entries) {
    if (entry.kind == Kind::moved)
      for (const double at : {entry.from, entry.to})
        if (t >= at) since_move = std::min(since_move, t - at);
    if (!is_cause(entry.kind) || entry.kind == Kind::flag_rests || t < entry.from) continue;
    // Headlights are seen at night.
    const double after = std::max(t - entry.to, entry.kind == Kind::night ? 1 : 0.0);
    if (after <= after_seconds && after < latest) cause = name_of(entry.kind), latest = after;
  }
  for (const glcl::RectF &box : swinging_)
    if (glcl::common_area(begin.box, box) >= 0.7f * begin.box.area())
      return since_move < learning_seconds ? "learning" : "swinging";
  return cause.empty() ? "coding" : cause;
}

int Score::print_false() const {
  std::map<std::string, int> counts;
  std::map<size_t, int> begun;
  for (const char *cause : {"coding", "swinging", "twice"}) counts[cause] = 0;
  for (const Entry &entry : times_.entries)
    if (is_cause(entry.kind) && entry.kind != Kind::flag_rests) counts[name_of(entry.kind)] = 0;
  for (const Event &event : events_) {
    if (event.name != "motion-begin") continue;
    size_t of = times_.entries.size();
    bool passes = false;
    for (const TrueBox &box : truth_[size_t(std::clamp(event.frame, 0, int(truth_.size()) - 1))])
      if (overlap(event.box, box.box) && !passes) of = box.entry, passes = box.passes;
    if (of < times_.entries.size() && passes && !begun[2 * of]++) continue;
    if (of < times_.entries.size() && !passes && !begun[2 * of + 1]++) continue;
    bool again = false;
    for (const Expectation &wanted : wanted_)
      again |= times_.entries[wanted.entry].kind == Kind::flag_rests && find(wanted) == &event;
    if (again) continue;
    const std::string cause = passes ? "twice" : cause_of(event);
    counts[cause]++;
    std::printf("%02d:%04.1f   false object %llu by %s at (%g, %g), %g × %g\n",
                event.frame / rate / 60, event.frame % (60 * rate) / double(rate),
                static_cast<unsigned long long>(event.id), cause.c_str(), double(event.box.left),
                double(event.box.top), double(event.box.width()), double(event.box.height()));
  }
  int beyond = 0;
  std::printf("false objects:\n");
  for (const auto &[cause, count] : counts) {
    const bool good = cause == "learning" || count <= most_of(cause, most_false);
    std::printf("  %-12s %3d %s\n", cause.c_str(), count, good ? "" : "!");
    beyond += !good;
  }
  return beyond;
}

/// Each begin has its end.
int Score::print_ends() const {
  std::map<std::string, int> open;
  std::map<std::string, int> all;
  for (const Event &event : events_) {
    all[event.name]++;
    const std::string id = event.id ? " " + std::to_string(event.id) : "";
    for (const auto &[begin, end] : {std::pair{"-begin", "-end"}, {"-enter", "-leave"}}) {
      const size_t at = event.name.rfind(begin), last = event.name.rfind(end);
      if (at != std::string::npos) open[event.name.substr(0, at) + id]++;
      if (last != std::string::npos) open[event.name.substr(0, last) + id]--;
    }
  }
  int without = 0;
  for (const auto &[what, count] : open) {
    if (count) std::printf("%s: %d begins without an end !\n", what.c_str(), count);
    without += count != 0;
  }
  for (const auto &[name, count] : all) {
    const bool scene = starts_with(name, "camera") || name == "light-switch" || name == "ir-switch";
    // A camera for the night changes the light too.
    const auto wanted =
        std::count_if(wanted_.begin(), wanted_.end(), [&, &event = name](const Expectation &one) {
          return one.name == event || (event == "light-switch" && one.name == "ir-switch");
        });
    const bool good = !scene || count <= wanted + most_of(name, 0);
    std::printf("%-24s %4d%s\n", name.c_str(), count, good ? "" : ", more than there are !");
    without += !good;
  }
  return without;
}

int Score::print() const {
  const int missed = print_expected();
  return std::max(missed - times_.most_missed, 0) + print_false() + print_ends();
}

}  // namespace street
