// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclproperties.h"

#include <algorithm>

#include "glclerrorreporter.h"

namespace glcl {

namespace {

using PropertyList = std::vector<Accessors>;  // by property id, from 1

GQuark list_quark() { return g_quark_from_static_string("glcl-properties"); }

/// The properties that a class has installed.
PropertyList &list_of(GType type) {
  return *static_cast<PropertyList *>(g_type_get_qdata(type, list_quark()));
}

/// Sets a property that is read before PAUSED, or warns that it is too late. The object's lock is
/// held meanwhile, so that no state change begins.
void set_before_paused(GstElement *element, const Accessors &accessors, const GValue *value,
                       GParamSpec *spec) {
  GST_OBJECT_LOCK(element);
  const GstState state = std::max(GST_STATE(element), GST_STATE_NEXT(element));
  if (state <= GST_STATE_READY) accessors.set(G_OBJECT(element), value);
  GST_OBJECT_UNLOCK(element);
  if (state <= GST_STATE_READY) return;
  // gst_value_serialize() escapes the % in texts.
  gchar *text =
      G_VALUE_HOLDS_STRING(value) ? g_value_dup_string(value) : gst_value_serialize(value);
  warn(element, GST_RESOURCE_ERROR_SETTINGS,
       std::string(spec->name) + "=" + (text ? text : "") + " comes too late: the element is " +
           gst_element_state_get_name(state) +
           ". The old value stays; set the property in state NULL or READY.");
  g_free(text);
}

}  // namespace

void take_properties(GObjectClass *object_class) {
  g_type_set_qdata(G_OBJECT_CLASS_TYPE(object_class), list_quark(), new PropertyList);
  object_class->set_property = [](GObject *object, guint id, const GValue *value,
                                  GParamSpec *spec) {
    const Accessors &accessors = list_of(spec->owner_type)[id - 1];
    if (spec->flags & GST_PARAM_MUTABLE_READY)
      set_before_paused(GST_ELEMENT(object), accessors, value, spec);
    else
      accessors.set(object, value);
  };
  object_class->get_property = [](GObject *object, guint id, GValue *value, GParamSpec *spec) {
    list_of(spec->owner_type)[id - 1].get(object, value);
  };
}

void install_property(GObjectClass *object_class, GParamSpec *spec, Accessors accessors) {
  PropertyList &list = list_of(G_OBJECT_CLASS_TYPE(object_class));
  list.push_back(std::move(accessors));
  g_object_class_install_property(object_class, static_cast<guint>(list.size()), spec);
}

GType register_enum(const char *name, const std::vector<GEnumValue> &values) {
  auto *kept = new GEnumValue[values.size() + 1];  // GObject refers to it forever
  *std::copy(values.begin(), values.end(), kept) = {0, nullptr, nullptr};
  const GType type = g_enum_register_static(name, kept);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

GType register_flags(const char *name, const std::vector<GFlagsValue> &values) {
  auto *kept = new GFlagsValue[values.size() + 1];  // GObject refers to it forever
  *std::copy(values.begin(), values.end(), kept) = {0, nullptr, nullptr};
  const GType type = g_flags_register_static(name, kept);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

}  // namespace glcl
