// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclchainchild.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "base/glclproperties.h"
#include "opencl/error.h"

namespace glcl::chain {

namespace {

struct ChildState {
  Values values, parsed;  // current values; values in the chain's text
};

/// A GObject type for children of one declaration. GObject keeps types forever, so a type without
/// children is reused for another declaration with the same names and texts.
struct FilterType {
  GType type = 0;
  std::string declaration;
  int children = 0;
};

struct ChildObject {
  GstObject parent;
  Guarded<ChildState> *state;
  FilterType *kind;
};

GstObjectClass *parent_class = nullptr;

ChildObject *object_of(gpointer object) { return static_cast<ChildObject *>(object); }

void set_list(GObject *object, Guarded<ChildState> &state, size_t index, const GValue *value) {
  const gchar *text = g_value_get_string(value);
  try {
    Cursor cursor(text ? text : "", {GST_OBJECT_NAME(object), 1});
    cursor.skip();
    const Matrix matrix = parse_matrix(cursor);
    state.with([&](ChildState &now) { now.values.lists[index] = matrix; });
  } catch (const Error &error) {
    GstObject *element = gst_object_get_parent(GST_OBJECT(object));
    if (!element) return;
    GST_ELEMENT_WARNING(element, RESOURCE, SETTINGS, ("%s The old value stays.", error.what()),
                        (nullptr));
    gst_object_unref(element);
  }
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  Guarded<ChildState> &state = *object_of(object)->state;
  if (G_IS_PARAM_SPEC_STRING(spec))
    return set_list(object, state, id - 1 - state.get().values.numbers.size(), value);
  const double number =
      G_IS_PARAM_SPEC_ENUM(spec) ? g_value_get_enum(value) : g_value_get_double(value);
  state.with([&](ChildState &now) { now.values.numbers[id - 1] = number; });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  const Values values = object_of(object)->state->get().values;
  if (G_IS_PARAM_SPEC_STRING(spec))
    g_value_set_string(value, describe(values.lists[id - 1 - values.numbers.size()]).c_str());
  else if (G_IS_PARAM_SPEC_ENUM(spec))
    g_value_set_enum(value, static_cast<gint>(values.numbers[id - 1]));
  else
    g_value_set_double(value, values.numbers[id - 1]);
}

std::mutex &kinds_mutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

void finalize(GObject *object) {
  delete object_of(object)->state;
  {
    const std::lock_guard lock(kinds_mutex());
    object_of(object)->kind->children--;
  }
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

/// The enumeration of a parameter that is one of several choices. GObject keeps it forever.
GType choices_of(const Parameter &parameter) {
  std::string name = "GstGLCLChain";
  for (const std::string &choice : parameter.choices) name += "-" + choice;
  if (const GType known = g_type_from_name(name.c_str())) return known;
  std::vector<GEnumValue> values;
  for (const std::string &choice : parameter.choices) {
    const gchar *kept = g_intern_string(choice.c_str());
    values.push_back({static_cast<gint>(values.size()), kept, kept});
  }
  return register_enum(name.c_str(), values);
}

GParamSpec *spec_of(const Parameter &parameter, GParamFlags flags) {
  const gchar *name = parameter.name.c_str(), *text = parameter.text.c_str();
  const auto controlled = static_cast<GParamFlags>(flags | GST_PARAM_CONTROLLABLE);
  if (parameter.choices.empty())
    return g_param_spec_double(name, name, text, parameter.low, parameter.high, parameter.initial,
                               controlled);
  return g_param_spec_enum(name, name, text, choices_of(parameter),
                           static_cast<gint>(parameter.initial), controlled);
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
    g_object_class_install_property(object_class, ++id, spec_of(parameter, playing));
  for (const List &list : filter.lists)
    g_object_class_install_property(
        object_class, ++id,
        g_param_spec_string(list.name.c_str(), list.name.c_str(), list.text.c_str(),
                            describe(list.initial).c_str(), playing));
}

/// The parts of a declaration that a type can't change.
std::string names_of(const Filter &filter) {
  std::string text = filter.name;
  for (const Parameter &parameter : filter.parameters) {
    text += "\np " + parameter.name + " " + parameter.text;
    for (const std::string &choice : parameter.choices) text += "|" + choice;
  }
  for (const List &list : filter.lists) text += "\nl " + list.name + " " + list.text;
  return text;
}

std::string declaration_of(const Filter &filter) {
  std::string text = names_of(filter);
  for (const Parameter &parameter : filter.parameters)
    text += "\n" + describe({3, 1, {parameter.low, parameter.high, parameter.initial}});
  for (const List &list : filter.lists) text += "\n" + describe(list.initial);
  return text;
}

GType new_type(const Filter &filter) {
  static int count = 0;
  // Create the class now: class_init reads the filter.
  auto *declaration = const_cast<Filter *>(&filter);
  const GTypeInfo info{sizeof(GstObjectClass), nullptr, nullptr, class_init, nullptr, declaration,
                       sizeof(ChildObject),    0,       nullptr, nullptr};
  const std::string name = "GstGLCLChain-" + filter.name + "-" + std::to_string(++count);
  const GType type =
      g_type_register_static(GST_TYPE_OBJECT, name.c_str(), &info, static_cast<GTypeFlags>(0));
  g_type_class_ref(type);
  return type;
}

/// Gives a type that has no children the ranges and defaults of a filter.
void declare_again(GType type, const Filter &filter) {
  auto *klass = static_cast<GObjectClass *>(g_type_class_peek(type));
  const auto renew_default = [](GParamSpec *spec) {  // GObject keeps a copy
    g_param_value_set_default(spec, const_cast<GValue *>(g_param_spec_get_default_value(spec)));
  };
  for (const Parameter &parameter : filter.parameters) {
    if (!parameter.choices.empty()) continue;  // they are part of the names
    GParamSpec *spec = g_object_class_find_property(klass, parameter.name.c_str());
    G_PARAM_SPEC_DOUBLE(spec)->minimum = parameter.low;
    G_PARAM_SPEC_DOUBLE(spec)->maximum = parameter.high;
    G_PARAM_SPEC_DOUBLE(spec)->default_value = parameter.initial;
    renew_default(spec);
  }
  for (const List &list : filter.lists) {
    GParamSpec *spec = g_object_class_find_property(klass, list.name.c_str());
    g_free(G_PARAM_SPEC_STRING(spec)->default_value);
    G_PARAM_SPEC_STRING(spec)->default_value = g_strdup(describe(list.initial).c_str());
    renew_default(spec);
  }
}

/// Takes the type for one more child of a filter.
FilterType *take_kind(const Filter &filter) {
  static auto *all = new std::map<std::string, std::deque<FilterType>>;
  const std::string declaration = declaration_of(filter);
  const std::lock_guard lock(kinds_mutex());
  std::deque<FilterType> &kinds = (*all)[names_of(filter)];
  const auto having = [&](const auto &condition) {
    return std::find_if(kinds.begin(), kinds.end(), condition);
  };
  auto kind = having([&](const FilterType &one) { return one.declaration == declaration; });
  if (kind == kinds.end()) kind = having([](const FilterType &one) { return one.children == 0; });
  if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {new_type(filter), declaration, 0});
  if (kind->declaration != declaration) {
    declare_again(kind->type, filter);
    kind->declaration = declaration;
  }
  kind->children++;
  return &*kind;
}

/// True if a child was declared like the filter. Types of existing children do not change.
bool is_of(const Child &child, const Filter &filter) {
  return object_of(child.get())->kind->declaration == declaration_of(filter);
}

}  // namespace

Child make_child(const Item &item, GstElement *parent) {
  FilterType *kind = take_kind(*item.filter);
  auto *object = static_cast<ChildObject *>(g_object_new(kind->type, nullptr));
  object->kind = kind;
  object->state = new Guarded<ChildState>;
  object->state->set({item.values, item.values});
  gst_object_set_name(GST_OBJECT(object), item.name.c_str());
  gst_object_set_parent(GST_OBJECT(object), GST_OBJECT(parent));  // takes the floating reference
  return {GST_OBJECT(object), [](GstObject *gone) { gst_object_unparent(gone); }};
}

bool renew_child(const Child &child, const Item &item) {
  if (!is_of(child, *item.filter)) return false;
  object_of(child.get())->state->with([&](ChildState &now) {
    for (size_t p = 0; p < item.values.numbers.size(); p++)
      if (item.values.numbers[p] != now.parsed.numbers[p])
        now.values.numbers[p] = item.values.numbers[p];
    for (size_t l = 0; l < item.values.lists.size(); l++)
      if (!(item.values.lists[l] == now.parsed.lists[l]))
        now.values.lists[l] = item.values.lists[l];
    now.parsed = item.values;
  });
  return true;
}

Values child_values(const Child &child) { return object_of(child.get())->state->get().values; }

}  // namespace glcl::chain
