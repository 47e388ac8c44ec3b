// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the examples in C: a video source, a pipeline, and a loop that ends with a message.
#pragma once

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

/* Debian packages of elements that may be missing. */
static const struct {
  const char *element, *package;
} example_packages[] = {
    {"glcl", "gst-glcl itself: run inside `meson devenv -C build`, or install gstreamer1.0-glcl"},
    {"glopenclflow",
     "gst-glcl itself: run inside `meson devenv -C build`, or install "
     "gstreamer1.0-glcl"},
    {"gl", "gstreamer1.0-gl"},
    {"v4l2src", "gstreamer1.0-plugins-good"},
    {"decodebin", "gstreamer1.0-plugins-base"},
    {"videotestsrc", "gstreamer1.0-plugins-base"},
    {"appsink", "gstreamer1.0-plugins-base"},
    {"textoverlay", "gstreamer1.0-x"},
};

/* True if there is no display. */
static inline gboolean example_headless(void) {
  return !g_getenv("DISPLAY") && !g_getenv("WAYLAND_DISPLAY");
}

/* Prints the usage after -h or --help, or the version of the plugin after --version, and exits. The
 * usage begins with the name of the program. Call it after gst_init(). */
static inline void example_arguments(int argc, char **argv, const char *usage) {
  if (argc != 2) return;
  if (g_str_equal(argv[1], "-h") || g_str_equal(argv[1], "--help")) {
    g_print("%s\n", usage);
    exit(0);
  }
  if (g_str_equal(argv[1], "--version")) {
    GstPlugin *plugin = gst_registry_find_plugin(gst_registry_get(), "glcl");
    g_print("%s %s\n", g_get_prgname(),
            plugin ? gst_plugin_get_version(plugin) : "(plugin not found)");
    gst_clear_object(&plugin);
    exit(0);
  }
}

/* The pipeline `source ! rest`. The source is a file or a camera (/dev/video0), or a moving ball if
 * `input` is NULL. Exits with a message if the pipeline can't be created. */
static inline GstElement *example_pipeline(const char *input, const char *rest) {
  const gboolean camera = input && g_str_has_prefix(input, "/dev/");
  /* A camera does not wait: the queue drops frames while the device is busy. */
  const char *source =
      !input   ? "videotestsrc pattern=ball num-buffers=60 ! "
                 "video/x-raw,width=320,height=240,framerate=25/1"
      : camera ? "v4l2src name=source ! decodebin ! queue leaky=downstream max-size-buffers=2"
               : "filesrc name=source ! decodebin caps=video/x-raw(ANY) expose-all-streams=false";
  if (input && !g_file_test(input, G_FILE_TEST_EXISTS)) {
    g_printerr(camera
                   ? "%s: there is no camera %s; v4l2-ctl --list-devices (v4l-utils) shows which "
                     "there are.\n"
                   : "%s: there is no file %s.\n",
               g_get_prgname(), input);
    exit(1);
  }
  char *text = g_strdup_printf("%s ! videoconvert ! glupload ! glcolorconvert ! %s", source, rest);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full(text, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  const char *quoted = error ? strchr(error->message, '"') : NULL;

  g_free(text);
  for (guint i = 0; quoted && i < G_N_ELEMENTS(example_packages); i++)
    if (g_str_has_prefix(quoted + 1, example_packages[i].element)) {
      g_printerr("%s: %s; it is in %s.\n", g_get_prgname(), error->message,
                 example_packages[i].package);
      exit(1);
    }
  if (!pipeline) {
    g_printerr("%s: %s\n", g_get_prgname(), error->message);
    exit(1);
  }
  if (input) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), "source");
    g_object_set(element, camera ? "device" : "location", input, NULL);
    gst_object_unref(element);
  }
  return pipeline;
}

/* Plays until the end, an error, or until `on_message` returns FALSE; frees the pipeline. Returns
 * what main() returns. `on_message` may be NULL. */
static inline int example_play(GstElement *pipeline,
                               gboolean (*on_message)(GstMessage *message, gpointer data),
                               gpointer data) {
  GstBus *bus = gst_element_get_bus(pipeline);
  gboolean going = TRUE;
  int status = 0;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (going) {
    GstMessage *message = gst_bus_timed_pop(bus, GST_CLOCK_TIME_NONE);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      GError *error = NULL;
      gst_message_parse_error(message, &error, NULL);
      g_printerr("%s: %s\n", g_get_prgname(), error->message);
      if (g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
          g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND))
        g_printerr("%s: most decoders are in gstreamer1.0-libav.\n", g_get_prgname());
      else if (example_headless() && !g_getenv("GST_GL_WINDOW"))
        g_printerr(
            "%s: no screen here (DISPLAY and WAYLAND_DISPLAY are not set); over ssh set one, "
            "or try it without a window: GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device\n",
            g_get_prgname());
      g_error_free(error);
      status = 1;
      going = FALSE;
    } else if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
      going = FALSE;
    } else if (on_message) {
      going = on_message(message, data);
    }
    gst_message_unref(message);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return status;
}
