// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhistogrammessages.h"

#include "base/glclresult.h"
#include "histogram/statistics.h"

namespace glcl::histogram {

namespace {

constexpr const char *shot_names[] = {"cut", "fade-in", "fade-out", "dissolve", "wipe"};
constexpr size_t remembered_times = 256;

}  // namespace

int mode_of(const Histogram::Format &format) {
  using Mode = Histogram::Mode;
  return format.mode == Mode::luma      ? 0
         : format.mode == Mode::rgb     ? 1
         : format.mode == Mode::color_8 ? 2
                                        : 3;
}

const char *mode_name(int mode) {
  static const char *const names[] = {"luma", "rgb", "color-8", "color-16"};
  return names[mode];
}

void post(GstGLCLAnalyzer *self, const FrameTimes &times, const Histogram::Format &format,
          guint64 pixels, const uint32_t *counts) {
  const int channels = format.channels(), bins = format.counters() / channels;
  GstStructure *message = gst_glcl_analyzer_structure("glclhistogram", times);
  gst_structure_set(message, "mode", G_TYPE_STRING, mode_name(mode_of(format)), "bins", G_TYPE_UINT,
                    guint(bins), "pixels", G_TYPE_UINT64, pixels, nullptr);
  FieldArray of_channels;
  for (int i = 0; i < channels; i++) {
    FieldArray of_bins;
    for (int bin = 0; bin < bins; bin++) of_bins.add(guint{counts[i * bins + bin]});
    of_channels.add(of_bins);
  }
  of_channels.into(message, "counts");
  std::vector<Statistics> all;
  for (const auto &channel : channel_counts(format, counts)) all.push_back(statistics(channel));
  using Field = double Statistics::*;
  constexpr std::pair<const char *, Field> fields[] = {{"mean", &Statistics::mean},
                                                       {"stddev", &Statistics::stddev},
                                                       {"p5", &Statistics::p5},
                                                       {"median", &Statistics::median},
                                                       {"p95", &Statistics::p95},
                                                       {"clipped-low", &Statistics::clipped_low},
                                                       {"clipped-high", &Statistics::clipped_high}};
  for (const auto &[name, field] : fields) {
    FieldArray values;
    for (const Statistics &one : all) values.add(one.*field);
    values.into(message, name);
  }
  gst_glcl_analyzer_post(self, message);
}

void ShotMessages::add_messages(const std::vector<Shots::Shot> &shots, Messages &messages) const {
  for (const Shots::Shot &shot : shots)
    for (const auto &[frame, times] : times_) {
      if (frame != shot.frame) continue;
      GstStructure *message = gst_glcl_analyzer_structure("shot", times);
      gst_structure_set(message, "frame", G_TYPE_UINT64, guint64(shot.frame), "kind", G_TYPE_STRING,
                        shot_names[static_cast<int>(shot.kind)], "score", G_TYPE_DOUBLE, shot.score,
                        nullptr);
      messages.push_back(message);
      break;
    }
}

void ShotMessages::finish_locked(Messages &messages) {
  add_messages(shots_.finish(), messages);
  add_messages(shape_shots_.finish(), messages);
  times_.clear();
}

void ShotMessages::finish(GstGLCLAnalyzer *self) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    finish_locked(messages);
  }
  for (GstStructure *message : messages) gst_glcl_analyzer_post(self, message);
}

void ShotMessages::follow(GstGLCLAnalyzer *self, Method method, uint64_t frame, bool first,
                          double threshold, const FrameTimes &times, const uint32_t *values) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    if (first) finish_locked(messages);
    times_.emplace_back(frame, times);
    if (times_.size() > remembered_times) times_.pop_front();
    if (method == Method::histogram) {
      shots_.set_threshold(threshold);
      add_messages(shots_.add(frame, values), messages);
    } else {
      shape_shots_.set_threshold(threshold);
      add_messages(shape_shots_.add(frame, values), messages);
    }
  }
  for (GstStructure *message : messages) gst_glcl_analyzer_post(self, message);
}

void ShotMessages::drop() {
  const std::lock_guard lock(mutex_);
  shots_ = Shots();
  shape_shots_ = ShapeShots();
  times_.clear();
}

}  // namespace glcl::histogram
