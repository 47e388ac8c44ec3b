// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclconsumers.h"

#include <gst/base/gstbasetransform.h>
#include <gst/gl/gl.h>

#include <algorithm>
#include <string>

#include "gstglclfilter.h"

namespace glcl {

namespace {

enum class FrameMemory { host, gl, other };

/// Memory type of a pad's frames. A pad without caps may get any memory: `other`.
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

/// True if the application also gets the frames, through the signal `handoff`.
bool hands_off(GstElement *element) {
  const guint signal = g_signal_lookup("handoff", G_OBJECT_TYPE(element));
  return signal && g_signal_has_handler_pending(element, signal, 0, TRUE);
}

/// Consumers downstream of the source pads that pass on the frames of a sink pad.
Consumers consumers_behind(GstPad *sink) {
  auto all = Consumers::opencl;
  GstIterator *links = gst_pad_iterate_internal_links(sink);
  if (!links) return all;
  GValue known = G_VALUE_INIT;
  g_value_init(&known, G_TYPE_BOOLEAN);
  const auto add = [](const GValue *pad, GValue *known, gpointer all) -> gboolean {
    auto &least_known = *static_cast<Consumers *>(all);
    least_known = std::max(least_known, consumers_of(GST_PAD(g_value_get_object(pad))));
    g_value_set_boolean(known, least_known != Consumers::unknown);
    return g_value_get_boolean(known);
  };
  const GstIteratorResult result = gst_iterator_fold(links, add, &known, &all);
  gst_iterator_free(links);
  return result == GST_ITERATOR_DONE ? all : Consumers::unknown;
}

Consumers consumers_in(GstElement *element, GstPad *sink) {
  if (GST_IS_GLCL_FILTER(element)) return Consumers::opencl;
  const std::string plugin = plugin_of(element);
  if (plugin == "coreelements")
    return hands_off(element) ? Consumers::unknown : consumers_behind(sink);
  // Elements that only display a frame draw it on a screen or into a frame of their own.
  if (plugin == "opengl" && !GST_IS_BASE_TRANSFORM(element)) return Consumers::mapping;
  return plugin == "opengl" ? std::max(Consumers::mapping, consumers_behind(sink))
                            : Consumers::unknown;
}

}  // namespace

Consumers consumers_of(GstPad *source) {
  const FrameMemory memory = memory_of(source);
  if (memory != FrameMemory::gl)
    return memory == FrameMemory::host ? Consumers::mapping : Consumers::unknown;
  GstPad *sink = gst_pad_get_peer(source);
  if (!sink) return Consumers::unknown;
  auto consumers = Consumers::unknown;
  if (GST_IS_PROXY_PAD(sink)) {  // the ghost pad of a bin, from outside or inside
    if (GstProxyPad *other = gst_proxy_pad_get_internal(GST_PROXY_PAD(sink))) {
      consumers = consumers_of(GST_PAD(other));
      gst_object_unref(other);
    }
  } else if (GstElement *element = gst_pad_get_parent_element(sink)) {
    consumers = consumers_in(element, sink);
    gst_object_unref(element);
  }
  gst_object_unref(sink);
  return consumers;
}

}  // namespace glcl
