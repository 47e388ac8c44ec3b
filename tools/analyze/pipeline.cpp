// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include <gst/pbutils/pbutils.h>

#include <algorithm>

#include "base/glcllocaldecoder.h"
#include "task.h"

namespace glcl::analyze {

namespace {

constexpr GstClockTime open_timeout = 30 * GST_SECOND;

std::string text_of(GstMessage *message) {
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  // A file with only sound also causes this error.
  const bool no_decoder =
      g_error_matches(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
      g_error_matches(error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND);
  std::string text =
      no_decoder ? "there is no video in it that GStreamer can decode" : error->message;
  g_error_free(error);
  return text;
}

void check_pads(GstElement *decoder, gpointer) {
  if (decoder->numsrcpads == 0)
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in it"), (nullptr));
}

}  // namespace

Pipeline::Pipeline(const std::string &downstream, const std::string &file) {
  GError *error = nullptr;
  pipeline_ =
      gst_parse_launch_full(("filesrc name=source ! decodebin name=decoder caps=video/x-raw(ANY) "
                             "expose-all-streams=false ! " +
                             downstream)
                                .c_str(),
                            nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!pipeline_) {
    const std::string reason = error ? error->message : "?";
    g_clear_error(&error);
    throw Failure("can't create the pipeline: " + reason);
  }
  bus_ = gst_element_get_bus(pipeline_);
  g_signal_connect(pipeline_, "deep-element-added",
                   G_CALLBACK(+[](GstBin *, GstBin *, GstElement *element, gpointer self) {
                     static_cast<Pipeline *>(self)->record_decoder(element);
                   }),
                   this);
  GstElement *source = get("source"), *decoder = get("decoder");
  g_object_set(source, "location", file.c_str(), nullptr);
  decode_local_only(decoder);
  g_signal_connect(
      decoder, "autoplug-continue",
      G_CALLBACK(+[](GstElement *, GstPad *stream, GstCaps *caps, gpointer self) -> gboolean {
        static_cast<Pipeline *>(self)->record_stream(stream, caps);
        return TRUE;
      }),
      this);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(check_pads), nullptr);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(+[](GstElement *, GstPad *pad, gpointer self) {
                     gst_pad_add_probe(
                         pad,
                         static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                         [](GstPad *, GstPadProbeInfo *info, gpointer on) {
                           auto *pipeline = static_cast<Pipeline *>(on);
                           const bool buffer = info->type & GST_PAD_PROBE_TYPE_BUFFER;
                           const bool caps =
                               !buffer &&
                               GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS;
                           if (!buffer) pipeline->record_tags(GST_PAD_PROBE_INFO_EVENT(info));
                           if (caps) pipeline->record_colorimetry(GST_PAD_PROBE_INFO_EVENT(info));
                           // After the caps the first picture waits until kernels are built.
                           if (buffer || caps) pipeline->decoded_ = true;
                           if (caps) pipeline->format_changes_++;
                           return GST_PAD_PROBE_OK;
                         },
                         self, nullptr);
                   }),
                   this);
  gst_object_unref(source);
  gst_object_unref(decoder);
}

Pipeline::~Pipeline() {
  stop_decoding(pipeline_);
  gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);
  gst_object_unref(bus_);
  gst_object_unref(pipeline_);
}

GstMessage *Pipeline::wait(GstClockTime time, int types) const {
  constexpr int others = GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT;
  for (;;) {
    GstMessage *message =
        gst_bus_timed_pop_filtered(bus_, time, static_cast<GstMessageType>(types | others));
    if (!message || GST_MESSAGE_TYPE(message) & types) return message;
    const std::string reason =
        GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ? text_of(message) : redirection(message);
    gst_message_unref(message);
    if (!reason.empty()) throw Failure(reason);
  }
}

bool Pipeline::preroll() const {
  gst_element_set_state(pipeline_, GST_STATE_PAUSED);
  constexpr int types = GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_EOS;
  GstMessage *message = wait(open_timeout, types);
  // A decoder may lose the error of a broken file and then wait forever.
  if (!message && !decoded_) throw Failure("no picture arrived within 30 s");
  if (!message) message = wait(GST_CLOCK_TIME_NONE, types);
  const bool here = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ASYNC_DONE;
  gst_message_unref(message);
  return here;
}

std::string Pipeline::decoder() const {
  const std::lock_guard lock(mutex_);
  return decoder_;
}

std::string Pipeline::orientation() const {
  const std::lock_guard lock(mutex_);
  return orientation_;
}

GstClockTime Pipeline::duration() const {
  gint64 duration = -1;
  gst_element_query_duration(pipeline_, GST_FORMAT_TIME, &duration);
  return duration > 0 ? GstClockTime(duration) : GST_CLOCK_TIME_NONE;
}

bool Pipeline::seekable() const {
  GstQuery *query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  if (gst_element_query(pipeline_, query))
    gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
  gst_query_unref(query);
  return seekable;
}

void Pipeline::record_decoder(GstElement *element) {
  GstElementFactory *factory = gst_element_get_factory(element);
  if (!factory ||
      !gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER |
                                                     GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO |
                                                     GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE))
    return;
  const std::lock_guard lock(mutex_);
  decoder_ = GST_OBJECT_NAME(factory);
}

Pipeline::FileFacts Pipeline::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

void Pipeline::record_tags(GstEvent *event) {
  if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return;
  GstTagList *tags = nullptr;
  gst_event_parse_tag(event, &tags);
  gchar *text = nullptr;
  if (!gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text)) return;
  const std::lock_guard lock(mutex_);
  orientation_ = text;
  g_free(text);
}

void Pipeline::record_colorimetry(GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const char *text = gst_structure_get_string(gst_caps_get_structure(caps, 0), "colorimetry");
  const std::lock_guard lock(mutex_);
  facts_.colorimetry = text ? text : "";
}

/// The name of a coding, or the format of raw video and sound; empty if it is unknown.
static std::string coding_of(const GstCaps *caps) {
  const GstStructure *format = gst_caps_get_structure(caps, 0);
  const char *raw = gst_structure_get_string(format, "format");
  if (g_str_has_suffix(gst_structure_get_name(format), "/x-raw"))
    return raw ? std::string("uncompressed ") + raw : "";
  gchar *text = gst_pb_utils_get_codec_description(caps);
  std::string name = text ? text : "";
  g_free(text);
  return name;
}

/// Called for the file, and for each stream as the demuxer, a parser and a decoder put it out. Of a
/// coded stream the last text has the most details; a raw one counts if it was not decoded.
void Pipeline::record_stream(GstPad *stream, const GstCaps *caps) {
  if (!gst_caps_is_fixed(caps)) return;
  const int kind = gst_pb_utils_get_caps_description_flags(caps);
  if (kind & GST_PBUTILS_CAPS_DESCRIPTION_FLAG_CONTAINER) return;
  const GstStructure *format = gst_caps_get_structure(caps, 0);
  const bool raw = g_str_has_suffix(gst_structure_get_name(format), "/x-raw");
  if (raw && g_object_get_data(G_OBJECT(stream), "coded")) return;
  if (!raw) g_object_set_data(G_OBJECT(stream), "coded", stream);
  const std::string name = coding_of(caps);
  if (name.empty()) return;
  const std::lock_guard lock(mutex_);
  if (kind & (GST_PBUTILS_CAPS_DESCRIPTION_FLAG_VIDEO | GST_PBUTILS_CAPS_DESCRIPTION_FLAG_IMAGE))
    facts_.video = name;
  else if (kind & GST_PBUTILS_CAPS_DESCRIPTION_FLAG_AUDIO &&
           std::find(facts_.audio.begin(), facts_.audio.end(), name) == facts_.audio.end())
    facts_.audio.push_back(name);
}

}  // namespace glcl::analyze
