// SPDX-License-Identifier: LGPL-2.1-or-later
#include <iostream>
#include <nlohmann/json.hpp>

#include "config.h"
#include "report.h"
#include "sharing/sharing.h"

namespace glcl::info {

namespace {

using sharing::SharingMethod;

using Json = nlohmann::ordered_json;

Json to_json(const DeviceInfo &d) {
  Json json = {{"id", d.id},
               {"name", d.name},
               {"vendor", d.vendor},
               {"driver", d.driver},
               {"version", d.version},
               {"type", d.type},
               {"compute-units", d.compute_units},
               {"memory", d.memory},
               {"max-allocation", d.max_allocation},
               {"images", d.images},
               {"max-image-width", d.max_image_width},
               {"max-image-height", d.max_image_height}};
  if (!d.obstacle.empty()) json["obstacle"] = d.obstacle;
  if (!d.shortage.empty()) json["shortage"] = d.shortage;
  return json;
}

Json to_json(const PlatformInfo &p) {
  Json devices = Json::array();
  for (const DeviceInfo &device : p.devices) devices.push_back(to_json(device));
  Json json = {{"index", p.index},
               {"name", p.name},
               {"vendor", p.vendor},
               {"version", p.version},
               {"devices", devices}};
  if (!p.hint.empty()) json["hint"] = p.hint;
  return json;
}

Json to_json(const Pair &pair) {
  Json json = {{"device", pair.device}};
  Json reasons = Json::object();
  for (size_t w = 0; w < pair.reasons.size(); w++) {
    const char *method = SharingMethod::all[w]->name;
    json[method] = pair.reasons[w].empty();
    if (!pair.reasons[w].empty()) reasons[method] = pair.reasons[w];
  }
  json["reasons"] = reasons;
  for (size_t w = 0; w < pair.forms.size(); w++)
    if (!pair.forms[w].empty())
      json[std::string(SharingMethod::all[w]->name) + "-form"] = pair.forms[w];
  return json;
}

Json to_json(const Automatic &a) {
  if (!a.error.empty()) return {{"error", a.error}};
  Json json = {{"device", a.device}, {"name", a.name}, {"sharing", a.method}};
  if (!a.fallback_reason.empty()) json["fallback-reason"] = a.fallback_reason;
  return json;
}

Json to_json(const ContextInfo &c) {
  Json pairs = Json::array();
  for (const Pair &pair : c.pairs) pairs.push_back(to_json(pair));
  return {{"api", c.api},         {"default", c.is_default}, {"version", c.version},
          {"vendor", c.vendor},   {"renderer", c.renderer},  {"platform", c.platform},
          {"display", c.display}, {"sharing", pairs},        {"auto", to_json(c.automatic)}};
}

Json to_json(const Report &report) {
  Json json = {{"version", PACKAGE_VERSION},    {"gstreamer", report.gstreamer},
               {"usable", report.usable()},     {"contexts", Json::array()},
               {"missing-apis", Json::array()}, {"needs-environment", Json::object()},
               {"platforms", Json::array()},    {"remedies", report.remedies}};
  for (const ContextInfo &context : report.contexts) json["contexts"].push_back(to_json(context));
  for (const MissingApi &missing : report.missing)
    json["missing-apis"].push_back({{"api", missing.api}, {"reason", missing.reason}});
  if (report.needs_variables)
    for (const auto &[name, value] : headless_variables) json["needs-environment"][name] = value;
  for (const PlatformInfo &platform : report.platforms)
    json["platforms"].push_back(to_json(platform));
  return json;
}

}  // namespace

void print_json(const Report &report) {
  std::cout << to_json(report).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace glcl::info
