// SPDX-License-Identifier: LGPL-2.1-or-later
#include "settings.h"

#include <algorithm>
#include <map>

namespace glcl::analyze {

namespace {

struct Setting {
  std::string element, property, value;
};

Setting parts_of(const std::string &text) {
  const size_t equals = text.find('='), dot = text.find('.');
  if (equals == std::string::npos || dot > equals) return {};
  return {text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)};
}

/// The names in --elements that use an element.
const std::map<std::string, std::vector<const char *>> users{
    {"glclhistogram", {"shots", "histogram"}},
    {"glclmotion", {"motion", "objects"}},
    {"glopenclflow", {"flow"}},
    {"glclklt", {"tracks"}},
    {"glclscope", {"scope"}}};

/// Properties that the results depend on; the tool sets them.
bool is_own(const std::string &property) {
  for (const char *own :
       {"name", "device", "interval", "post-messages", "attach-meta", "attach-overlay", "detect",
        "rules", "mode", "bins", "shot-detection", "events", "display"})
    if (property == own) return true;
  return false;
}

std::string value_fault(const Setting &setting) {
  GstElement *element = gst_element_factory_make(setting.element.c_str(), nullptr);
  if (!element) return "there is no element " + setting.element;
  const GParamSpec *spec =
      g_object_class_find_property(G_OBJECT_GET_CLASS(element), setting.property.c_str());
  std::string fault;
  if (!spec || !(spec->flags & G_PARAM_WRITABLE)) {
    fault = setting.element + " has no property " + setting.property + " that can be set";
  } else {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    if (!gst_value_deserialize(&value, setting.value.c_str()) ||
        g_param_value_validate(const_cast<GParamSpec *>(spec), &value))
      fault = setting.value + " is no value of " + setting.property + "; gst-inspect-1.0 " +
              setting.element + " lists them";
    g_value_unset(&value);
  }
  gst_object_unref(element);
  return fault;
}

}  // namespace

std::string setting_fault(const Task &task, const std::string &text) {
  const Setting setting = parts_of(text);
  if (setting.property.empty())
    return "give ELEMENT.PROPERTY=VALUE, such as glclmotion.block-size=8";
  const auto user = users.find(setting.element);
  if (user == users.end()) return setting.element + " is no element of this tool";
  const auto &names = user->second;
  if (std::none_of(names.begin(), names.end(), [&](const char *name) { return task.has(name); }))
    return "it needs --elements " + std::string(names[0]);
  if (is_own(setting.property)) return "glcl-analyze itself sets " + setting.property;
  return value_fault(setting);
}

void apply_settings(const Task &task, GstElement *pipeline) {
  for (const std::string &text : task.settings) {
    const Setting setting = parts_of(text);
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), setting.element.c_str());
    if (!element) continue;
    gst_util_set_object_arg(G_OBJECT(element), setting.property.c_str(), setting.value.c_str());
    gst_object_unref(element);
  }
}

}  // namespace glcl::analyze
