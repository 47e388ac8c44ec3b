// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclproperties.h"

#include <algorithm>

namespace glcl {

namespace {

using List = std::vector<Accessors>;  // by property id, from 1

GQuark list_quark() { return g_quark_from_static_string("glcl-properties"); }

/// Of the class that a property was installed in.
List &list_of(GType type) { return *static_cast<List *>(g_type_get_qdata(type, list_quark())); }

}  // namespace

void take_properties(GObjectClass *object_class) {
  g_type_set_qdata(G_OBJECT_CLASS_TYPE(object_class), list_quark(), new List);
  object_class->set_property = [](GObject *object, guint id, const GValue *value,
                                  GParamSpec *spec) {
    list_of(spec->owner_type)[id - 1].set(object, value);
  };
  object_class->get_property = [](GObject *object, guint id, GValue *value, GParamSpec *spec) {
    list_of(spec->owner_type)[id - 1].get(object, value);
  };
}

void install_property(GObjectClass *object_class, GParamSpec *spec, Accessors accessors) {
  List &list = list_of(G_OBJECT_CLASS_TYPE(object_class));
  list.push_back(std::move(accessors));
  g_object_class_install_property(object_class, static_cast<guint>(list.size()), spec);
}

GType register_enum(const char *name, const std::vector<GEnumValue> &values) {
  auto *kept = new GEnumValue[values.size() + 1];  // GObject refers to it for ever
  *std::copy(values.begin(), values.end(), kept) = {0, nullptr, nullptr};
  const GType type = g_enum_register_static(name, kept);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

}  // namespace glcl
