// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rules.h"

#include <algorithm>
#include <array>

#include "json.h"

namespace glcl::events {

namespace {

constexpr std::array names{"zone-enter",
                           "zone-leave",
                           "zone-loiter",
                           "zone-count",
                           "line-cross",
                           "light-switch",
                           "camera-moved",
                           "ir-switch",
                           "camera-covered-begin",
                           "camera-covered-end",
                           "camera-defocused-begin",
                           "camera-defocused-end",
                           "camera-frozen-begin",
                           "camera-frozen-end"};
constexpr size_t most_topic_bytes = 4096;

/// A name as a level of a topic.
std::string level_of(const gchar *name) {
  std::string level;
  for (const gchar *at = name; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (g_unichar_isalnum(c) || c == '-' || c == '_' || c == '.')
      level.append(at, static_cast<const gchar *>(g_utf8_next_char(at)));
    else
      level += '_';
  }
  return level;
}

using Json = nlohmann::ordered_json;

Json size_json(int size) { return size > 0 ? Json(size) : Json(); }

}  // namespace

bool is_of_rules(const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

nlohmann::ordered_json rule_json(GstMessage *message, const FrameFacts &facts) {
  nlohmann::ordered_json json = json_of(message);
  json["utc"] = utc_text(facts.utc);
  json["frame-width"] = size_json(facts.width);
  json["frame-height"] = size_json(facts.height);
  return json;
}

std::string topic_fault(const std::string &topic) {
  if (topic.empty()) return "is empty";
  if (topic.size() > most_topic_bytes)
    return "is longer than " + std::to_string(most_topic_bytes) + " bytes";
  const auto length = static_cast<gssize>(topic.size());
  if (!g_utf8_validate(topic.data(), length, nullptr)) return "is not UTF-8";
  for (const gchar *at = topic.c_str(); *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (c == '+' || c == '#') return "has a wildcard, + or #";
    if (g_unichar_isspace(c) || g_unichar_iscntrl(c)) return "has a space or a control character";
  }
  return topic.back() == '/' ? "ends with /" : "";
}

std::string topic_of(const std::string &topic, GstMessage *message) {
  std::string all = topic + "/" + name_of(message);
  const GstStructure *fields = gst_message_get_structure(message);
  for (const char *field : {"zone", "line"})
    if (const gchar *rule = gst_structure_get_string(fields, field)) all += "/" + level_of(rule);
  return all;
}

}  // namespace glcl::events
