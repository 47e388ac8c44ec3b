// SPDX-License-Identifier: LGPL-2.1-or-later
// Every property of every element of the plugin at its limits, with every `display`, on tiny and
// odd-sized frames. Frames arrive, or an error names the property.
#include <gst/gl/gstglfilter.h>

#include <algorithm>
#include <cmath>

#include "pipeline.h"

using test::Chain;
using test::expect;
using test::Frame;
using test::Pipeline;

namespace {

const std::vector<std::pair<int, int>> small_sizes = {{1, 1}, {1, 37}, {37, 1}},
                                       two_sizes = {{1, 1}, {65, 47}},
                                       all_sizes = {{1, 1}, {1, 37}, {37, 1}, {65, 47}};

/// The values that a property can be set to.
class Value {
 public:
  explicit Value(GType type) { g_value_init(&value_, type); }
  Value(const Value &other) : Value(G_VALUE_TYPE(&other.value_)) {
    g_value_copy(&other.value_, &value_);
  }
  Value &operator=(Value other) {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Value() { g_value_unset(&value_); }

  GValue *get() { return &value_; }
  const GValue *get() const { return &value_; }
  std::string text() const {
    gchar *contents = g_strdup_value_contents(&value_);
    const std::string text = contents;
    g_free(contents);
    return text.substr(0, 60);
  }

 private:
  GValue value_ = G_VALUE_INIT;
};

template <class Number>
Value value_of(GType type, void (*set)(GValue *, Number), Number number) {
  Value value(type);
  set(value.get(), number);
  return value;
}

/// Both limits of a range and the values next to them. The latter test rounding and checks, which
/// do not depend on sharing, so a short run skips them.
template <class Number, class Spec>
std::vector<Value> ends_of(GParamSpec *spec, void (*set)(GValue *, Number)) {
  const auto *range = reinterpret_cast<const Spec *>(spec);
  const auto after = [](Number from, Number to) {
    if constexpr (std::is_floating_point_v<Number>)
      return std::nextafter(from, to);
    else
      return from == to  ? from
             : from < to ? static_cast<Number>(from + 1)
                         : static_cast<Number>(from - 1);
  };
  std::vector<Number> numbers = {range->minimum, after(range->minimum, range->maximum),
                                 after(range->maximum, range->minimum), range->maximum};
  if (test::is_short()) numbers = {range->minimum, range->maximum};
  std::vector<Value> values;
  for (const Number number : numbers) values.push_back(value_of(spec->value_type, set, number));
  return values;
}

std::vector<Value> values_of(GParamSpec *spec);

/// Lists of several lengths and mixtures, of integers unless the property says otherwise.
std::vector<Value> lists_of(const GstParamSpecArray *spec) {
  std::vector<Value> lists, items;
  for (const int number : {G_MININT, -1, 0, 1, G_MAXINT})
    items.push_back(value_of(G_TYPE_INT, g_value_set_int, number));
  if (spec->element_spec) items = values_of(spec->element_spec);
  const auto add = [&](size_t length, size_t which) {
    Value list(GST_TYPE_ARRAY);
    for (size_t i = 0; i < length; i++, which /= items.size())
      gst_value_array_append_value(list.get(), items[which % items.size()].get());
    lists.push_back(list);
  };
  for (const size_t length : {0, 1, 3, 5}) add(length, 0);
  // A selection of all lists of four.
  for (size_t which = 0; which < std::pow(items.size(), 4); which += 13) add(4, which);
  Value nested(GST_TYPE_ARRAY);
  for (int i = 0; i < 4; i++) gst_value_array_append_value(nested.get(), lists.front().get());
  lists.push_back(nested);
  return lists;
}

std::vector<Value> values_of(GParamSpec *spec) {
  std::vector<Value> values;
  const GType type = spec->value_type;
  if (G_IS_PARAM_SPEC_INT(spec)) return ends_of<gint, GParamSpecInt>(spec, g_value_set_int);
  if (G_IS_PARAM_SPEC_UINT(spec)) return ends_of<guint, GParamSpecUInt>(spec, g_value_set_uint);
  if (G_IS_PARAM_SPEC_INT64(spec)) return ends_of<gint64, GParamSpecInt64>(spec, g_value_set_int64);
  if (G_IS_PARAM_SPEC_UINT64(spec))
    return ends_of<guint64, GParamSpecUInt64>(spec, g_value_set_uint64);
  if (G_IS_PARAM_SPEC_FLOAT(spec)) return ends_of<gfloat, GParamSpecFloat>(spec, g_value_set_float);
  if (G_IS_PARAM_SPEC_DOUBLE(spec))
    return ends_of<gdouble, GParamSpecDouble>(spec, g_value_set_double);
  if (GST_IS_PARAM_SPEC_ARRAY_LIST(spec)) return lists_of(GST_PARAM_SPEC_ARRAY_LIST(spec));
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    for (const gboolean flag : {gboolean(FALSE), gboolean(TRUE)})
      values.push_back(value_of(type, g_value_set_boolean, flag));
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumClass *all = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < all->n_values; i++)
      values.push_back(value_of(type, g_value_set_enum, all->values[i].value));
  } else if (G_IS_PARAM_SPEC_FLAGS(spec)) {
    const GFlagsClass *all = G_PARAM_SPEC_FLAGS(spec)->flags_class;
    for (guint i = 0; i < all->n_values; i++)
      values.push_back(value_of(type, g_value_set_flags, all->values[i].value));
    values.push_back(value_of(type, g_value_set_flags, all->mask));
  } else if (G_IS_PARAM_SPEC_STRING(spec)) {
    const std::string long_text(100000, 'x');
    for (const char *text :
         {static_cast<const char *>(nullptr), "", ",", "no such thing", "/no/such folder/%d",
          "%s%n%99999999999d", "-1:-1", "99999999999:1", "\xff\xfe", long_text.c_str()})
      values.push_back(value_of(type, g_value_set_string, text));
  } else if (type == GST_TYPE_SAMPLE) {
    values.emplace_back(type);
    for (const char *caps : {"video/x-raw,format=RGBA,width=4,height=2,framerate=0/1",
                             "video/x-raw,format=GRAY8,width=4000,height=2000,framerate=0/1"}) {
      GstCaps *given = gst_caps_from_string(caps);
      GstBuffer *buffer = gst_buffer_new_allocate(nullptr, 32, nullptr);
      gst_buffer_memset(buffer, 0, 200, 32);
      GstSample *sample = gst_sample_new(buffer, given, nullptr, nullptr);
      values.emplace_back(type);
      g_value_set_boxed(values.back().get(), sample);
      gst_sample_unref(sample);
      gst_buffer_unref(buffer);
      gst_caps_unref(given);
    }
  } else {
    fail("%s is of type %s, which this test has no values for", spec->name, g_type_name(type));
  }
  return values;
}

/// The properties of an element's own classes that can be written.
std::vector<GParamSpec *> properties_of(GstElement *element) {
  std::vector<GParamSpec *> properties;
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  for (guint i = 0; i < count; i++)
    if ((all[i]->flags & G_PARAM_WRITABLE) && !g_type_is_a(GST_TYPE_GL_FILTER, all[i]->owner_type))
      properties.push_back(all[i]);
  g_free(all);
  return properties;
}

std::vector<std::string> elements() {
  std::vector<std::string> names;
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "glcl");
  for (GList *entry = features; entry; entry = entry->next)
    if (GST_IS_ELEMENT_FACTORY(entry->data)) names.push_back(GST_OBJECT_NAME(entry->data));
  gst_plugin_feature_list_free(features);
  std::sort(names.begin(), names.end());
  return names;
}

/// Sets a property. Prints its name with invalid values.
void set(GstElement *element, const GParamSpec *spec, const Value &value) {
  std::string warnings;
  const auto handler = [](const gchar *, GLogLevelFlags, const gchar *message, gpointer data) {
    *static_cast<std::string *>(data) += message;
  };
  const guint id = g_log_set_handler(nullptr, G_LOG_LEVEL_WARNING, handler, &warnings);
  g_object_set_property(G_OBJECT(element), spec->name, value.get());
  g_log_remove_handler(nullptr, id);
  expect(warnings.empty() || warnings.find(spec->name) != std::string::npos,
         std::string("a warning does not name ") + spec->name + ": " + warnings);
}

void set_default(GstElement *element, GParamSpec *spec) {
  Value value(spec->value_type);
  g_param_value_set_default(spec, value.get());
  set(element, spec, value);
}

using Settings = std::vector<std::pair<GParamSpec *, Value>>;

std::string describe(const std::string &name, const Settings &settings) {
  std::string text = name;
  for (const auto &[spec, value] : settings)
    text += std::string(" ") + spec->name + "=" + value.text();
  return text;
}

/// Expects that the element's errors name one of the properties. Errors of upstream elements may
/// follow.
void check_errors(test::Messages &messages, const Settings &settings, const std::string &what) {
  bool failed = false;
  for (const test::Message &error : messages.errors()) {
    if (error.source != "tried") continue;
    expect(std::any_of(settings.begin(), settings.end(),
                       [&](const auto &setting) { return error.names(setting.first->name); }),
           what + " gives an error without its name: " + error.text);
    failed = true;
  }
  expect(failed, what + " fails without an error");
}

/// The values of `display` to try with other settings; empty if there is no such property. A short
/// run draws each display with the other properties at their defaults only.
std::vector<Value> displays_of(GstElement *element, GParamSpec **spec) {
  *spec = test::is_short() ? nullptr
                           : g_object_class_find_property(G_OBJECT_GET_CLASS(element), "display");
  return *spec ? values_of(*spec) : std::vector<Value>();
}

/// Changes properties while playing.
class Playing {
 public:
  explicit Playing(std::string name) : name_(std::move(name)) {}

  /// Sets the settings that stay from now on.
  void keep(Settings settings) {
    kept_ = std::move(settings);
    chain_.reset();
  }

  /// Plays frames of these sizes with every display. A new size builds programs for the settings.
  void play(const Settings &settings, const std::vector<std::pair<int, int>> &sizes) {
    if (!chain_) {
      chain_ = std::make_unique<Chain>(name_ + " name=tried");
      for (const auto &[spec, value] : kept_) set(element(), spec, value);
    }
    for (const auto &[spec, value] : settings) set(element(), spec, value);
    const bool good = std::all_of(sizes.begin(), sizes.end(), [&](const auto &size) {
      return play(reference::random_frame(size.first, size.second));
    });
    if (good) {
      test::expect_none(chain_->messages().errors());
      for (const auto &setting : settings) set_default(element(), setting.first);
    } else {
      Settings all = kept_;
      all.insert(all.end(), settings.begin(), settings.end());
      check_errors(chain_->messages(), all, describe(name_, all));
      chain_.reset();
    }
  }

 private:
  GstElement *element() const { return (*chain_)["tried"]; }

  /// Announces events at the time of a frame: glclgate passes frames only then.
  void open_gate(guint64 time) {
    for (const char *event : {"motion-begin", "zone-enter", "shot-sharpest"})
      gst_harness_push_event(chain_->harness(),
                             gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
                                                  gst_structure_new(event, "running-time",
                                                                    G_TYPE_UINT64, time, nullptr)));
  }

  bool push(const Frame &frame) {
    GstBuffer *buffer = chain_->buffer_of(frame);
    if (name_ == "glclgate") open_gate(GST_BUFFER_PTS(buffer));
    if (chain_->push(buffer, frame.width, frame.height) != GST_FLOW_OK) return false;
    gst_buffer_unref(chain_->pull_buffer());
    return true;
  }

  /// Plays a frame with the settings alone, then one with every display. The second frame of a size
  /// may use the first.
  bool play(const Frame &frame) {
    if (!push(frame)) return false;
    GParamSpec *display;
    const std::vector<Value> displays = displays_of(element(), &display);
    if (std::none_of(
            displays.begin(), displays.end(),
            [&](const Value &value) { return g_param_value_defaults(display, value.get()); }) &&
        !push(frame))
      return false;
    for (const Value &value : displays) {
      set(element(), display, value);
      if (!push(frame)) return false;
    }
    if (display) set_default(element(), display);
    return true;
  }

  std::string name_;
  Settings kept_;
  std::unique_ptr<Chain> chain_;
};

/// Tries a property that takes effect when a stream begins.
void try_starting(const std::string &name, GParamSpec *spec, const Value &value) {
  Pipeline pipeline(
      "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=37,height=23 ! glupload ! "
      "glcolorconvert ! " +
      name + " name=tried ! fakesink");
  GstElement *element = pipeline["tried"];
  set(element, spec, value);
  GParamSpec *display;
  const std::vector<Value> displays = displays_of(element, &display);
  for (size_t i = 0; i < std::max<size_t>(displays.size(), 1); i++) {
    if (display) set(element, display, displays[i]);
    if (!pipeline.run()) {
      check_errors(pipeline.messages(), {{spec, value}}, describe(name, {{spec, value}}));
      return;
    }
    expect(pipeline.reach(GST_STATE_READY), "READY can't be reached");
  }
}

bool is_number(const GParamSpec *spec) {
  return g_value_type_transformable(spec->value_type, G_TYPE_DOUBLE) && !G_IS_PARAM_SPEC_ENUM(spec);
}

}  // namespace

// Without this PoCL would continue after divisions by zero.
static const test::Setup setup([] { g_setenv("POCL_SIGFPE_HANDLER", "0", TRUE); });

TEST_EACH(limits, 0, std::max(static_cast<int>(elements().size()), 1)) {
  g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
  const test::SharedPrograms shared;
  const std::vector<std::string> names = elements();
  expect(!names.empty(), "the plugin has no elements");
  const std::string &name = names[static_cast<size_t>(__i__)];
  GstElement *element = gst_element_factory_make(name.c_str(), nullptr);
  Settings singles, choices;
  Settings least, most;  // smallest and largest values of all numbers
  const std::vector<GParamSpec *> properties = properties_of(element);
  expect(properties.size() >= 3, name + " has properties");
  for (GParamSpec *spec : properties) {
    const std::vector<Value> values = values_of(spec);
    expect(values.size() >= 2, std::string(spec->name) + " has values");
    for (const Value &value : values) {
      if (!(spec->flags & GST_PARAM_MUTABLE_PLAYING)) {
        try_starting(name, spec, value);
        continue;
      }
      const bool choice = G_IS_PARAM_SPEC_ENUM(spec) && std::string(spec->name) != "display";
      (choice ? choices : singles).emplace_back(spec, value);
    }
  }
  for (const auto &[spec, value] : singles) {
    if (!is_number(spec)) continue;
    if (least.empty() || least.back().first != spec) {
      least.emplace_back(spec, value);
      most.emplace_back(spec, values_of(spec).back());
    }
  }
  gst_object_unref(element);

  Playing playing(name);
  playing.play({}, all_sizes);
  // The driver that shares textures builds kernels slowly, so use fewer sizes there.
  const auto sizes = test::shares_textures() ? two_sizes : all_sizes;
  for (const Settings *all : {&singles, &choices})
    for (const auto &setting : *all) playing.play({setting}, sizes);
  for (const Settings *all : {&least, &most}) playing.play(*all, small_sizes);
  // Test the effect of a choice on the other properties once, on frames of one size.
  if (test::shares_textures()) return;
  for (const auto &choice : choices) {
    playing.keep({choice});
    for (const auto &setting : singles) playing.play({setting}, {all_sizes.back()});
  }
}
