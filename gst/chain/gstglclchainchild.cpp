// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclchainchild.h"

#include <functional>
#include <map>
#include <mutex>

#include "base/glclproperties.h"
#include "opencl/error.h"

namespace glcl::chain {

namespace {

struct State {
  Values values, told;  // in use, and as the chain's text had them
};

struct Object {
  GstObject parent;
  Guarded<State> *state;
};

GstObjectClass *parent_class = nullptr;

Object *object_of(gpointer object) { return static_cast<Object *>(object); }

void set_list(GObject *object, Guarded<State> &state, size_t index, const GValue *value) {
  const gchar *text = g_value_get_string(value);
  try {
    Cursor cursor(text ? text : "", {GST_OBJECT_NAME(object), 1});
    cursor.skip();
    const Matrix matrix = parse_matrix(cursor);
    state.with([&](State &now) { now.values.lists[index] = matrix; });
  } catch (const Error &error) {
    GstObject *element = gst_object_get_parent(GST_OBJECT(object));
    if (!element) return;
    GST_ELEMENT_WARNING(element, RESOURCE, SETTINGS, ("%s The old value stays.", error.what()),
                        (nullptr));
    gst_object_unref(element);
  }
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  Guarded<State> &state = *object_of(object)->state;
  if (G_IS_PARAM_SPEC_STRING(spec))
    return set_list(object, state, id - 1 - state.get().values.numbers.size(), value);
  state.with([&](State &now) { now.values.numbers[id - 1] = g_value_get_double(value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  const Values values = object_of(object)->state->get().values;
  if (G_IS_PARAM_SPEC_STRING(spec))
    g_value_set_string(value, describe(values.lists[id - 1 - values.numbers.size()]).c_str());
  else
    g_value_set_double(value, values.numbers[id - 1]);
}

void finalize(GObject *object) {
  delete object_of(object)->state;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

/// The class of a filter's declaration: parameters first, then lists.
void class_init(gpointer klass, gpointer declaration) {
  const auto &filter = *static_cast<const Filter *>(declaration);
  parent_class = static_cast<GstObjectClass *>(g_type_class_peek(GST_TYPE_OBJECT));
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  guint id = 0;
  const auto playing = static_cast<GParamFlags>(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
  for (const Parameter &parameter : filter.parameters)
    g_object_class_install_property(
        object_class, ++id,
        g_param_spec_double(parameter.name.c_str(), parameter.name.c_str(), parameter.text.c_str(),
                            parameter.low, parameter.high, parameter.initial,
                            static_cast<GParamFlags>(playing | GST_PARAM_CONTROLLABLE)));
  for (const List &list : filter.lists)
    g_object_class_install_property(
        object_class, ++id,
        g_param_spec_string(list.name.c_str(), list.name.c_str(), list.text.c_str(),
                            describe(list.initial).c_str(), playing));
}

/// What the class is made of.
std::string declaration_of(const Filter &filter) {
  std::string text = filter.name;
  for (const Parameter &parameter : filter.parameters)
    text += "\n" + parameter.name +
            describe({3, 1, {parameter.low, parameter.high, parameter.initial}}) + parameter.text;
  for (const List &list : filter.lists)
    text += "\n" + list.name + describe(list.initial) + list.text;
  return text;
}

GType type_of(const Filter &filter) {
  static std::mutex mutex;
  static auto *types = new std::map<std::string, GType>;
  const std::lock_guard lock(mutex);
  GType &type = (*types)[declaration_of(filter)];
  if (type) return type;
  // GObject keeps types for ever, and what they are made of.
  const GTypeInfo info{sizeof(GstObjectClass), nullptr,        nullptr, class_init, nullptr,
                       new Filter(filter),     sizeof(Object), 0,       nullptr,    nullptr};
  const std::string name = "GstGLCLChain-" + filter.name + "-" + std::to_string(types->size());
  return type = g_type_register_static(GST_TYPE_OBJECT, name.c_str(), &info,
                                       static_cast<GTypeFlags>(0));
}

}  // namespace

Child make_child(const Item &item, GstElement *parent) {
  auto *object = static_cast<Object *>(g_object_new(type_of(*item.filter), nullptr));
  object->state = new Guarded<State>;
  object->state->set({item.values, item.values});
  gst_object_set_name(GST_OBJECT(object), item.name.c_str());
  gst_object_set_parent(GST_OBJECT(object), GST_OBJECT(parent));  // takes the floating reference
  return {GST_OBJECT(object), [](GstObject *gone) { gst_object_unparent(gone); }};
}

bool renew_child(const Child &child, const Item &item) {
  if (G_OBJECT_TYPE(child.get()) != type_of(*item.filter)) return false;
  object_of(child.get())->state->with([&](State &now) {
    for (size_t p = 0; p < item.values.numbers.size(); p++)
      if (item.values.numbers[p] != now.told.numbers[p])
        now.values.numbers[p] = item.values.numbers[p];
    for (size_t l = 0; l < item.values.lists.size(); l++)
      if (!(item.values.lists[l] == now.told.lists[l])) now.values.lists[l] = item.values.lists[l];
    now.told = item.values;
  });
  return true;
}

Values child_values(const Child &child) { return object_of(child.get())->state->get().values; }

}  // namespace glcl::chain
