// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclstats.h"

#include <utility>

GST_DEBUG_CATEGORY_EXTERN(glcl_filter_debug);
#define GST_CAT_DEFAULT glcl_filter_debug

namespace glcl {

GstStructure *Stats::structure() const {
  GstStructure *structure = gst_structure_new(
      "glcl-stats", "frames", G_TYPE_UINT64, frames, "device", G_TYPE_STRING, device.c_str(),
      "sharing", G_TYPE_STRING, method ? method->name : "auto", "copies", G_TYPE_UINT64,
      copies->load(), "dropped", G_TYPE_UINT64, dropped, "latency", G_TYPE_UINT64, latency.mean(),
      "latency-max", G_TYPE_UINT64, latency.max, nullptr);
  for (const auto &[name, timing] : timings)
    gst_structure_set(structure, (name + "-mean").c_str(), G_TYPE_UINT64, timing.mean(),
                      (name + "-max").c_str(), G_TYPE_UINT64, timing.max, nullptr);
  return structure;
}

Stats StatsRecorder::get() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void StatsRecorder::start() {
  const std::lock_guard lock(mutex_);
  stats_ = {};
}

void StatsRecorder::set_device(const std::string &device, const sharing::SharingMethod *method) {
  const std::lock_guard lock(mutex_);
  stats_.device = device;
  stats_.method = method;
}

void StatsRecorder::add_frame(Queue &queue, Clock::time_point start) {
  std::unique_lock lock(mutex_);
  if (stats_.frames++ == 0) stats_.first_frame = start;
  if (!queue.profiles()) return;
  auto timings = stats_.timings;
  lock.unlock();
  queue.collect(timings);  // waits for the kernels
  timings["frame"].add(std::chrono::nanoseconds(Clock::now() - start).count());
  lock.lock();
  stats_.timings = std::move(timings);
}

void StatsRecorder::add_dropped() {
  const std::lock_guard lock(mutex_);
  stats_.dropped++;
}

void StatsRecorder::add_latency(std::chrono::nanoseconds latency) {
  const std::lock_guard lock(mutex_);
  stats_.latency.add(latency.count());
}

void StatsRecorder::log(GstElement *element) const {
  const Stats stats = get();
  if (!stats.frames) return;
  const std::chrono::duration<double> seconds = Clock::now() - stats.first_frame;
  GST_INFO_OBJECT(element,
                  "done: %" G_GUINT64_FORMAT " frames, %.1f frames/s, %" G_GUINT64_FORMAT
                  " copies, %" G_GUINT64_FORMAT " dropped, latency %.2f ms, longest %.2f",
                  stats.frames, double(stats.frames) / seconds.count(), stats.copies->load(),
                  stats.dropped, static_cast<double>(stats.latency.mean()) / 1e6,
                  static_cast<double>(stats.latency.max) / 1e6);
}

}  // namespace glcl
