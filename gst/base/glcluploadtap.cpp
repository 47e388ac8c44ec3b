// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcluploadtap.h"

#include <algorithm>
#include <deque>
#include <string>

#include "glclproperties.h"

namespace glcl {

namespace {

constexpr size_t most_frames = 256;  // between the pads

struct KeptFrame {
  GstClockTime timestamp;
  std::vector<MetaBox> boxes;
};

bool keeps_size(GstElementFactory *factory, const std::string &name) {
  const gchar *plugin = gst_plugin_feature_get_plugin_name(GST_PLUGIN_FEATURE(factory));
  return g_strcmp0(plugin, "glcl") == 0 || name == "glcolorconvert" || name == "queue" ||
         name == "identity" || name == "capsfilter";
}

/// The sink pad of the glupload upstream of a pad, or null. Transfer full.
GstPad *upload_before(GstPad *sink) {
  auto *pad = GST_PAD(gst_object_ref(sink));
  while (pad) {
    GstPad *peer = gst_pad_get_peer(pad);
    GstElement *element = peer ? gst_pad_get_parent_element(peer) : nullptr;
    GstElementFactory *factory = element ? gst_element_get_factory(element) : nullptr;
    const std::string name = factory ? GST_OBJECT_NAME(factory) : "";
    const bool found = name == "glupload";
    GstPad *next = found || (factory && keeps_size(factory, name))
                       ? gst_element_get_static_pad(element, "sink")
                       : nullptr;
    gst_clear_object(&element);
    gst_clear_object(&peer);
    gst_object_unref(pad);
    pad = next;
    if (found) break;
  }
  return pad;
}

}  // namespace

struct UploadTap::Kept {
  Guarded<std::deque<KeptFrame>> frames;
};

void UploadTap::follow(GstPad *sink) {
  GstPad *pad = upload_before(sink);
  if (pad == pad_) {
    gst_clear_object(&pad);
    return;
  }
  close();
  pad_ = pad;
  if (!pad_) return;
  kept_ = std::make_shared<Kept>();
  const auto keep = [](GstPad *, GstPadProbeInfo *info, gpointer data) {
    GstBuffer *frame = GST_PAD_PROBE_INFO_BUFFER(info);
    (*static_cast<std::shared_ptr<Kept> *>(data))->frames.with([&](std::deque<KeptFrame> &frames) {
      frames.push_back({GST_BUFFER_PTS(frame), meta_boxes(frame)});
      if (frames.size() > most_frames) frames.pop_front();
    });
    return GST_PAD_PROBE_OK;
  };
  probe_ =
      gst_pad_add_probe(pad_, GST_PAD_PROBE_TYPE_BUFFER, keep, new std::shared_ptr(kept_),
                        [](gpointer data) { delete static_cast<std::shared_ptr<Kept> *>(data); });
}

void UploadTap::close() {
  if (pad_) gst_pad_remove_probe(pad_, probe_);
  gst_clear_object(&pad_);
  kept_.reset();
}

std::vector<MetaBox> UploadTap::boxes(GstClockTime timestamp) const {
  std::vector<MetaBox> boxes;
  if (!kept_ || !GST_CLOCK_TIME_IS_VALID(timestamp)) return boxes;
  kept_->frames.with([&](const std::deque<KeptFrame> &frames) {
    const auto found = std::find_if(frames.rbegin(), frames.rend(), [&](const KeptFrame &frame) {
      return frame.timestamp == timestamp;
    });
    if (found != frames.rend()) boxes = found->boxes;
  });
  return boxes;
}

}  // namespace glcl
