// SPDX-License-Identifier: LGPL-2.1-or-later
// The shipped presets: the same three for all elements but glclscope, whose presets are for uses.
// They load, play, and take effect while playing.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "pipeline.h"

using test::Chain;
using test::expect;

namespace {

const std::set<std::string> vocabulary{"fast", "balanced", "accurate"},
    uses{"broadcast-sdr", "hdr-pq", "camera-exposure", "camera-focus"};

struct Element {
  const char *name, *settings;
  const std::set<std::string> &presets = vocabulary;
};
const Element elements[] = {
    {"glclbilateral", "weight=intensity"}, {"glclhistogram", "interval=0"},
    {"glclhough", "display=edges"},        {"glclklt", "interval=0"},
    {"glclmotion", "interval=0"},          {"glopenclflow", "interval=0"},
    {"glclscope", "interval=0", uses},
};

std::set<std::string> presets(GstElement *element) {
  gchar **names = gst_preset_get_preset_names(GST_PRESET(element));
  std::set<std::string> all;
  for (gchar **name = names; name && *name; name++) all.insert(*name);
  g_strfreev(names);
  return all;
}

/// True if the property has the value that this text in a file stands for.
bool is(GstElement *element, const std::string &name, const std::string &text) {
  GValue value = G_VALUE_INIT, wanted = G_VALUE_INIT;
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name.c_str());
  fail_unless(spec != nullptr, "%s has no property %s", GST_OBJECT_NAME(element), name.c_str());
  g_value_init(&value, spec->value_type);
  g_value_init(&wanted, spec->value_type);
  g_object_get_property(G_OBJECT(element), name.c_str(), &value);
  fail_unless(gst_value_deserialize(&wanted, text.c_str()), "%s=%s", name.c_str(), text.c_str());
  const bool same = gst_value_compare(&value, &wanted) == GST_VALUE_EQUAL;
  g_value_unset(&value);
  g_value_unset(&wanted);
  return same;
}

/// The content of a preset in the file.
std::map<std::string, std::string> written(GstElement *element, const std::string &preset) {
  const std::string path =
      std::string(std::getenv("GST_PRESET_PATH")) + "/" + G_OBJECT_TYPE_NAME(element) + ".prs";
  GKeyFile *file = g_key_file_new();
  expect(g_key_file_load_from_file(file, path.c_str(), G_KEY_FILE_NONE, nullptr), path);
  gchar **keys = g_key_file_get_keys(file, preset.c_str(), nullptr, nullptr);
  std::map<std::string, std::string> all;
  for (gchar **key = keys; key && *key; key++) {
    gchar *value = g_key_file_get_value(file, preset.c_str(), *key, nullptr);
    if (!g_str_has_prefix(*key, "_meta/")) all[*key] = value;
    g_free(value);
  }
  g_strfreev(keys);
  g_key_file_free(file);
  return all;
}

}  // namespace

// Every file belongs to an element of the list. Every preset has the same properties, a comment for
// gst-inspect-1.0, and works. One of those that trade time for quality is the element's default.
TEST(files) {
  size_t shipped = 0;
  for (const auto &entry : std::filesystem::directory_iterator(std::getenv("GST_PRESET_PATH")))
    shipped += entry.path().extension() == ".prs";
  expect(shipped == std::size(elements), "a file for each element");
  for (const auto &[name, settings, names] : elements) {
    GstElement *element = gst_element_factory_make(name, nullptr);
    gst_object_ref_sink(element);
    expect(presets(element) == names, std::string(name) + " has its presets");
    const auto first = written(element, *names.begin());
    int defaults = 0;
    for (const std::string &preset : names) {
      bool initial = true;
      for (const auto &[key, value] : written(element, preset))
        initial = initial && is(element, key, value);
      defaults += initial;
    }
    std::set<std::map<std::string, std::string>> different;
    for (const std::string &preset : names) {
      const auto all = written(element, preset);
      gchar *comment = nullptr;
      expect(gst_preset_get_meta(GST_PRESET(element), preset.c_str(), "comment", &comment) &&
                 comment && *comment,
             "a comment");
      g_free(comment);
      expect(gst_preset_load_preset(GST_PRESET(element), preset.c_str()), preset + " loads");
      expect(all.size() == first.size() && !all.empty(), "the same properties");
      for (const auto &[key, value] : all)
        fail_unless(is(element, key, value), "%s: %s is not %s", name, key.c_str(), value.c_str());
      different.insert(all);
    }
    fail_unless(defaults == (names == vocabulary) && different.size() == names.size(),
                "%s: %d presets are the defaults", name, defaults);
    expect(!gst_preset_load_preset(GST_PRESET(element), "fastest"), "no such preset");
    gst_object_unref(element);
  }
}

// Presets change between frames. Every frame arrives, without an error or a warning.
TEST_EACH(playing, 0, int(std::size(elements))) {
  const auto &[name, settings, names] = elements[__i__];
  Chain chain(std::string(name) + " " + settings);
  int frame = 0;
  std::vector<std::string> order(names.begin(), names.end());
  order.push_back(order.front());
  for (const std::string &preset : order) {
    expect(gst_preset_load_preset(GST_PRESET(chain[name]), preset.c_str()), preset);
    for (int n = 0; n < 3; n++) {
      chain.filter(reference::random_frame(97, 61, frame++));
      for (const auto &[key, value] : written(chain[name], preset))
        expect(is(chain[name], key, value), key + " is " + value);
    }
  }
  test::expect_none(chain.messages().errors());
  if (!test::copies_frames()) test::expect_none(chain.messages().warnings());
}

// A preset changes the results of a playing stream: from whole to quarter pixels, and from one
// channel to three.
TEST(effect) {
  Chain chain("glclhistogram interval=0 name=h ! glclmotion interval=0 noise=0 name=m");
  const auto channels = [&] {
    chain.drain();
    guint last = 0;
    while (GstMessage *message = chain.messages().next(GST_MESSAGE_ELEMENT, 0)) {
      const GstStructure *fields = gst_message_get_structure(message);
      if (gst_structure_has_name(fields, "glclhistogram"))
        last = static_cast<const GValueArray *>(
                   g_value_get_boxed(gst_structure_get_value(fields, "mean")))
                   ->n_values;
      gst_message_unref(message);
    }
    return last;
  };
  int frame = 0;
  // Programs for other settings are built in the background.
  const auto reach = [&](const char *preset, guint wanted) {
    expect(gst_preset_load_preset(GST_PRESET(chain["h"]), preset) &&
               gst_preset_load_preset(GST_PRESET(chain["m"]), preset),
           preset);
    for (int n = 0; n < 2000; n++) {
      chain.filter(reference::random_frame(96, 64, frame++));
      if (channels() == wanted) return true;
      g_usleep(5000);
    }
    return false;
  };
  expect(reach("fast", 1), "luma");
  expect(reach("accurate", 3), "R, G and B");
  expect(reach("balanced", 1), "luma again");
}
