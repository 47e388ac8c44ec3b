// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts from the elements are valid UTF-8, whatever paths, names and drivers' texts contain:
// bindings abort on invalid ones. The program also runs on a device whose name is invalid.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "pipeline.h"

using test::expect;

namespace {

const std::string odd = "no\xe9\xff";

/// Checks that all posted messages are valid UTF-8; counts those with U+FFFD.
class Texts {
 public:
  explicit Texts(GstElement *element) : bus_(gst_element_get_bus(element)) {}
  ~Texts() { gst_object_unref(bus_); }
  Texts(const Texts &) = delete;

  /// Reads up to a message of these types; null if none arrives within a minute.
  GstMessage *next(int types) {
    while (GstMessage *message = gst_bus_timed_pop(bus_, test::patience)) {
      check(message);
      if (GST_MESSAGE_TYPE(message) & types) return message;
      gst_message_unref(message);
    }
    return nullptr;
  }
  /// Waits for a message of these types with replaced bytes.
  void expect_replaced(int types, const std::string &what) {
    const int before = replaced_;
    do {
      GstMessage *message = next(types);
      expect(message, "no message: " + what);
      gst_message_unref(message);
    } while (replaced_ == before);
  }

 private:
  void check(const gchar *text, const char *what) {
    if (!text) return;
    fail_unless(g_utf8_validate(text, -1, nullptr), "%s is no UTF-8: %s", what, text);
    replaced_ += std::string(text).find("\uFFFD") != std::string::npos;
  }
  void check(const GstStructure *structure) {
    for (int i = 0; structure && i < gst_structure_n_fields(structure); i++) {
      const gchar *name = gst_structure_nth_field_name(structure, i);
      const GValue *value = gst_structure_get_value(structure, name);
      if (G_VALUE_HOLDS_STRING(value)) check(g_value_get_string(value), name);
      if (std::string(name) != "objects-template") continue;
      const auto *names = static_cast<GValueArray *>(g_value_get_boxed(value));
      for (guint k = 0; k < names->n_values; k++)
        check(g_value_get_string(names->values + k), name);
    }
  }
  void check(GstMessage *message) {
    GError *error = nullptr;
    gchar *debug = nullptr;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      gst_message_parse_error(message, &error, &debug);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning(message, &error, &debug);
    if (error) check(error->message, "a message");
    check(debug, "a debug text");
    g_clear_error(&error);
    g_free(debug);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) check(gst_message_get_structure(message));
  }

  GstBus *bus_;
  int replaced_ = 0;
};

const std::string ball =
    "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=160,height=120,framerate=25/1 ! ";

/// The ball, in memory.
GstSample *picture() {
  test::Pipeline pipeline(
      "videotestsrc pattern=ball num-buffers=1 ! video/x-raw,format=GRAY8,width=64,height=64 ! "
      "fakesink name=sink");
  expect(pipeline.run(), "there is a picture");
  GstSample *sample = nullptr;
  g_object_get(pipeline["sink"], "last-sample", &sample, nullptr);
  return sample;
}

}  // namespace

TEST(errors) {
  const std::pair<const char *, const char *> paths[] = {
      {"glclhough", "template"}, {"glclklt", "dump-location"}, {"glopenclflow", "dump-location"}};
  for (const auto &[element, property] : paths) {
    test::Pipeline pipeline(ball + "glupload ! glcolorconvert ! " + element +
                            " name=it ! fakesink");
    Texts texts(pipeline.bin());
    g_object_set(pipeline["it"], property, ("/nowhere/" + odd).c_str(), nullptr);
    pipeline.set(GST_STATE_PLAYING);
    texts.expect_replaced(GST_MESSAGE_ERROR, std::string("the error about ") + property);
  }
}

TEST(warnings) {
  char folder[] = "/tmp/glcl-texts-XXXXXX";
  expect(mkdtemp(folder), "there is a folder");
  const std::string path = std::string(folder) + "/" + odd;
  std::filesystem::create_directory(path);
  std::filesystem::create_directory(path + "/1.flo");
  test::Pipeline pipeline(
      "videotestsrc pattern=ball ! video/x-raw,width=160,height=120 ! "
      "glupload ! glcolorconvert ! glopenclflow name=flow sharing=copy "
      "display=none ! glclhough name=hough ! fakesink sync=true");
  Texts texts(pipeline.bin());
  g_object_set(pipeline["flow"], "dump-location", (path + "/%d.flo").c_str(), nullptr);
  pipeline.set(GST_STATE_PLAYING);
  texts.expect_replaced(GST_MESSAGE_WARNING, "the warning about a file");
  g_object_set(pipeline["flow"], "dump-location", odd.c_str(), nullptr);
  texts.expect_replaced(GST_MESSAGE_WARNING, "the warning about a property that comes too late");
  g_object_set(pipeline["hough"], "template", ("/nowhere/" + odd).c_str(), nullptr);
  texts.expect_replaced(GST_MESSAGE_WARNING, "the warning about a template");
  pipeline.set(GST_STATE_NULL);
  std::filesystem::remove_all(folder);
}

TEST(fields) {
  test::Pipeline pipeline(
      "videotestsrc pattern=ball ! video/x-raw,width=160,height=120,framerate=25/1 ! glupload ! "
      "glcolorconvert ! glclhough name=hough ! fakesink sync=true");
  GstSample *sample = picture();
  gboolean taken = FALSE;
  g_signal_emit_by_name(pipeline["hough"], "learn-picture", odd.c_str(), sample, &taken);
  gst_sample_unref(sample);
  expect(taken, "the picture is taken");
  Texts texts(pipeline.bin());
  pipeline.set(GST_STATE_PLAYING);
  texts.expect_replaced(GST_MESSAGE_ELEMENT, "a message about a template");
}

TEST(device) {
  test::Pipeline pipeline(ball + "glupload ! glcolorconvert ! glclinvert ! fakesink");
  Texts texts(pipeline.bin());
  pipeline.set(GST_STATE_PLAYING);
  GstMessage *end = texts.next(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  expect(end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, "it plays");
  gst_message_unref(end);
  const std::string name = test::stat_text(pipeline["glclinvert"], "device");
  expect(g_utf8_validate(name.c_str(), -1, nullptr), "the device's name is UTF-8");
  const bool replaced = name.find("\uFFFD") != std::string::npos;
  expect(replaced == (g_getenv("GLCL_TEST_NAME") != nullptr), "it is as the driver gives it");
}
