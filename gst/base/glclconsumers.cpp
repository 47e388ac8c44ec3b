// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclconsumers.h"

#include <gst/base/gstbasetransform.h>
#include <gst/gl/gl.h>

#include <string>

#include "gstglclfilter.h"

namespace glcl {

namespace {

enum class FrameMemory { host, gl, other };

/// Where the frames of a pad are. A pad without caps may get any.
FrameMemory memory_of(GstPad *pad) {
  GstCaps *caps = gst_pad_get_current_caps(pad);
  if (!caps) return FrameMemory::other;
  const GstCapsFeatures *features = gst_caps_get_features(caps, 0);
  auto memory = FrameMemory::host;
  for (guint i = 0; i < gst_caps_features_get_size(features); i++) {
    const std::string feature = gst_caps_features_get_nth(features, i);
    if (feature == GST_CAPS_FEATURE_MEMORY_GL_MEMORY)
      memory = FrameMemory::gl;
    else if (feature.rfind("memory:", 0) == 0 && feature != GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY)
      memory = FrameMemory::other;
  }
  gst_caps_unref(caps);
  return memory;
}

std::string plugin_of(GstElement *element) {
  GstElementFactory *factory = gst_element_get_factory(element);
  const gchar *name =
      factory ? gst_plugin_feature_get_plugin_name(GST_PLUGIN_FEATURE(factory)) : nullptr;
  return name ? name : "";
}

/// Whether the application gets the frames as well.
bool hands_off(GstElement *element) {
  const guint signal = g_signal_lookup("handoff", G_OBJECT_TYPE(element));
  return signal && g_signal_has_handler_pending(element, signal, 0, TRUE);
}

/// Whether all maps behind the pads to which a sink pad's frames may go on.
bool all_behind_map(GstPad *sink) {
  GstIterator *links = gst_pad_iterate_internal_links(sink);
  if (!links) return true;
  GValue all = G_VALUE_INIT;
  g_value_init(&all, G_TYPE_BOOLEAN);
  const auto check = [](const GValue *pad, GValue *all, gpointer) -> gboolean {
    g_value_set_boolean(all, consumers_map(GST_PAD(g_value_get_object(pad))));
    return g_value_get_boolean(all);
  };
  g_value_set_boolean(&all, TRUE);
  const GstIteratorResult result = gst_iterator_fold(links, check, &all, nullptr);
  gst_iterator_free(links);
  return g_value_get_boolean(&all) && result == GST_ITERATOR_DONE;
}

bool element_maps(GstElement *element, GstPad *sink) {
  if (GST_IS_GLCL_FILTER(element)) return true;
  const std::string plugin = plugin_of(element);
  if (plugin == "coreelements") return !hands_off(element) && all_behind_map(sink);
  // Elements that only display a frame draw it into one of their own, or on a screen.
  return plugin == "opengl" && (!GST_IS_BASE_TRANSFORM(element) || all_behind_map(sink));
}

}  // namespace

bool consumers_map(GstPad *source) {
  const FrameMemory memory = memory_of(source);
  if (memory != FrameMemory::gl) return memory == FrameMemory::host;
  GstPad *sink = gst_pad_get_peer(source);
  if (!sink) return false;
  bool maps = false;
  if (GST_IS_PROXY_PAD(sink)) {  // into a bin, or out of one
    if (GstProxyPad *other = gst_proxy_pad_get_internal(GST_PROXY_PAD(sink))) {
      maps = consumers_map(GST_PAD(other));
      gst_object_unref(other);
    }
  } else if (GstElement *element = gst_pad_get_parent_element(sink)) {
    maps = element_maps(element, sink);
    gst_object_unref(element);
  }
  gst_object_unref(sink);
  return maps;
}

}  // namespace glcl
