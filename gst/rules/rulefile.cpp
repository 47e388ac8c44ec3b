// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rulefile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "opencl/error.h"

namespace glcl::rules {

namespace {

using nlohmann::json;

constexpr int most_depth = 8;
constexpr double farthest = 10;  // of a point, in frames
constexpr double most_metres = 1e5;

[[noreturn]] void refuse(const std::string &where, const std::string &why) {
  throw Error(Error::Kind::settings, where + ": " + why);
}

/// Nested brackets outside of strings.
int depth_of(const std::string &text) {
  int depth = 0, most = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (quoted && c == '\\')
      i++;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '{' || c == '['))
      most = std::max(most, ++depth);
    else if (!quoted && (c == '}' || c == ']'))
      depth--;
  }
  return most;
}

/// An object of the text, whose fields are read by name.
class Fields {
 public:
  Fields(const json &object, std::string where, std::initializer_list<const char *> known)
      : object_(object), where_(std::move(where)) {
    if (!object.is_object()) refuse(where_, "an object in braces is expected.");
    for (const auto &[key, value] : object.items())
      if (std::none_of(known.begin(), known.end(), [&](const char *name) { return key == name; })) {
        std::string names;
        for (const char *name : known) names += (names.empty() ? "" : ", ") + std::string(name);
        refuse(where_, "“" + key + "” is not one of " + names + ".");
      }
  }

  bool has(const char *name) const { return object_.contains(name); }
  const json &at(const char *name) const {
    if (!has(name)) refuse(where_, std::string("“") + name + "” is missing.");
    return object_.at(name);
  }
  double number(const char *name, double initial, double least, double most) const {
    return has(name) ? number(object_.at(name), place(name), least, most) : initial;
  }
  bool flag(const char *name) const {
    if (!has(name)) return false;
    if (!object_.at(name).is_boolean()) refuse(place(name), "true or false is expected.");
    return object_.at(name).get<bool>();
  }
  std::string text(const char *name) const {
    if (!at(name).is_string() || at(name).get_ref<const std::string &>().empty())
      refuse(place(name), "a text in quotes is expected.");
    return at(name).get<std::string>();
  }
  /// The index of a word.
  int choice(const char *name, const std::vector<const char *> &words) const {
    if (!has(name)) return 0;
    const std::string word = text(name);
    std::string all;
    for (size_t i = 0; i < words.size(); i++) {
      if (word == words[i]) return static_cast<int>(i);
      all += (i ? ", " : "") + std::string(words[i]);
    }
    refuse(place(name), "“" + word + "” is not one of " + all + ".");
  }
  /// A list of texts.
  std::vector<std::string> texts(const char *name, size_t most) const {
    const json &list = at(name);
    const auto is_text = [](const json &one) { return one.is_string(); };
    if (!list.is_array() || list.size() > most || !std::all_of(list.begin(), list.end(), is_text))
      refuse(place(name), "a list of at most " + std::to_string(most) + " texts is expected.");
    return list.get<std::vector<std::string>>();
  }
  RulePoint point(const char *name) const { return point(at(name), place(name)); }
  std::vector<RulePoint> points(const char *name) const {
    const json &list = at(name);
    if (!list.is_array() || list.size() < 3 || list.size() > most_points)
      refuse(place(name), "3 to " + std::to_string(most_points) + " points are expected.");
    std::vector<RulePoint> all;
    for (const json &one : list)
      all.push_back(point(one, place(name) + ", point " + std::to_string(all.size() + 1)));
    return all;
  }
  /// Four points, as fractions of the frame or in metres.
  std::array<RulePoint, 4> four_points(const char *name, double most) const {
    const json &list = at(name);
    if (!list.is_array() || list.size() != 4) refuse(place(name), "4 points are expected.");
    std::array<RulePoint, 4> all;
    for (size_t i = 0; i < 4; i++)
      all[i] = point(list[i], place(name) + ", point " + std::to_string(i + 1), most);
    return all;
  }
  std::string place(const char *name) const { return where_ + ", " + name; }

 private:
  static double number(const json &value, const std::string &where, double least, double most) {
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= least && number <= most)) {
      char range[64];
      std::snprintf(range, sizeof range, "a number from %g to %g is expected.", least, most);
      refuse(where, range);
    }
    return number;
  }
  static RulePoint point(const json &value, const std::string &where, double most = farthest) {
    if (!value.is_array() || value.size() != 2)
      refuse(where, most == farthest
                        ? "[x, y] is expected, as fractions of the frame's width and height."
                        : "[x, y] is expected, in metres.");
    return {number(value[0], where, -most, most), number(value[1], where, -most, most)};
  }

  const json &object_;
  std::string where_;
};

RuleAnchor anchor_of(const Fields &fields) {
  return static_cast<RuleAnchor>(fields.choice("anchor", {"picture", "ground"}));
}

/// The area of a zone.
void read_shape(const Fields &fields, const std::string &where, RuleZone &zone) {
  if (fields.has("polygon") == fields.has("center"))
    refuse(where, "give either “polygon”, or “center” and “radius”.");
  if (fields.has("polygon")) {
    zone.polygon = fields.points("polygon");
    if (crosses_itself(zone.polygon))
      refuse(fields.place("polygon"), "its sides cross. Give the points in their order around it.");
    if (!(area_of(zone.polygon) > 0))
      refuse(fields.place("polygon"), "its points lie on one line. Give points around an area.");
  } else {
    zone.center = fields.point("center");
    fields.at("radius");
    zone.radius = fields.number("radius", 0, 1e-6, farthest);
  }
}

std::optional<Heading> heading_of(const Fields &fields) {
  const double tolerance = fields.number("tolerance", 45, 1, 180);
  if (fields.has("direction"))
    return Heading{-fields.number("direction", 0, -360, 360) * M_PI / 180, tolerance * M_PI / 180};
  if (fields.has("tolerance"))
    refuse(fields.place("tolerance"), "give “direction” too, in degrees.");
  return {};
}

ActiveTimes active_of(const Fields &fields) {
  ActiveTimes active;
  if (!fields.has("active")) return active;
  for (const std::string &text : fields.texts("active", most_rules))
    if (!active.add(text))
      refuse(fields.place("active"), "“" + text +
                                         "” is not a time as “08:30-17:00”, “Mon-Fri 22:00-06:00” "
                                         "or “Sat,Sun 00:00-24:00”.");
  if (active.empty())
    refuse(fields.place("active"),
           "the list is empty. Leave it out for a zone that always counts.");
  return active;
}

RuleZone zone_of(const json &value, const std::string &where) {
  const Fields fields(
      value, where,
      {"name", "polygon", "center", "radius", "inverse", "min-area", "min-duration", "loiter",
       "count", "sensitivity", "direction", "tolerance", "active", "anchor"});
  RuleZone zone;
  zone.name = fields.text("name");
  read_shape(fields, where, zone);
  zone.inverse = fields.flag("inverse");
  zone.min_area = fields.number("min-area", 0, 0, 1);
  zone.min_duration = fields.number("min-duration", 0, 0, 86400);
  zone.loiter = fields.number("loiter", 0, 0, 86400);
  const double count = fields.number("count", 0, 0, 1000);
  if (count != std::floor(count)) refuse(fields.place("count"), "a whole number is expected.");
  zone.count = static_cast<int>(count);
  if (fields.has("sensitivity")) zone.sensitivity = fields.number("sensitivity", 0, 0, 1);
  zone.heading = heading_of(fields);
  zone.active = active_of(fields);
  zone.anchor = anchor_of(fields);
  return zone;
}

RuleLine line_of(const json &value, const std::string &where) {
  const Fields fields(value, where, {"name", "from", "to", "direction", "min-area", "anchor"});
  RuleLine line;
  line.name = fields.text("name");
  line.from = fields.point("from");
  line.to = fields.point("to");
  if (std::hypot(line.to.x - line.from.x, line.to.y - line.from.y) < 1e-6)
    refuse(where, "“from” and “to” are the same point.");
  line.direction = static_cast<RuleDirection>(
      fields.choice("direction", {"both", "left-to-right", "right-to-left"}));
  line.min_area = fields.number("min-area", 0, 0, 1);
  line.anchor = anchor_of(fields);
  return line;
}

/// The events of the scene that are wanted.
void read_events(const Fields &fields, RuleSet &rules) {
  const std::map<std::string, bool *> wishes{
      {"light-switch", &rules.light_switch},        {"camera-moved", &rules.camera_moved},
      {"ir-switch", &rules.watch.ir_switch},        {"camera-covered", &rules.watch.covered},
      {"camera-defocused", &rules.watch.defocused}, {"camera-frozen", &rules.watch.frozen}};
  for (const std::string &name : fields.texts("events", most_rules)) {
    const auto wish = wishes.find(name);
    if (wish == wishes.end())
      refuse(fields.place("events"),
             "“" + name +
                 "” is not one of light-switch, camera-moved, ir-switch, camera-covered, "
                 "camera-defocused, camera-frozen.");
    *wish->second = true;
  }
}

RuleWorld world_of(const json &value) {
  const Fields fields(value, "world", {"points", "metres", "anchor"});
  const RuleWorld world{
      {fields.four_points("points", farthest), fields.four_points("metres", most_metres)},
      anchor_of(fields)};
  if (!GroundMap(world.marks).valid())
    refuse(
        "world",
        "the four points do not show a plane. Give the corners of a quadrangle on the ground, in "
        "the same order in “points” and “metres”, no three of them on one line.");
  return world;
}

json parsed(const std::string &text) {
  if (text.size() > most_rule_bytes)
    refuse("rules", "the text has more than " + std::to_string(most_rule_bytes) + " bytes.");
  if (depth_of(text) > most_depth)
    refuse("rules", "brackets are nested more than " + std::to_string(most_depth) + " deep.");
  try {
    return json::parse(text);
  } catch (const json::exception &error) {
    throw Error(Error::Kind::settings, "rules: the JSON can't be read.", error.what());
  }
}

/// Reads the rules of a kind. Their names differ.
template <class Rule, class Read>
std::vector<Rule> rules_of(const Fields &fields, const char *kind, const Read &read) {
  std::vector<Rule> rules;
  if (!fields.has(kind)) return rules;
  const json &list = fields.at(kind);
  if (!list.is_array() || list.size() > most_rules)
    refuse(kind, "a list in brackets of at most " + std::to_string(most_rules) + " is expected.");
  std::set<std::string> names;
  for (const json &one : list) {
    const std::string where = std::string(kind) + " " + std::to_string(rules.size() + 1);
    rules.push_back(read(one, where));
    if (!names.insert(rules.back().name).second)
      refuse(where, "“" + rules.back().name + "” is a name of an earlier one. Names must differ.");
  }
  return rules;
}

std::string contents_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "the file can't be opened. Give a file, or JSON that begins with {.");
  std::string text(most_rule_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

bool RuleSet::has_times() const {
  return std::any_of(zones.begin(), zones.end(),
                     [](const RuleZone &zone) { return !zone.active.empty(); });
}

bool RuleSet::has_ground() const {
  const auto on_ground = [](const auto &rule) { return rule.anchor == RuleAnchor::ground; };
  return std::any_of(zones.begin(), zones.end(), on_ground) ||
         std::any_of(lines.begin(), lines.end(), on_ground) || (world && on_ground(*world));
}

std::shared_ptr<const RuleSet> parse_rules(const std::string &text) {
  const json all = parsed(text);
  const Fields fields(all, "rules", {"zones", "lines", "world", "events", "frozen-duration"});
  RuleSet rules;
  rules.zones = rules_of<RuleZone>(fields, "zones", zone_of);
  rules.lines = rules_of<RuleLine>(fields, "lines", line_of);
  if (fields.has("world")) rules.world = world_of(fields.at("world"));
  if (fields.has("events")) read_events(fields, rules);
  rules.watch.frozen_seconds = fields.number("frozen-duration", 5, 0.2, 86400);
  if (fields.has("frozen-duration") && !rules.watch.frozen)
    refuse("frozen-duration", "give “camera-frozen” in “events” too.");
  rules.json = text;
  return std::make_shared<const RuleSet>(std::move(rules));
}

bool is_rule_file(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] != '{';
}

std::shared_ptr<const RuleSet> read_rules(const std::string &text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return std::make_shared<const RuleSet>();
  if (!is_rule_file(text)) return parse_rules(text);
  const std::string contents = contents_of(text);
  try {
    return parse_rules(contents);
  } catch (const Error &error) {
    throw Error(error.kind(), text + ": " + error.what(), error.detail());
  }
}

}  // namespace glcl::rules
