// SPDX-License-Identifier: LGPL-2.1-or-later
#include "task.h"

#include <algorithm>

#include "printable.h"

namespace glcl::analyze {

namespace {

constexpr int most_nested = 8;  // levels of JSON; these programs write fewer

Json time_json(GstClockTime time) { return GST_CLOCK_TIME_IS_VALID(time) ? Json(time) : Json(); }

GstClockTime time_of(const Json &json) {
  return json.is_null() ? GST_CLOCK_TIME_NONE : whole(json);
}

}  // namespace

bool Task::has(const char *element) const {
  return std::find(elements.begin(), elements.end(), element) != elements.end();
}

Json Task::json() const {
  return {{"file", escaped(file)}, {"folder", escaped(folder)}, {"elements", elements},
          {"device", device},      {"from", time_json(from)},   {"to", time_json(to)},
          {"part", part},          {"settings", settings},      {"rules", rules}};
}

Task Task::of(const Json &json) {
  Task task;
  task.file = unescaped(json.at("file"));
  task.folder = unescaped(json.at("folder"));
  task.elements = json.at("elements").get<std::vector<std::string>>();
  task.device = json.at("device");
  task.from = time_of(json.at("from"));
  task.to = time_of(json.at("to"));
  task.part = json.at("part");
  task.settings = json.at("settings").get<std::vector<std::string>>();
  task.rules = json.at("rules");
  return task;
}

std::string dump(const Json &json, int indent) {
  return escape_controls(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string escaped(const std::string &path) {
  std::string text;
  const auto add = [&](char c) {
    char code[4];
    g_snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    text += code;
  };
  for (size_t at = 0; at < path.size();) {
    const gchar *end = nullptr;
    const char *begin = path.data() + at;
    g_utf8_validate(begin, static_cast<gssize>(path.size() - at), &end);
    for (; begin < end; begin++, at++)
      if (*begin == '%')
        add('%');
      else
        text += *begin;
    if (at < path.size()) add(path[at++]);
  }
  return text;
}

std::string unescaped(const std::string &text) {
  std::string path;
  for (size_t i = 0; i < text.size(); i++)
    if (text[i] == '%' && i + 2 < text.size()) {
      path += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      path += text[i];
    }
  return path;
}

std::string shown(const std::string &path) { return printable(path); }

guint64 whole(const Json &json) {
  if (!json.is_number_unsigned()) throw std::invalid_argument(dump(json) + " is no whole number");
  return json.get<guint64>();
}

Json parsed(const std::string &text) {
  // Refuse deeply nested values while parsing, because copying and comparing them recurses.
  bool fits = true;
  const auto keep = [&fits](int depth, Json::parse_event_t, const Json &) {
    fits = fits && depth <= most_nested;
    return fits;
  };
  Json json = Json::parse(text, keep, false);
  return fits ? json : Json(Json::value_t::discarded);
}

}  // namespace glcl::analyze
