// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin's description: its package, the drivers that it looks for, a debug category for each
// element.
#include <glib/gstdio.h>

#include <mutex>
#include <set>

#include "config.h"
#include "pipeline.h"

using test::expect;

namespace {

/// A folder with OpenCL drivers and a registry for the started processes.
class Folder {
 public:
  Folder() {
    gchar *folder = g_dir_make_tmp("glcl-plugin-XXXXXX", nullptr);
    path_ = folder;
    g_free(folder);
    g_setenv("GST_REGISTRY_1_0", file("registry.bin").c_str(), TRUE);
    g_setenv("OCL_ICD_VENDORS", path_.c_str(), TRUE);
  }
  ~Folder() {
    for (const std::string &file : files_) g_remove(file.c_str());
    g_rmdir(path_.c_str());
  }

  std::string file(const std::string &name) { return *files_.insert(path_ + "/" + name).first; }
  void write(const std::string &name) {
    expect(g_file_set_contents(file(name).c_str(), "nothing\n", -1, nullptr), "can't write a file");
  }
  /// The content of the registry after gst-inspect-1.0 has read it.
  std::string registry() {
    gchar *output = nullptr, *contents = nullptr;
    gsize size = 0;
    gint status = -1;
    expect(g_spawn_command_line_sync("gst-inspect-1.0 glcl", &output, nullptr, &status, nullptr) &&
               status == 0 && std::string(output).find("glclhistogram") != std::string::npos,
           "gst-inspect-1.0 does not list the elements");
    g_free(output);
    expect(g_file_get_contents(file("registry.bin").c_str(), &contents, &size, nullptr),
           "there is no registry");
    const std::string copy(contents, size);
    g_free(contents);
    return copy;
  }

 private:
  std::string path_;
  std::set<std::string> files_;
};

/// The debug categories of log lines, from INFO up.
class Log {
 public:
  Log() {
    gst_debug_set_default_threshold(GST_LEVEL_INFO);
    gst_debug_remove_log_function(nullptr);  // removes the default function
    const GstLogFunction take = [](GstDebugCategory *category, GstDebugLevel level, const gchar *,
                                   const gchar *, gint, GObject *, GstDebugMessage *,
                                   gpointer self) {
      if (level > GST_LEVEL_INFO) return;
      auto *log = static_cast<Log *>(self);
      const std::lock_guard lock(log->mutex_);
      log->seen_.insert(gst_debug_category_get_name(category));
    };
    gst_debug_add_log_function(take, this, nullptr);
  }
  bool has(const std::string &category) {
    const std::lock_guard lock(mutex_);
    return seen_.count(category) != 0;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> seen_;
};

}  // namespace

TEST(package) {
  GstPlugin *plugin = gst_registry_find_plugin(gst_registry_get(), "glcl");
  expect(plugin, "no plugin");
  fail_unless_equals_string(gst_plugin_get_package(plugin), PACKAGE_NAME);
  fail_unless_equals_string(gst_plugin_get_origin(plugin), PACKAGE_ORIGIN);
  fail_unless_equals_string(gst_plugin_get_version(plugin), PACKAGE_VERSION);
  fail_unless_equals_string(gst_plugin_get_source(plugin), "gst-glcl");
  gst_object_unref(plugin);
}

// GStreamer scans the plugin again only after a driver was added or the loader's folder was
// changed.
TEST_ALONE(drivers_that_come_and_go) {
  Folder folder;
  folder.write("one.icd");
  const std::string one = folder.registry();
  expect(folder.registry() == one, "nothing has changed, but the registry has");
  folder.write("notes.txt");
  expect(folder.registry() == one, "what is no driver changes the registry");
  folder.write("another.icd");
  const std::string two = folder.registry();
  expect(two != one, "a driver has come, and the registry does not know");
  g_setenv("OCL_ICD_VENDORS", "/nonexistent", TRUE);
  expect(folder.registry() != two, "the loader looks elsewhere, and the registry does not know");
}

// A scan without the OpenCL loader lists the elements too, so they exist once the loader is
// installed.
TEST_ALONE(loader_that_comes_later) {
  Folder folder;
  g_setenv("LD_AUDIT", test::built_library(g_getenv("GLCL_WITHOUT_LOADER")).c_str(), TRUE);
  folder.registry();
  g_unsetenv("LD_AUDIT");
  folder.registry();
}

// Editors serialise the values of all properties, and the defaults of write-only ones. GStreamer
// must not print a warning.
TEST(values_can_be_serialised) {
  GList *all = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "glcl");
  int count = 0;
  for (GList *one = all; one; one = one->next) {
    if (!GST_IS_ELEMENT_FACTORY(one->data)) continue;
    GstElement *element = gst_element_factory_create(GST_ELEMENT_FACTORY(one->data), nullptr);
    guint size = 0;
    GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &size);
    for (guint i = 0; i < size; i++) {
      if (G_IS_PARAM_SPEC_OBJECT(specs[i])) continue;  // the property `parent`
      GValue value = G_VALUE_INIT;
      g_value_init(&value, specs[i]->value_type);
      if (specs[i]->flags & G_PARAM_READABLE)
        g_object_get_property(G_OBJECT(element), specs[i]->name, &value);
      else
        g_param_value_set_default(specs[i], &value);
      g_free(gst_value_serialize(&value));
      if (specs[i]->flags & G_PARAM_WRITABLE)
        g_object_set_property(G_OBJECT(element), specs[i]->name, &value);
      g_value_unset(&value);
      count++;
    }
    g_free(specs);
    gst_object_unref(element);
  }
  gst_plugin_feature_list_free(all);
  expect(count > 100, "there are only " + std::to_string(count) + " properties");
}

TEST_ALONE(debug_categories) {
  static Log &log = *new Log;  // threads log until the process ends
  const char *const names[] = {"glclinvert", "glclbilateral", "glclhistogram", "glclhough",
                               "glclklt",    "glclmotion",    "glclscope",     "glopenclflow"};
  for (const char *name : names) {
    expect(!log.has(name), std::string(name) + " is logged too early");
    test::Chain chain(name);
    chain.filter(reference::random_frame(16, 8));
    expect(log.has(name), std::string("nothing is logged by ") + name);
  }
}
