// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests of glclchain with files of filters that change while it plays.
#pragma once

#include <glib/gstdio.h>

#include <fstream>
#include <string>
#include <vector>

#include "pipeline.h"

namespace test {

/// Pushes the frame until the output is as expected, while kernels are being built.
inline void expect_soon(Chain &chain, const Frame &in, const Frame &out, const std::string &what) {
  for (int i = 0; i < 1500; i++) {
    if (near(out, chain.filter(in), 1)) return;
    g_usleep(20000);
  }
  expect(false, what + " does not come");
}

/// The same until a warning contains all of these words; meanwhile the output does not change.
inline void expect_warning(Chain &chain, const Frame &in, const Frame &out,
                           const std::vector<std::string> &words) {
  for (int i = 0; i < 1500; i++) {
    expect_near(out, chain.filter(in), 1, "the old chain");
    const auto warnings = chain.messages().warnings();
    for (const Message &warning : warnings) {
      bool all = true;
      for (const std::string &word : words)
        all = all && warning.text.find(word) != std::string::npos;
      if (all) return;
    }
    g_usleep(20000);
  }
  expect(false, "no warning names " + words.front());
}

/// A folder that is removed after the test.
class Folder {
 public:
  Folder() {
    gchar *made = g_dir_make_tmp("glclchain-XXXXXX", nullptr);
    path_ = made;
    g_free(made);
  }
  ~Folder() {
    for (const std::string &file : files_) g_unlink(file.c_str());
    g_rmdir(path_.c_str());
  }
  std::string write(const std::string &name, const std::string &text) {
    const std::string file = path_ + "/" + name;
    std::ofstream(file + "~") << text;
    g_rename((file + "~").c_str(), file.c_str());
    files_.push_back(file);
    return file;
  }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

inline GObject *child(GstElement *element, const char *name) {
  GObject *object = gst_child_proxy_get_child_by_name(GST_CHILD_PROXY(element), name);
  expect(object != nullptr, std::string("there is no child ") + name);
  g_object_unref(object);
  return object;
}

inline void expect_broken(const std::string &description, const std::vector<std::string> &words) {
  Pipeline pipeline("gltestsrc num-buffers=3 ! " + description + " ! fakesink");
  pipeline.set(GST_STATE_PAUSED);
  GstMessage *first =
      pipeline.messages().next(GST_MESSAGE_ERROR | GST_MESSAGE_ASYNC_DONE, patience);
  expect(first && GST_MESSAGE_TYPE(first) == GST_MESSAGE_ERROR, description + " starts");
  gst_message_unref(first);
  expect_one(pipeline.messages().errors(), GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, words);
  pipeline.set(GST_STATE_NULL);
}

}  // namespace test
