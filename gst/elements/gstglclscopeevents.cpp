// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclscopeevents.h"

#include <string>

namespace glcl::scopes {

namespace {

GstStructure *begin_of(const std::string &name, const FrameTimes &since) {
  return gst_glcl_analyzer_structure((name + "-begin").c_str(), since);
}

GstStructure *end_of(const std::string &name, const FrameTimes &now, GstClockTime lasted) {
  GstStructure *message = gst_glcl_analyzer_structure((name + "-end").c_str(), now);
  gst_structure_set(message, (name + "-duration").c_str(), G_TYPE_UINT64, guint64(lasted), nullptr);
  return message;
}

/// Moves a time, unless it is unknown.
void add_to(GstClockTime &time, GstClockTime by) {
  if (GST_CLOCK_TIME_IS_VALID(time)) time += by;
}

/// The times at which a frame ends.
FrameTimes after(FrameTimes times) {
  if (!GST_CLOCK_TIME_IS_VALID(times.duration)) return times;
  add_to(times.timestamp, times.duration);
  add_to(times.stream_time, times.duration);
  add_to(times.running_time, times.duration);
  return times;
}

}  // namespace

void ScopeEvents::update(Lasting &state, bool on, const FrameTimes &since, const FrameTimes &now,
                         GstClockTime least, Messages &messages) {
  if (on && !state.on) state = {state.name, true, false, since};
  if (!state.on) return;
  const GstClockTime from = state.since.running_time, to = now.running_time;
  // Without times the duration is unknown.
  const GstClockTime lasted =
      GST_CLOCK_TIME_IS_VALID(from) && GST_CLOCK_TIME_IS_VALID(to) && to > from ? to - from : 0;
  if (!state.posted && lasted > 0 && lasted >= least) {
    messages.push_back(begin_of(state.name, state.since));
    state.posted = true;
  }
  if (on) return;
  if (state.posted) messages.push_back(end_of(state.name, now, lasted));
  state = {state.name};
}

/// Ends what lasts with the last frame.
void ScopeEvents::end(Messages &messages) {
  for (Lasting *state : {&black_, &freeze_})
    update(*state, false, last_, after(last_), least_, messages);
  has_frame_ = false;
}

void ScopeEvents::add(GstGLCLAnalyzer *self, const ScopeEventSettings &settings,
                      const FrameTimes &times, const SurveyNumbers &numbers, bool continues) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    if (!continues) end(messages);
    least_ = static_cast<GstClockTime>(settings.event_duration * GST_SECOND);
    const bool black = settings.events & black_events && numbers.black >= settings.black_fraction;
    const bool still = settings.events & freeze_events && numbers.still && has_frame_;
    update(black_, black, times, times, least_, messages);
    update(freeze_, still, kept_, times, least_, messages);
    if (!still) kept_ = times;
    last_ = times;
    has_frame_ = true;
  }
  for (GstStructure *message : messages) gst_glcl_analyzer_post(self, message);
}

void ScopeEvents::finish(GstGLCLAnalyzer *self) {
  Messages messages;
  {
    const std::lock_guard lock(mutex_);
    end(messages);
  }
  for (GstStructure *message : messages)
    if (gst_glcl_analyzer_posts(self))
      gst_glcl_analyzer_post(self, message);
    else
      gst_structure_free(message);
}

void ScopeEvents::drop() {
  const std::lock_guard lock(mutex_);
  black_ = {black_.name};
  freeze_ = {freeze_.name};
  has_frame_ = false;
}

}  // namespace glcl::scopes
