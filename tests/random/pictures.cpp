// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pictures.h"

#include <gst/video/video.h>

namespace {

GstBuffer *random_buffer(Random &random, const GstVideoInfo &info) {
  const gsize size = random.chance(95) ? info.size : info.size / 2 + 1;
  GstBuffer *buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  const gsize period = static_cast<gsize>(random.between(1, 30));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = static_cast<guint8>(random.chance(75) ? i / period % 2 * 255 : random.below(256));
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

}  // namespace

GstSample *random_sample(Random &random) {
  static const std::vector<GstVideoFormat> formats{
      GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGBA,      GST_VIDEO_FORMAT_I420,
      GST_VIDEO_FORMAT_NV12,  GST_VIDEO_FORMAT_RGBA64_LE, GST_VIDEO_FORMAT_v210};
  const auto side = [&] {
    return static_cast<guint>(random.chance(20) ? 1 : random.between(1, 80));
  };
  GstVideoInfo info;
  const guint width = side(), height = side();
  gst_video_info_set_format(&info, random.of(formats), width, height);
  GstBuffer *buffer = random_buffer(random, info);
  GstCaps *caps = random.chance(95) ? gst_video_info_to_caps(&info)
                                    : gst_caps_from_string("video/x-raw,format=GRAY8,width=[1,2]");
  GstSample *sample = gst_sample_new(random.chance(95) ? buffer : nullptr,
                                     random.chance(95) ? caps : nullptr, nullptr, nullptr);
  gst_buffer_unref(buffer);
  gst_caps_unref(caps);
  return sample;
}
