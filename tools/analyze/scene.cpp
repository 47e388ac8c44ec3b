// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scene.h"

#include <gst/video/video.h>

#include <algorithm>
#include <utility>

namespace glcl::analyze {

namespace {

/// The mean of a rectangle of RGBA pixels, as RGB.
void add_mean(const GstVideoFrame &frame, int left, int top, int right, int bottom,
              std::string &rgb) {
  const auto *pixels = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
  const auto stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  guint64 sum[3] = {};
  for (int y = top; y < bottom; y++)
    for (int x = left; x < right; x++)
      for (int c = 0; c < 3; c++) sum[c] += pixels[ptrdiff_t(y) * stride + 4 * ptrdiff_t(x) + c];
  const guint64 count = guint64(right - left) * guint64(bottom - top);
  for (const guint64 one : sum) rgb += static_cast<char>((one + count / 2) / count);
}

/// The frame as RGB, reduced to a width of at most Scene::most_width. Rows of RGB video begin at
/// multiples of 4 bytes, so the width is a multiple of 4 unless the frame is narrower.
std::string reduced(const GstVideoFrame &frame, int &width, int &height) {
  const int columns = GST_VIDEO_FRAME_WIDTH(&frame), rows = GST_VIDEO_FRAME_HEIGHT(&frame);
  width = std::max(std::min(columns, Scene::most_width) & ~3, 4);
  height = std::clamp(static_cast<int>(gint64(rows) * width / columns), 1,
                      std::min(rows, Scene::most_height));
  std::string rgb;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const auto edge = [](int i, int count, int of) {
        return std::min(static_cast<int>(gint64(i) * of / count), of - 1);
      };
      const int left = edge(x, width, columns), top = edge(y, height, rows);
      add_mean(frame, left, top,
               std::max(left + 1, static_cast<int>(gint64(x + 1) * columns / width)),
               std::max(top + 1, static_cast<int>(gint64(y + 1) * rows / height)), rgb);
    }
  return rgb;
}

}  // namespace

void Scene::offer(GstPad *pad, GstBuffer *frame, GstClockTime from) {
  const std::lock_guard lock(mutex_);
  if (sample_) return;
  GstCaps *caps = gst_pad_get_current_caps(pad);
  GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment = nullptr;
  if (event) gst_event_parse_segment(event, &segment);
  const GstClockTime time =
      segment ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame))
              : GST_BUFFER_PTS(frame);
  if (caps && time >= from) sample_ = gst_sample_new(frame, caps, nullptr, nullptr);
  if (event) gst_event_unref(event);
  if (caps) gst_caps_unref(caps);
}

void Scene::forget() {
  const std::lock_guard lock(mutex_);
  if (sample_) gst_sample_unref(std::exchange(sample_, nullptr));
}

void Scene::write(const Folder &folder) {
  const std::lock_guard lock(mutex_);
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!sample_ || !gst_video_info_from_caps(&info, gst_sample_get_caps(sample_)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample_), GST_MAP_READ))
    return;
  int width = 0, height = 0;
  const std::string rgb = reduced(frame, width, height);
  gst_video_frame_unmap(&frame);
  folder.write("scene.rgb", dump({{"width", width}, {"height", height}}) + "\n" + rgb);
}

}  // namespace glcl::analyze
