// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "options.h"
#include "random.h"

/// A random pipeline for gst_parse_launch: the elements under test are called "ours…", the filter
/// that sets the size "size". `*gl` tells whether the source draws textures.
std::string describe(Random &random, bool *gl);
/// Caps of a random size for that filter.
std::string size_caps(Random &random, bool gl);

/// Frames at all sinks so far, and what was done beside.
extern std::atomic<uint64_t> all_frames, all_swaps, all_signals, all_children, all_syncs,
    all_errors;
/// Something went wrong: all stop.
extern std::atomic<bool> failed;

class Pipeline {
 public:
  /// `faulty`: calls of OpenCL fail, so that errors are as due, and end it.
  Pipeline(int round, int index, GstGLDisplay *display, bool faulty);
  ~Pipeline();

  /// Where no frame came for this long, in seconds, though frames were due.
  double silence() const { return (now() - heard_) / 1e3; }
  const std::string &description() const { return description_; }
  /// What the driver has done so far.
  std::string history() const {
    std::string text;
    const int steps = steps_;
    for (int i = 0; i < steps; i++) text += (i ? ", " : "") + history_[i];
    return text;
  }

  void drive();
  void tinker();
  void on_error(GstMessage *message);
  void on_sync();

 private:
  static int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  }
  void collect();
  bool over() const { return failed || broken_; }
  GstElement *any(Random &random);
  void once(GstPad *pad, GstPadProbeType type, std::function<void(GstPad *)> work);
  void swap();
  void act();
  void set_state(GstState state);
  void seek();
  void flush();
  void change_size();
  void pull();
  void await_frame();
  void settle();
  void stop(GstState state);
  void step(const std::string &what);

  Random random_, tinker_random_, sync_random_;
  const bool faulty_;
  std::atomic<bool> broken_{false}, swapped_{false};
  bool gl_ = false, renegotiated_ = false;
  std::string description_;
  GstElement *pipeline_ = nullptr;
  GstElement *size_ = nullptr;
  std::mutex ours_mutex_;  // of the next where the driver changes it or another thread reads it
  std::vector<GstElement *> ours_;
  std::vector<GstElement *> sinks_;
  std::vector<GstSample *> kept_;  // outlive the pipeline's states
  std::atomic<uint64_t> frames_{0};
  std::atomic<int64_t> heard_{now()};
  std::atomic<bool> done_{false};
  std::array<std::string, 128> history_;
  std::atomic<int> steps_{0};
};
