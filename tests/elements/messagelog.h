// SPDX-License-Identifier: LGPL-2.1-or-later
// The analysers' messages about a stream whose frames, caps and segments the test controls.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "pipeline.h"
#include "reference/textured.h"

namespace test {

constexpr GstClockTime frame_time = 40 * GST_MSECOND;

/// All analysers that compare frames, with a message for every frame.
inline const std::string analyzers =
    "glclhistogram shot-detection=true interval=0 ! glclmotion interval=0 ! "
    "glopenclflow interval=0 display=none";
inline const std::string upload_and_analyze =
    " ! glupload ! glcolorconvert ! " + analyzers + " ! fakesink name=sink sync=false";

/// A frame of a picture that moves by (2, 1) px.
inline Frame scene(int number, int width = 64, int height = 48, unsigned seed = 1) {
  return reference::textured_frame(width, height, {2.0 * number, 1.0 * number}, seed);
}

/// A message of an analyser, with the fields that tests compare.
struct LoggedMessage {
  std::string name;
  GstClockTime timestamp, stream_time, running_time, duration;
  double x, y;  ///< mean vector; NAN without one
  guint64 frame;
};

class MessageLog : public std::vector<LoggedMessage> {
 public:
  std::vector<LoggedMessage> of(const std::string &name) const;
  /// Expects these timestamps in the messages of each analyser, in this order.
  void expect_times(const std::vector<GstClockTime> &of_all,
                    const std::vector<GstClockTime> &of_moved) const;
  /// Expects this mean vector in every frame with vectors, and at least one such frame.
  void expect_vectors(double x, double y) const;
};

/// Reads all messages so far, and checks that every field is plausible.
MessageLog read_log(Messages &messages);

/// Plays to the end or an error and returns all messages. Errors must come from other elements.
MessageLog play(Pipeline &pipeline);

/// A chain, its caps and its segments.
class Stream {
 public:
  explicit Stream(const std::string &elements = analyzers) : chain(elements) {}

  void caps(int width, int height, const std::string &rest = "framerate=25/1");
  void event(GstEvent *event) { gst_harness_push_event(chain.harness(), event); }
  void segment(const GstSegment &segment) { event(gst_event_new_segment(&segment)); }

  GstFlowReturn push(GstBuffer *buffer) { return gst_harness_push(chain.harness(), buffer); }
  /// Pushes the frame and drops the output.
  void push(const Frame &frame, GstClockTime time, GstClockTime duration = frame_time,
            guint flags = 0);
  /// Ends the stream and returns the messages since the last time.
  MessageLog end();

  Chain chain;
};

GstSegment time_segment(double rate = 1, GstClockTime start = 0,
                        GstClockTime stop = GST_CLOCK_TIME_NONE);

/// The times of frames with these numbers.
std::vector<GstClockTime> frames(int first, int last, int step = 1);

}  // namespace test
