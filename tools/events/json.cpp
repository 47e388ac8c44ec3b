// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json.h"

#include <cmath>

namespace glcl::events {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json text(const gchar *value) { return value ? Json(value) : Json(); }

Json nick(const GValue *value) {
  auto *type = static_cast<GEnumClass *>(g_type_class_ref(G_VALUE_TYPE(value)));
  const GEnumValue *entry = g_enum_get_value(type, g_value_get_enum(value));
  Json json = entry ? Json(entry->value_nick) : Json(g_value_get_enum(value));
  g_type_class_unref(type);
  return json;
}

Json serialized(const GValue *value) {
  gchar *written = gst_value_serialize(value);
  Json json = text(written);
  g_free(written);
  return json;
}

template <class Size, class Item>
Json list(const GValue *value, const Size &size, const Item &item) {
  Json json = Json::array();
  for (guint i = 0; i < size(value); i++) json.push_back(json_of(item(value, i)));
  return json;
}

Json numbers(const GValue *value) {
  Json json = Json::array();
  const auto *array = static_cast<const GValueArray *>(g_value_get_boxed(value));
  for (guint i = 0; array && i < array->n_values; i++) json.push_back(json_of(array->values + i));
  return json;
}

/// True if the field F-C repeats a field of the structures in the list F.
bool repeats(const GstStructure *structure, const std::string &name) {
  for (size_t end = name.find('-'); end != std::string::npos; end = name.find('-', end + 1)) {
    const GValue *list = gst_structure_get_value(structure, name.substr(0, end).c_str());
    if (list && g_type_is_a(G_VALUE_TYPE(list), g_type_from_name("GValueArray"))) return true;
  }
  return false;
}

}  // namespace

Json json_of(const GValue *value) {
  if (G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value) != FALSE;
  if (G_VALUE_HOLDS_INT(value)) return g_value_get_int(value);
  if (G_VALUE_HOLDS_UINT(value)) return g_value_get_uint(value);
  if (G_VALUE_HOLDS_INT64(value)) return g_value_get_int64(value);
  if (G_VALUE_HOLDS_UINT64(value)) {
    const guint64 n = g_value_get_uint64(value);
    return n == GST_CLOCK_TIME_NONE ? Json() : Json(n);
  }
  if (G_VALUE_HOLDS_DOUBLE(value)) return number(g_value_get_double(value));
  if (G_VALUE_HOLDS_FLOAT(value)) return number(g_value_get_float(value));
  if (G_VALUE_HOLDS_STRING(value)) return text(g_value_get_string(value));
  if (G_VALUE_HOLDS_ENUM(value)) return nick(value);
  if (GST_VALUE_HOLDS_ARRAY(value))
    return list(value, gst_value_array_get_size, gst_value_array_get_value);
  if (GST_VALUE_HOLDS_LIST(value))
    return list(value, gst_value_list_get_size, gst_value_list_get_value);
  if (GST_VALUE_HOLDS_STRUCTURE(value)) {
    const GstStructure *structure = gst_value_get_structure(value);
    return structure ? json_of(structure) : Json();
  }
  if (G_VALUE_HOLDS(value, G_TYPE_ERROR)) {
    const auto *error = static_cast<const GError *>(g_value_get_boxed(value));
    return text(error ? error->message : nullptr);
  }
  // By its name: the macro of this type is deprecated.
  if (g_type_is_a(G_VALUE_TYPE(value), g_type_from_name("GValueArray"))) return numbers(value);
  return serialized(value);
}

Json json_of(const GstStructure *structure) {
  Json json = Json::object();
  for (int i = 0; i < gst_structure_n_fields(structure); i++) {
    const gchar *name = gst_structure_nth_field_name(structure, i);
    if (!repeats(structure, name)) json[name] = json_of(gst_structure_get_value(structure, name));
  }
  return json;
}

const gchar *name_of(GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  return structure && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT
             ? gst_structure_get_name(structure)
             : GST_MESSAGE_TYPE_NAME(message);
}

Json json_of(GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  GstObject *from = GST_MESSAGE_SRC(message);
  Json json{{"message", name_of(message)},
            {"element", text(from ? GST_OBJECT_NAME(from) : nullptr)}};
  if (structure) json.update(json_of(structure));
  return json;
}

}  // namespace glcl::events
