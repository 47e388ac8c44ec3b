// SPDX-License-Identifier: LGPL-2.1-or-later
// label [--at X,Y] [--text TEXT] [FILE | /dev/video0]: draws a text in a window that stays on an
// object of the video. It begins at X,Y or in the middle; a mouse click moves it.
//
// glclklt attaches its tracked points to every frame. The text keeps its distance from the nearest
// point. If that point is lost, the text follows the next one. A probe reads the points of a frame
// just before textoverlay draws over that frame, so the text never lags.
#include <gst-glcl/gstglclresult.h>
#include <gst/video/navigation.h>
#include <math.h>
#include <stdio.h>

#include "common.h"

typedef struct {
  GstElement *text;
  GMutex lock;          // guards the members below
  gboolean fresh;       // (x, y) is new: the text has no point yet
  double x, y;          // of the text, px; below 0: the middle
  guint32 id;           // of the point that the text follows
  double off_x, off_y;  // of the text from that point, px
  int frames, followed;
} Label;

/* The points of a frame. */
typedef struct {
  const gfloat *positions;  // x, y and the motion since the previous frame, vx, vy
  const guint32 *ids, *ages;
  int count;
} Points;

/* Chooses the point that was nearest in the previous frame. A new point has no motion yet, so it is
 * chosen only if there are no others. */
static void choose_point(Label *label, const Points *points) {
  double least = INFINITY;
  for (int old = 1; old >= 0 && isinf(least); old--)
    for (int i = 0; i < points->count; i++) {
      const gfloat *p = points->positions + 4 * i;
      const double x = label->x - (p[0] - p[2]), y = label->y - (p[1] - p[3]);
      if ((points->ages[i] > 0) < old || x * x + y * y >= least) continue;
      least = x * x + y * y;
      label->id = points->ids[i];
      label->off_x = x, label->off_y = y;
    }
}

static void follow(Label *label, const GstStructure *result, const Points *points) {
  int width = 1, height = 1;
  gboolean found = FALSE;

  gst_structure_get(result, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL);
  if (label->x < 0) label->x = width / 2.0, label->y = height / 2.0;
  for (int again = 0; again < 2 && !found; again++) {
    if (label->fresh || again) choose_point(label, points);
    for (int i = 0; i < points->count && !found; i++) {
      found = points->ids[i] == label->id;
      if (!found) continue;
      label->x = points->positions[4 * i] + label->off_x;
      label->y = points->positions[4 * i + 1] + label->off_y;
    }
    label->fresh = FALSE;
  }
  label->fresh = !found;  // without any point the text waits where it is
  label->followed += found;
  label->frames++;
  g_print("%d: (%.1f, %.1f) by point %u\n", label->frames, label->x, label->y, label->id);
  // textoverlay takes the middle of the text, from 0 to 1.
  g_object_set(label->text, "xpos", CLAMP(label->x / width, 0, 1), "ypos",
               CLAMP(label->y / height, 0, 1), NULL);
}

/* Runs on the streaming thread before textoverlay draws over this frame. */
static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  Label *label = data;
  const GstStructure *result =
      gst_buffer_get_glcl_result(GST_PAD_PROBE_INFO_BUFFER(info), "glclklt");
  const char *names[] = {"points-count", "points", "ids", "ages"};
  GstGLCLArray arrays[G_N_ELEMENTS(names)];
  guint mapped = 0;

  while (result && mapped < G_N_ELEMENTS(names) &&
         gst_glcl_array_map(result, names[mapped], &arrays[mapped]))
    mapped++;
  if (mapped == G_N_ELEMENTS(names)) {
    const Points points = {(const gfloat *)arrays[1].map.data, (const guint32 *)arrays[2].map.data,
                           (const guint32 *)arrays[3].map.data,
                           *(const gint32 *)arrays[0].map.data};
    g_mutex_lock(&label->lock);
    follow(label, result, &points);
    g_mutex_unlock(&label->lock);
  }
  while (mapped > 0) gst_glcl_array_unmap(&arrays[--mapped]);
  return GST_PAD_PROBE_OK;
}

/* Mouse events of the window arrive on the bus. */
static gboolean on_message(GstMessage *message, gpointer data) {
  Label *label = data;
  GstEvent *event = NULL;
  gint button = 0;
  gdouble x = 0, y = 0;

  if (gst_navigation_message_get_type(message) != GST_NAVIGATION_MESSAGE_EVENT) return TRUE;
  if (gst_navigation_message_parse_event(message, &event) &&
      gst_navigation_event_get_type(event) == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS &&
      gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y)) {
    g_mutex_lock(&label->lock);
    label->x = x, label->y = y;
    label->fresh = TRUE;
    g_mutex_unlock(&label->lock);
  }
  if (event) gst_event_unref(event);
  return TRUE;
}

int main(int argc, char **argv) {
  Label label = {.fresh = TRUE, .x = -1, .y = -1};
  const char *text = "here";

  gst_init(&argc, &argv);
  example_arguments(argc, argv,
                    "label [--at X,Y] [--text TEXT] [FILE | /dev/video0]: "
                    "draws a text that stays on an object");
  g_mutex_init(&label.lock);
  for (; argc > 2 && g_str_has_prefix(argv[1], "--"); argc -= 2, argv += 2) {
    if (g_str_equal(argv[1], "--text")) {
      text = argv[2];
    } else if (!g_str_equal(argv[1], "--at") ||
               sscanf(argv[2], "%lf,%lf", &label.x, &label.y) != 2) {
      g_printerr("label: unknown option %s %s; the options are --at X,Y in px and --text TEXT.\n",
                 argv[1], argv[2]);
      return 1;
    }
  }
  GstElement *pipeline = example_pipeline(
      argc > 1 ? argv[1] : NULL,
      example_headless()
          ? "glclklt attach-meta=true post-messages=false ! textoverlay name=text ! "
            "glimagesink sync=false"
          : "glclklt attach-meta=true post-messages=false ! textoverlay name=text ! glimagesink");

  label.text = gst_bin_get_by_name(GST_BIN(pipeline), "text");
  g_object_set(label.text, "text", text, "font-desc", "Sans 18", NULL);
  gst_util_set_object_arg(G_OBJECT(label.text), "halignment", "position");
  gst_util_set_object_arg(G_OBJECT(label.text), "valignment", "position");
  GstPad *pad = gst_element_get_static_pad(label.text, "video_sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, &label, NULL);
  gst_object_unref(pad);
  const int status = example_play(pipeline, on_message, &label);
  g_print("%d of %d frames had the text on a point\n", label.followed, label.frames);
  gst_object_unref(label.text);
  g_mutex_clear(&label.lock);
  return status;
}
