// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/result.h"

namespace runner {

namespace {

/// Complaints of GLib and of the result memories.
struct LogMessages {
  std::mutex mutex;
  std::string criticals, unmapped;
};
LogMessages log_messages;

GLogWriterOutput on_log(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer) {
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) {
    const std::lock_guard lock(log_messages.mutex);
    for (gsize i = 0; i < count; i++)
      if (!std::strcmp(fields[i].key, "MESSAGE"))
        log_messages.criticals += std::string(static_cast<const char *>(fields[i].value)) + "\n";
  }
  return g_log_writer_standard_streams(level, fields, count, nullptr);
}

void on_debug(GstDebugCategory *category, GstDebugLevel, const gchar *, const gchar *, gint,
              GObject *, GstDebugMessage *message, gpointer) {
  if (std::strcmp(gst_debug_category_get_name(category), "glclresult") != 0) return;
  const std::lock_guard lock(log_messages.mutex);
  log_messages.unmapped += std::string(gst_debug_message_get(message)) + "\n";
}

std::string digest(const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001b3u;
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// Of all results that were attached to a frame.
std::string results_digest(GstBuffer *frame) {
  std::string text;
  test::each_result(frame, [&](const char *, const GstStructure *result) {
    for (const std::string &name : test::result_arrays(result)) {
      GstGLCLArray array;
      if (!gst_glcl_array_map(result, name.c_str(), &array)) {
        text += " unmapped";
        continue;
      }
      text += " " + digest(array.map.data, test::result_bytes(result, name, array));
      gst_glcl_array_unmap(&array);
    }
  });
  return text;
}

}  // namespace

GstGLDisplay *start_gstreamer() {
  gst_init(nullptr, nullptr);
  g_log_set_writer_func(on_log, nullptr, nullptr);
  gst_debug_set_threshold_for_name("glclresult", GST_LEVEL_ERROR);
  gst_debug_add_log_function(on_debug, nullptr, nullptr);
  return gst_gl_display_new();
}

Run::Run(const Scenario &scenario, GstGLDisplay *display, unsigned changes, bool at_once) {
  const std::string description =
      "videotestsrc name=src num-buffers=" + std::to_string(options.run) +
      " pattern=smpte horizontal-speed=3 ! "
      "video/x-raw,format=RGBA,width=64,height=48,framerate=25/1 ! glupload ! " +
      scenario.elements + " ! gldownload ! video/x-raw ! fakesink name=sink sync=false";
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(description.c_str(), &error);
  if (error) {
    std::fprintf(stderr, "runner: %s: %s\n", description.c_str(), error->message);
    std::exit(2);
  }
  int bit = 0;
  for (const Change &one : scenario.changes) {
    const bool of_e = one.element == "e";
    if (of_e && !(changes >> bit++ & 1)) continue;
    if (of_e && at_once)
      change(one);
    else
      changes_.push_back(one);
  }
  GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_element_set_context(pipeline_, context);
  gst_context_unref(context);
  probe("e", arrives);
  probe("sink", leaves);
}

void Run::probe(const char *element, GstPadProbeCallback callback) {
  GstElement *of = gst_bin_get_by_name(GST_BIN(pipeline_), element);
  GstPad *pad = gst_element_get_static_pad(of, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(of);
}

void Run::change(const Change &change) {
  GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline_), change.element.c_str());
  gst_util_set_object_arg(G_OBJECT(element), change.property.c_str(), change.value.c_str());
  gst_object_unref(element);
}

GstPadProbeReturn Run::arrives(GstPad *, GstPadProbeInfo *, gpointer data) {
  auto *self = static_cast<Run *>(data);
  for (const Change &change : self->changes_)
    if (change.frame == self->arrived_) self->change(change);
  self->arrived_++;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn Run::leaves(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto *self = static_cast<Run *>(data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  std::string text = "unmapped";
  if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    text = digest(map.data, map.size);
    gst_buffer_unmap(buffer, &map);
  }
  text += results_digest(buffer);
  const std::lock_guard lock(self->mutex_);
  self->result_.frames.push_back(text);
  return GST_PAD_PROBE_OK;
}

void Run::hear(GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) result_.eos = true;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) {
    const GstStructure *structure = gst_message_get_structure(message);
    GstClockTime time = 0;
    if (!gst_structure_get_clock_time(structure, "timestamp", &time)) return;
    gchar *text = gst_structure_to_string(structure);
    result_.messages[std::to_string(time)].push_back(text);
    g_free(text);
  }
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return;
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  result_.errors += std::string(GST_OBJECT_NAME(GST_MESSAGE_SRC(message))) + ": " + error->message +
                    " " + (debug ? debug : "") + "\n";
  g_error_free(error);
  g_free(debug);
}

Result Run::play() {
  {
    const std::lock_guard lock(log_messages.mutex);
    log_messages.criticals.clear();
    log_messages.unmapped.clear();
  }
  GstBus *bus = gst_element_get_bus(pipeline_);
  constexpr auto heard =
      static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
  const bool started =
      gst_element_set_state(pipeline_, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  while (started && !result_.eos && result_.errors.empty()) {
    GstMessage *message = gst_bus_timed_pop_filtered(bus, patience * GST_SECOND, heard);
    result_.hangs = !message;
    if (!message) break;
    hear(message);
    gst_message_unref(message);
  }
  // Messages on the way down count as well.
  gst_element_set_state(pipeline_, GST_STATE_READY);
  while (GstMessage *message = gst_bus_pop_filtered(bus, heard)) {
    hear(message);
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  result_.kernels = layer().objects("clCreateKernel");
  const std::lock_guard lock(log_messages.mutex);
  result_.errors += log_messages.unmapped;
  result_.criticals = log_messages.criticals;
  return result_;
}

/// The tracer's list is never freed: it owns references that GStreamer 1.22 has not taken.
std::map<std::string, int> live_objects() {
  std::map<std::string, int> live;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *tracer = tracers; tracer; tracer = tracer->next) {
    if (std::strcmp(G_OBJECT_TYPE_NAME(tracer->data), "GstLeaksTracer") != 0) continue;
    GstStructure *all = nullptr;
    g_signal_emit_by_name(tracer->data, "get-live-objects", &all);
    const GValue *list = all ? gst_structure_get_value(all, "live-objects-list") : nullptr;
    for (guint i = 0; list && i < gst_value_list_get_size(list); i++)
      live[G_VALUE_TYPE_NAME(gst_structure_get_value(
          gst_value_get_structure(gst_value_list_get_value(list, i)), "object"))]++;
  }
  g_list_free_full(tracers, gst_object_unref);
  return live;
}

std::string left_behind(const LeftObjects &allowed) {
  std::string left;
  for (int i = 0; i < 200; i++) {
    left = LeftObjects().beyond(allowed);
    if (left.empty()) break;
    g_usleep(5000);
  }
  return left;
}

}  // namespace runner
