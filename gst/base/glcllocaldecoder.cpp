// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcllocaldecoder.h"

#include <algorithm>
#include <cstring>

#include "opencl/error.h"

namespace glcl {

namespace {

/// Elements are used only if every word of their classification is one of these. That excludes
/// "Codec/Demuxer/Adaptive" and "Codec/Demuxer/Network/RTP".
constexpr const char *taken_words[] = {"Codec", "Demuxer", "Parser", "Decoder",  "Converter",
                                       "Bin",   "Video",   "Image",  "Hardware", "Metadata"};

/// Types that refer to other files or addresses, even if an element claims to decode them.
constexpr const char *referring_types[] = {
    "application/x-hls",  "application/dash+xml", "application/vnd.ms-sstr+xml",
    "application/sdp",    "application/smil",     "application/xges",
    "application/x-rtsp", "text/uri-list",        "text/x-xptv",
    "image/svg",          "image/svg+xml"};

template <size_t count>
bool is_one_of(const char *const (&names)[count], const char *name) {
  return std::any_of(names, names + count,
                     [&](const char *known) { return !std::strcmp(known, name); });
}

std::string elsewhere(const std::string &what) {
  return "it can refer to other files or addresses, like a playlist (" + what +
         "); only videos and pictures that are complete in one local file are decoded";
}

bool is_referring(const GstStructure *type) {
  return is_one_of(referring_types, gst_structure_get_name(type));
}

/// Decoders of still pictures that send the size as caps before they allocate memory.
constexpr const char *careful_decoders[] = {"pngdec", "webpdec"};

bool has_size(const GstStructure *type, int &width, int &height) {
  return gst_structure_get_int(type, "width", &width) &&
         gst_structure_get_int(type, "height", &height);
}

/// True for still pictures: a file may be a thousand times smaller than its decoded picture.
bool needs_size(const GstStructure *type) {
  return g_str_has_prefix(gst_structure_get_name(type), "image/");
}

/// Reason to refuse a picture of this type because of its size; empty if it is decoded.
std::string too_large(const GstStructure *type) {
  int width = 0, height = 0;
  if (!has_size(type, width, height) ||
      (width <= most_pixels_a_side && height <= most_pixels_a_side &&
       gint64(width) * height <= most_pixels))
    return {};
  return "it is " + std::to_string(width) + "×" + std::to_string(height) + " px; the limit is " +
         std::to_string(most_pixels_a_side) + " px per side and " + std::to_string(most_pixels) +
         " px in total";
}

/// Reason why no decoder was used for this type; empty if GStreamer has none.
std::string refusal(const GstStructure *type) {
  const std::string name = gst_structure_get_name(type);
  if (is_referring(type)) return elsewhere(name);
  int width = 0, height = 0;
  if (needs_size(type) && !has_size(type, width, height))
    return "its size is unknown before decoding (" + name + "); convert it to PNG or JPEG";
  return too_large(type);
}

bool is_taken(GstElementFactory *factory) {
  if (!gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER |
                                                     GST_ELEMENT_FACTORY_TYPE_PARSER |
                                                     GST_ELEMENT_FACTORY_TYPE_DECODER) ||
      gst_element_factory_has_interface(factory, "GstURIHandler"))
    return false;
  gchar **words =
      g_strsplit(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS), "/", -1);
  const bool taken = std::all_of(words, words + g_strv_length(words),
                                 [](const char *word) { return is_one_of(taken_words, word); });
  g_strfreev(words);
  return taken;
}

/// True if the decoder allocates memory only after the size of the picture is known.
bool is_size_known(const GstStructure *type, GstElementFactory *factory) {
  int width = 0, height = 0;
  return !needs_size(type) || has_size(type, width, height) ||
         !gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER) ||
         is_one_of(careful_decoders, GST_OBJECT_NAME(factory));
}

/// Decides if decodebin uses an element: 0 tries the element, 2 skips it (GstAutoplugSelectResult,
/// which no header declares).
int select(GstElement *, GstPad *, GstCaps *caps, GstElementFactory *factory, gpointer) {
  constexpr int attempt = 0, skip = 2;
  const GstStructure *type = gst_caps_get_structure(caps, 0);
  return is_taken(factory) && is_size_known(type, factory) && !is_referring(type) &&
                 too_large(type).empty()
             ? attempt
             : skip;
}

void refuse(GstElement *decodebin, const std::string &why) {
  if (!why.empty())
    GST_ELEMENT_ERROR(decodebin, STREAM, WRONG_TYPE, ("%s", utf8(why).c_str()), (nullptr));
}

void refuse_unknown(GstElement *decodebin, GstPad *, GstCaps *caps, gpointer) {
  refuse(decodebin, refusal(gst_caps_get_structure(caps, 0)));
}

/// A pool without buffers. The plugin and the program that loads it may both register this type, so
/// each uses its own name.
GstBufferPool *empty_pool() {
  static const GType type = [] {
    const std::string name = "GLCLEmptyPool" + std::to_string(reinterpret_cast<guintptr>(&refuse));
    const auto init = [](gpointer pool_class, gpointer) {
      GST_BUFFER_POOL_CLASS(pool_class)->acquire_buffer = [](GstBufferPool *, GstBuffer **,
                                                             GstBufferPoolAcquireParams *) {
        return GST_FLOW_NOT_NEGOTIATED;
      };
    };
    return g_type_register_static_simple(
        GST_TYPE_BUFFER_POOL, name.c_str(), sizeof(GstBufferPoolClass),
        static_cast<GClassInitFunc>(init), sizeof(GstBufferPool), nullptr, GTypeFlags(0));
  }();
  return GST_BUFFER_POOL(gst_object_ref_sink(g_object_new(type, nullptr)));
}

/// Caps announce a size before elements allocate memory for it. If a coded picture is too large,
/// the thread waits until the decodebin stops. A decoder must not be blocked like that: it would
/// continue when its pads are flushed, and allocate its own memory. Its allocation query is refused
/// instead, see refuse_memory(). A demuxer sends raw pictures in the file's memory, see
/// refuse_picture().
GstPadProbeReturn check_size(GstPad *, GstPadProbeInfo *info, gpointer decodebin) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_PASS;
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const GstStructure *type = gst_caps_get_structure(caps, 0);
  if (gst_structure_has_name(type, "video/x-raw")) return GST_PAD_PROBE_PASS;
  const std::string why = too_large(type);
  refuse(GST_ELEMENT(decodebin), why);
  return why.empty() ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK;
}

/// Gives a pool without buffers to a decoder whose picture is too large, and then refuses the
/// picture.
GstPadProbeReturn refuse_memory(GstPad *, GstPadProbeInfo *info, gpointer decodebin) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  const std::string why = caps ? too_large(gst_caps_get_structure(caps, 0)) : "";
  if (why.empty()) return GST_PAD_PROBE_OK;
  GstBufferPool *pool = empty_pool();
  gst_query_add_allocation_pool(query, pool, 1, 0, 0);
  gst_object_unref(pool);
  refuse(GST_ELEMENT(decodebin), why);
  return GST_PAD_PROBE_HANDLED;
}

GstPadProbeReturn refuse_picture(GstPad *pad, GstPadProbeInfo *, gpointer decodebin) {
  GstCaps *caps = gst_pad_get_current_caps(pad);
  const std::string why = caps ? too_large(gst_caps_get_structure(caps, 0)) : "";
  gst_clear_caps(&caps);
  refuse(GST_ELEMENT(decodebin), why);
  return why.empty() ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

void watch_pad(GstElement *, GstPad *pad, gpointer decodebin) {
  if (!GST_PAD_IS_SRC(pad)) return;
  gst_pad_add_probe(
      pad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
      check_size, decodebin, nullptr);
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, refuse_memory, decodebin, nullptr);
  gst_pad_add_probe(
      pad, static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST),
      refuse_picture, decodebin, nullptr);
}

void watch_element(GstBin *decodebin, GstBin *, GstElement *element, gpointer) {
  g_signal_connect(element, "pad-added", G_CALLBACK(watch_pad), decodebin);
  gst_element_foreach_src_pad(
      element,
      [](GstElement *of, GstPad *pad, gpointer bin) -> gboolean {
        watch_pad(of, pad, bin);
        return TRUE;
      },
      decodebin);
}

}  // namespace

void decode_local_only(GstElement *decodebin) {
  g_signal_connect(decodebin, "autoplug-select", G_CALLBACK(select), nullptr);
  g_signal_connect(decodebin, "unknown-type", G_CALLBACK(refuse_unknown), nullptr);
  g_signal_connect(decodebin, "deep-element-added", G_CALLBACK(watch_element), nullptr);
}

std::string redirection(GstMessage *message) {
  const GstStructure *structure = gst_message_get_structure(message);
  const bool redirects = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT && structure &&
                         gst_structure_has_name(structure, "redirect");
  return redirects ? elsewhere("a reference movie") : "";
}

void stop_decoding(GstElement *pipeline) {
  // An aborted element fails once.
  if (gst_element_set_state(pipeline, GST_STATE_NULL) == GST_STATE_CHANGE_FAILURE)
    gst_element_set_state(pipeline, GST_STATE_NULL);
}

}  // namespace glcl
