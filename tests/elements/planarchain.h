// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in planes through elements.
#pragma once

#include <gst/video/video.h>

#include <memory>
#include <string>

#include "pipeline.h"
#include "reference/conversion/conversion.h"

namespace test {

/// Elements that process frames of one size in planes, in their own format.
class PlanarChain {
 public:
  using PlanarFrame = reference::PlanarFrame;

  PlanarChain(const std::string &elements, const glcl::PixelFormat &format,
              const std::string &colorimetry, const std::string &chroma_site = "")
      : format_(format),
        rest_(",framerate=25/1,colorimetry=" + colorimetry +
              (chroma_site.empty() ? "" : ",chroma-site=" + chroma_site)),
        chain_(Chain::plain("glupload ! " + elements + " ! gldownload")) {}

  PlanarFrame filter(const PlanarFrame &frame) {
    const PlanarFrame got = pass(frame);
    expect_none(chain_->messages().errors());
    return got;
  }
  /// The same, but messages stay on the bus.
  PlanarFrame pass(const PlanarFrame &frame) {
    const std::string caps = "video/x-raw,format=" + std::string(format_.name) +
                             ",width=" + std::to_string(frame.width) +
                             ",height=" + std::to_string(frame.height) + rest_;
    GstCaps *parsed = gst_caps_from_string(caps.c_str());
    GstVideoInfo info;
    expect(gst_video_info_from_caps(&info, parsed), "caps " + caps);
    gst_caps_unref(parsed);
    if (count_ == 0) gst_harness_set_src_caps_str(chain_->harness(), caps.c_str());
    GstBuffer *in = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
    GST_BUFFER_PTS(in) = GST_BUFFER_DTS(in) = gst_util_uint64_scale(count_++, GST_SECOND, 25);
    GST_BUFFER_DURATION(in) = GST_SECOND / 25;
    PlanarFrame copy = frame;
    transfer(in, info, copy, GST_MAP_WRITE);
    expect(gst_harness_push(chain_->harness(), in) == GST_FLOW_OK, "a frame of " + caps);
    GstBuffer *out = chain_->pull_buffer();
    PlanarFrame got(format_, frame.width, frame.height);
    transfer(out, info, got, GST_MAP_READ);
    gst_buffer_unref(out);
    return got;
  }

  GstElement *operator[](const std::string &name) const { return (*chain_)[name]; }
  Chain &chain() { return *chain_; }

 private:
  static void transfer(GstBuffer *buffer, const GstVideoInfo &info, PlanarFrame &frame,
                       GstMapFlags how) {
    GstVideoFrame mapped;
    expect(gst_video_frame_map(&mapped, &info, buffer, how), "a frame is mapped");
    for (int i = 0; i < frame.format->plane_count; i++) {
      PlanarFrame::Plane &plane = frame.planes[i];
      const int row = plane.width * plane.channels;
      const bool wide = frame.format->planes[i]->type == CL_UNORM_INT16;
      for (int y = 0; y < plane.height; y++) {
        guint8 *bytes = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&mapped, i)) +
                        size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, i);
        for (int k = 0; k < row; k++) {
          uint16_t &value = plane.values[size_t(y) * row + k];
          guint8 *at = bytes + (wide ? 2 : 1) * k;
          if (how == GST_MAP_WRITE && wide)
            GST_WRITE_UINT16_LE(at, value);
          else if (how == GST_MAP_WRITE)
            *at = static_cast<guint8>(value);
          else
            value = wide ? GST_READ_UINT16_LE(at) : *at;
        }
      }
    }
    gst_video_frame_unmap(&mapped);
  }

  const glcl::PixelFormat &format_;
  std::string rest_;
  std::unique_ptr<Chain> chain_;
  guint64 count_ = 0;
};

}  // namespace test
