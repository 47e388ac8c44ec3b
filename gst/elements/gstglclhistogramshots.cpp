// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhistogramshots.h"

#include <cmath>

#include "base/glclengineswap.h"
#include "base/glclerrorreporter.h"

namespace glcl::histogram {

namespace {

constexpr const char *shot_names[] = {"cut", "fade-in", "fade-out", "dissolve", "wipe"};
constexpr size_t remembered_times = 256;

constexpr char no_shots[] = "Shots are not detected.";
constexpr Histogram::Format counted{Histogram::Mode::rgb, 256};

guint64 within(const ShotMessages::Settings &settings) {
  return guint64(std::llround(settings.shot_sharpest * GST_SECOND));
}

}  // namespace

void ShotMessages::Messages::send(GstGLCLAnalyzer *self) {
  for (GstStructure *message : shots) gst_glcl_analyzer_post(self, message);
  for (GstStructure *message : sharpest) gst_glcl_analyzer_announce(self, message);
}

const FrameTimes *ShotMessages::times_of(uint64_t frame) const {
  for (const auto &[number, times] : times_)
    if (number == frame) return &times;
  return nullptr;
}

void ShotMessages::add_messages(const std::vector<Shots::Shot> &shots, Messages &messages) {
  for (const Shots::Shot &shot : shots) {
    sharpest_.begin(shot);
    const FrameTimes *times = times_of(shot.frame);
    if (!times) continue;
    GstStructure *message = gst_glcl_analyzer_structure("shot", *times);
    gst_structure_set(message, "frame", G_TYPE_UINT64, guint64(shot.frame), "kind", G_TYPE_STRING,
                      shot_names[static_cast<int>(shot.kind)], "score", G_TYPE_DOUBLE, shot.score,
                      nullptr);
    messages.shots.push_back(message);
  }
}

void ShotMessages::add_messages(const std::vector<SharpestFrames::ShotFrame> &choices,
                                Messages &messages) const {
  for (const SharpestFrames::ShotFrame &choice : choices) {
    const FrameTimes *times = times_of(choice.frame);
    if (!times) continue;
    GstStructure *message = gst_glcl_analyzer_structure("shot-sharpest", *times);
    gst_structure_set(message, "frame", G_TYPE_UINT64, guint64(choice.frame), "shot", G_TYPE_UINT64,
                      guint64(choice.shot), "sharpness", G_TYPE_DOUBLE, choice.sharpness, nullptr);
    messages.sharpest.push_back(message);
  }
}

/// Finds the boundaries among the frames so far.
void ShotMessages::finish_locked(Messages &messages) {
  add_messages(shots_.finish(), messages);
  add_messages(shape_shots_.finish(), messages);
}

void ShotMessages::finish(GstGLCLAnalyzer *self) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    finish_locked(messages);
    add_messages(sharpest_.settle(), messages);
    sharpest_ = {};
    times_.clear();
  }
  messages.send(self);
}

void ShotMessages::settle(GstGLCLAnalyzer *self) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    add_messages(sharpest_.settle(), messages);
  }
  messages.send(self);
}

void ShotMessages::announce_delay(GstGLCLAnalyzer *self, const Settings &settings) {
  announced_within_ = within(settings);
  gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(self),
                     gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
                                          gst_structure_new("shot-delay", "time", G_TYPE_UINT64,
                                                            within(settings), "frames", G_TYPE_UINT,
                                                            guint(SharpestFrames::late), nullptr)));
}

void ShotMessages::add_frame(GstGLCLAnalyzer *self, const Settings &settings, uint64_t frame,
                             bool first, const FrameTimes &times, const uint32_t *values) {
  if (announced_within_ != within(settings)) announce_delay(self, settings);
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    if (first) finish_locked(messages);
    times_.emplace_back(frame, times);
    while (times_.size() > remembered_times && times_.front().first < sharpest_.oldest(frame))
      times_.pop_front();
    const bool by_histogram = settings.shot_method == Method::histogram;
    const int counts = by_histogram ? Shots::counts : ShapeShots::counts;
    sharpest_.set_within(within(settings));
    sharpest_.add(frame, times.running_time, Structure::sharpness(values + counts));
    if (by_histogram) {
      shots_.set_threshold(settings.shot_threshold);
      add_messages(shots_.add(frame, values), messages);
    } else {
      shape_shots_.set_threshold(settings.shot_threshold);
      add_messages(shape_shots_.add(frame, values), messages);
    }
    add_messages(sharpest_.choose(), messages);
  }
  messages.send(self);
}

void ShotMessages::drop() {
  const std::lock_guard lock(mutex_);
  shots_ = Shots();
  shape_shots_ = ShapeShots();
  sharpest_ = {};
  times_.clear();
}

std::unique_ptr<ShotValues> ShotDetection::make_values(Method method) const {
  return std::make_unique<ShotValues>(
      *context_, format_, method == Method::histogram ? Shots::counts : ShapeShots::counts);
}

std::unique_ptr<hough::FrameEdgePairs> ShotDetection::make_edge_pairs() const {
  return std::make_unique<hough::FrameEdgePairs>(*context_, width_, height_, format_,
                                                 ShapeShots::edges);
}

void ShotDetection::start() {
  frames_ = 0;
  drop();
}

void ShotDetection::prepare(Context &context, int width, int height, const FrameFormat &format,
                            const Settings &settings, FrameHistograms &histograms) {
  unprepare();
  context_ = &context;
  width_ = width, height_ = height;
  set_format(format, settings, histograms);
}

void ShotDetection::set_format(const FrameFormat &format, const Settings &settings,
                               FrameHistograms &histograms) {
  format_ = format;
  histograms_ = &histograms;
  histogram_values_ = {};
  shape_values_ = {};
  if (auto *built = edge_pairs_.value())
    (*built)->set_format(*context_, format);
  else
    edge_pairs_ = {};  // waits for one that is being built for the old format
  if (!settings.shot_detection) return;
  if (settings.shot_method == Method::shape) {
    edge_pairs_.get([this] { return make_edge_pairs(); });
    shape_values_.get([this] { return make_values(Method::shape); });
    return;
  }
  histograms.build(counted);
  histogram_values_.get([this] { return make_values(Method::histogram); });
}

void ShotDetection::unprepare() {
  edge_pairs_ = {};
  histogram_values_ = {};
  shape_values_ = {};
}

/// Returns the values for Shots, or null until the engines are ready.
cl::Buffer ShotDetection::histogram_values(GstElement *element, Queue &queue, const Picture &in) {
  auto *values = optional_engine(
      element, histogram_values_, [this] { return make_values(Method::histogram); }, no_shots);
  bool ready = false;
  guard_optional(element, no_shots, [&] { ready = histograms_->ready(counted); });
  if (!ready || !values) return {};
  return (*values)->run(queue, in, histograms_->count(queue, counted, {0, 0, in.width, in.height}));
}

/// Returns the values for ShapeShots, or null until the engines are ready.
cl::Buffer ShotDetection::shape_values(GstElement *element, Queue &queue, const Picture &in) {
  auto *edge_pairs = optional_engine(
      element, edge_pairs_, [this] { return make_edge_pairs(); }, no_shots);
  auto *values = optional_engine(
      element, shape_values_, [this] { return make_values(Method::shape); }, no_shots);
  if (!edge_pairs || !values) return {};
  if (previous_ != Method::shape) (*edge_pairs)->reset();
  return (*values)->run(queue, in, (*edge_pairs)->run(queue, in));
}

void ShotDetection::add(GstGLCLAnalyzer *element, Queue &queue, const Settings &settings,
                        const FrameTimes &times, const Picture &in) {
  const uint64_t frame = frames_++;
  const Method method = settings.shot_method;
  const bool follows = previous_ == method;
  cl::Buffer values;
  if (settings.shot_detection)
    values = method == Method::histogram ? histogram_values(GST_ELEMENT(element), queue, in)
                                         : shape_values(GST_ELEMENT(element), queue, in);
  previous_.reset();
  if (!values()) return;
  previous_ = method;
  const size_t bytes =
      sizeof(cl_uint) * (method == Method::histogram ? Shots::values : ShapeShots::values);
  gst_glcl_analyzer_read(element, queue, values, bytes,
                         [=, settings = Settings(settings)](const void *data) {
                           messages_.add_frame(element, settings, frame, !follows, times,
                                               static_cast<const uint32_t *>(data));
                         });
}

}  // namespace glcl::histogram
