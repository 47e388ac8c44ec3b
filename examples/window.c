// SPDX-License-Identifier: LGPL-2.1-or-later
// window [--press KEYS] [FILE | /dev/video0]: shows two drawings over a video in GStreamer's own
// window, without a toolkit. Keys: h histogram, a arrows, q quit.
//
// With attach-overlay the analysers leave the frame unchanged and attach their drawings as
// overlays; glimagesink draws them. So the flow does not see the histogram, and both can be
// switched while playing. `--press haq` presses these keys itself, one every five frames, and plays
// as fast as possible.
#include <gst/gst.h>
#include <gst/video/navigation.h>
#include <gst/video/video-overlay-composition.h>

#include "common.h"

typedef struct {
  GstElement *histogram, *flow, *sink;
  const char *press;  // keys that are left to press
  int frames, drawings;
} Window;

static void show(GstElement *element, const char *what) {
  gchar *now = NULL;
  GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "display");
  GValue value = G_VALUE_INIT;

  g_value_init(&value, property->value_type);
  g_object_get_property(G_OBJECT(element), "display", &value);
  now = gst_value_serialize(&value);
  // Enumerations are set by the names that gst-inspect-1.0 shows.
  gst_util_set_object_arg(G_OBJECT(element), "display", g_str_equal(now, "none") ? what : "none");
  g_print("%s: %s instead of %s\n", GST_OBJECT_NAME(element),
          g_str_equal(now, "none") ? what : "none", now);
  g_value_unset(&value);
  g_free(now);
}

// Counts the frames to be drawn, and presses keys.
static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Window *window = data;
  const GstVideoOverlayCompositionMeta *meta =
      gst_buffer_get_video_overlay_composition_meta(GST_PAD_PROBE_INFO_BUFFER(info));

  window->drawings += meta ? gst_video_overlay_composition_n_rectangles(meta->overlay) : 0;
  if (++window->frames % 5 == 0 && *window->press) {
    const char key[] = {*window->press++, '\0'};
    gst_navigation_send_key_event(GST_NAVIGATION(window->sink), "key-press", key);
  }
  return GST_PAD_PROBE_OK;
}

// The window posts keys on the bus.
static gboolean on_message(GstMessage *message, gpointer data) {
  Window *window = data;
  GstEvent *event = NULL;
  const gchar *key = NULL;

  if (gst_navigation_message_get_type(message) != GST_NAVIGATION_MESSAGE_EVENT) return TRUE;
  if (gst_navigation_message_parse_event(message, &event) &&
      gst_navigation_event_get_type(event) == GST_NAVIGATION_EVENT_KEY_PRESS &&
      gst_navigation_event_parse_key_event(event, &key)) {
    if (g_str_equal(key, "h")) show(window->histogram, "overlay");
    if (g_str_equal(key, "a")) show(window->flow, "arrows");
  }
  const gboolean quit = key && (g_str_equal(key, "q") || g_str_equal(key, "Escape"));
  if (event) gst_event_unref(event);
  return !quit;
}

int main(int argc, char **argv) {
  Window window = {.press = ""};

  gst_init(&argc, &argv);
  example_arguments(argc, argv,
                    "window [--press KEYS] [FILE | /dev/video0]: "
                    "shows two drawings over a video; h, a and q are keys");
  if (argc > 2 && g_str_equal(argv[1], "--press")) {
    window.press = argv[2];
    argc -= 2, argv += 2;
  }
  GstElement *pipeline = example_pipeline(
      argc > 1 ? argv[1] : NULL,
      "glclhistogram name=histogram mode=rgb display=overlay attach-overlay=true ! "
      "glopenclflow name=flow display=arrows attach-overlay=true ! glimagesink name=sink");
  GstBin *bin = GST_BIN(pipeline);

  window.histogram = gst_bin_get_by_name(bin, "histogram");
  window.flow = gst_bin_get_by_name(bin, "flow");
  // glimagesink is a bin; the window belongs to the sink in it.
  window.sink = gst_bin_get_by_interface(bin, GST_TYPE_NAVIGATION);
  GstElement *sink = gst_bin_get_by_name(bin, "sink");
  if (*window.press) g_object_set(sink, "sync", FALSE, NULL);
  GstPad *pad = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &window, NULL);
  gst_object_unref(pad);
  gst_object_unref(sink);

  const int status = example_play(pipeline, on_message, &window);
  g_print("%d frames, %d drawings over them\n", window.frames, window.drawings);
  gst_object_unref(window.histogram);
  gst_object_unref(window.flow);
  gst_object_unref(window.sink);
  return status;
}
