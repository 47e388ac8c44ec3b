// SPDX-License-Identifier: LGPL-2.1-or-later
// The events of glclscope: the begin and the end of black and of frozen pictures.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "base/gstglclanalyzer.h"
#include "scopes/survey.h"

namespace glcl::scopes {

/// Kinds of events, bits of ScopeEventSettings::events.
enum ScopeEventKind : unsigned { black_events = 1, freeze_events = 2 };

struct ScopeEventSettings {
  unsigned events = 0;
  double event_duration = 2;      ///< s that a picture is at least black or frozen
  double black_threshold = 10;    ///< see SurveyLimits::black
  double black_fraction = 0.98;   ///< of the pixels of a black picture
  double freeze_threshold = 0.1;  ///< see SurveyLimits::still
};

/// Posts the begin of a black or frozen picture once it has lasted long enough, and its end. May be
/// called from several threads.
class ScopeEvents {
 public:
  /// Adds a frame. `continues`: it follows the last one that was added; otherwise what lasted ends
  /// with that.
  void add(GstGLCLAnalyzer *self, const ScopeEventSettings &settings, const FrameTimes &times,
           const SurveyNumbers &numbers, bool continues);
  /// Ends the stream: posts the end of what lasts.
  void finish(GstGLCLAnalyzer *self);
  /// Discards all frames.
  void drop();

 private:
  /// A state of the picture.
  struct Lasting {
    const char *name;
    bool on = false, posted = false;
    FrameTimes since{};
  };
  using Messages = std::vector<GstStructure *>;

  static void update(Lasting &state, bool on, const FrameTimes &since, const FrameTimes &now,
                     GstClockTime least, Messages &messages);
  void end(Messages &messages);

  std::mutex mutex_;
  Lasting black_{"black"}, freeze_{"freeze"};
  bool has_frame_ = false;
  FrameTimes kept_{}, last_{};  // of the last frame that moved, and of the last frame
  GstClockTime least_ = 0;      // event_duration of the last frame
};

}  // namespace glcl::scopes
