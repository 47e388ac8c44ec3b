// SPDX-License-Identifier: LGPL-2.1-or-later
#include "thumbnails.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

namespace glcl::analyze {

Thumbnails::Thumbnails(GstElement *sink) : sink_(GST_ELEMENT(gst_object_ref(sink))) {
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = [](GstAppSink *from, gpointer self) {
    if (GstSample *sample = gst_app_sink_pull_sample(from))
      static_cast<Thumbnails *>(self)->add(sample);
    return GST_FLOW_OK;
  };
  // The first frame arrives as preroll, and again when the pipeline plays.
  callbacks.new_preroll = [](GstAppSink *from, gpointer self) {
    if (GstSample *sample = gst_app_sink_pull_preroll(from))
      static_cast<Thumbnails *>(self)->add(sample);
    return GST_FLOW_OK;
  };
  callbacks.eos = [](GstAppSink *, gpointer self) { static_cast<Thumbnails *>(self)->end(); };
  gst_app_sink_set_callbacks(GST_APP_SINK(sink_), &callbacks, this, nullptr);
}

Thumbnails::~Thumbnails() {
  GstAppSinkCallbacks none{};
  gst_app_sink_set_callbacks(GST_APP_SINK(sink_), &none, nullptr, nullptr);
  clear();
  gst_object_unref(sink_);
}

void Thumbnails::add(GstSample *sample) {
  const std::lock_guard lock(mutex_);
  if (!samples_.empty() &&
      gst_sample_get_buffer(samples_.back()) == gst_sample_get_buffer(sample)) {
    gst_sample_unref(sample);
    return;
  }
  samples_.push_back(sample);
  changed_.notify_all();
  if (samples_.size() <= capacity) return;
  gst_sample_unref(samples_.front());
  samples_.pop_front();
}

void Thumbnails::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Thumbnails::clear() {
  const std::lock_guard lock(mutex_);
  for (GstSample *sample : samples_) gst_sample_unref(sample);
  samples_.clear();
  ended_ = false;
  flushes_++;
  changed_.notify_all();
}

GstSample *Thumbnails::find(GstClockTime timestamp) const {
  const auto time = [](GstSample *sample) { return GST_BUFFER_PTS(gst_sample_get_buffer(sample)); };
  for (GstSample *sample : samples_)
    if (time(sample) == timestamp) return gst_sample_ref(sample);
  if (samples_.empty() || time(samples_.front()) < timestamp) return nullptr;
  return gst_sample_ref(samples_.front());
}

/// Waits, because the pictures' branch has its own thread.
GstSample *Thumbnails::wait_for(GstClockTime timestamp) {
  std::unique_lock lock(mutex_);
  const unsigned before = flushes_;
  GstSample *sample = nullptr;
  changed_.wait_for(lock, patience, [&] {
    sample = find(timestamp);
    return sample || ended_ || flushes_ != before;
  });
  return sample;
}

bool Thumbnails::write(GstClockTime timestamp, GstClockTime time, Writer &to) {
  GstSample *sample = wait_for(timestamp);
  if (!sample) return false;
  GstVideoInfo info;
  GstVideoFrame frame;
  const bool mapped =
      gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
      gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ);
  if (mapped) {
    const int columns = GST_VIDEO_FRAME_WIDTH(&frame), rows = GST_VIDEO_FRAME_HEIGHT(&frame);
    const auto *pixels = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
    const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    std::string rgb;
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        rgb.append(reinterpret_cast<const char *>(pixels + size_t(y) * stride + 4 * size_t(x)), 3);
    gst_video_frame_unmap(&frame);
    to.write(dump({{"time", time}, {"width", columns}, {"height", rows}}) + "\n" + rgb);
  }
  gst_sample_unref(sample);
  return mapped;
}

}  // namespace glcl::analyze
