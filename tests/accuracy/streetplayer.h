// SPDX-License-Identifier: LGPL-2.1-or-later
// Plays the frames of accuracy-street through an encoder and glclmotion, and collects its events.
#pragma once

#include <gst/check/gstharness.h>

#include <functional>
#include <string>
#include <vector>

#include "opencl/rect.h"
#include "reference/frames.h"

namespace street {

/// A message of glclmotion.
struct Event {
  std::string name;
  int frame = 0;  ///< in which it was reported
  uint64_t id = 0;
  glcl::RectF box;
  std::string what;    ///< a line, a zone, a direction or a state
  double seconds = 0;  ///< for which something has lasted
};

class Player {
 public:
  /// `settings` of glclmotion; an encoder with this many kbit per second, or none for 0; a key
  /// frame every `group` frames. Throws std::runtime_error if there is no such element.
  Player(const std::string &settings, const std::string &rules, int kbits, int group);
  ~Player();
  Player(const Player &) = delete;

  /// `frozen`: the decoder repeats its last frame instead.
  void play(const reference::Frame &frame, bool frozen = false);
  /// Ends the stream.
  void end();
  /// The messages so far.
  const std::vector<Event> &events() const { return events_; }
  /// `picture` gets each frame that comes out, with its number. Only before the first frame.
  void show(const std::function<void(int number, const reference::Frame &)> &picture);

 private:
  void gather();
  static GstPadProbeReturn freeze(GstPad *, GstPadProbeInfo *info, gpointer player);

  GstElement *bin_;
  GstHarness *harness_;
  GstBus *bus_;
  bool started_ = false, frozen_ = false;
  GstBuffer *last_ = nullptr;  // that the decoder gave
  guint64 pushed_ = 0;
  int shown_ = 0;
  std::function<void(int, const reference::Frame &)> picture_;
  std::vector<Event> events_;
};

/// True if this machine has the encoder and its decoder.
bool has_encoder();

}  // namespace street
