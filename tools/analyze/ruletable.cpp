// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ruletable.h"

#include <algorithm>

#include "events/rules.h"
#include "printable.h"

namespace glcl::analyze {

namespace {

constexpr const char *number_fields[] = {"id",    "x",     "y",           "width", "height",
                                         "count", "speed", "speed-error", "size",  "size-error"};

/// A name as a cell of CSV. Control characters become ?.
std::string quoted(const std::string &name) {
  const std::string text = printable(name);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string name_in(const Json &event) {
  for (const char *kind : {"zone", "line"})
    if (event.contains(kind)) return event[kind];
  return "";
}

void add_one(Json &number) { number = number.get<guint64>() + 1; }

/// The names of rules of a kind, with counts of 0.
Json zeros(const Json &rules, const char *kind, const Json &fields) {
  Json list = Json::array();
  if (!rules.contains(kind)) return list;
  for (const Json &rule : rules[kind]) {
    Json one{{"name", rule.at("name")}};
    one.update(fields);
    list.push_back(one);
  }
  return list;
}

}  // namespace

RuleTable::RuleTable(const Folder &folder, const Json &rules)
    : out_(folder, "rules.csv"),
      counts_{{"zones", zeros(rules, "zones",
                              {{"entered", 0}, {"left", 0}, {"loitered", 0}, {"longest", 0}})},
              {"lines", zeros(rules, "lines", {{"left-to-right", 0}, {"right-to-left", 0}})}} {
  std::string header = "time,frame,event,rule,direction,duration";
  for (const char *field : number_fields) header += std::string(",") + field;
  out_.write(header + "\n");
}

void RuleTable::add(const Json &event) {
  const std::string name = event.at("event");
  if (!events::is_of_rules(name)) return;
  std::string line = seconds(whole(event.at("time"))) + ",";
  if (!event.at("frame").is_null()) line += std::to_string(whole(event["frame"]));
  line += "," + name + "," + quoted(name_in(event)) + "," +
          event.value("direction", event.value("to", "")) + ",";
  for (const char *field : {"zone-duration", "scene-duration"})
    if (event.contains(field)) line += seconds(whole(event[field]));
  for (const char *field : number_fields)
    line += "," + (event.contains(field) && event[field].is_number()
                       ? number(event[field].get<double>())
                       : std::string());
  out_.write(line + "\n");
  count(event);
}

void RuleTable::count(const Json &event) {
  const std::string name = event.at("event"), rule = name_in(event);
  for (Json &line : counts_["lines"])
    if (name == "line-cross" && line["name"] == rule)
      add_one(line[event.at("direction").get<std::string>()]);
  for (Json &zone : counts_["zones"]) {
    if (!event.contains("zone") || zone["name"] != rule) continue;
    if (name == "zone-enter") add_one(zone["entered"]);
    if (name == "zone-loiter") add_one(zone["loitered"]);
    if (name != "zone-leave") continue;
    add_one(zone["left"]);
    zone["longest"] = std::max(zone["longest"].get<guint64>(), whole(event.at("zone-duration")));
  }
}

}  // namespace glcl::analyze
