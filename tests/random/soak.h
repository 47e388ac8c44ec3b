// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "options.h"
#include "session.h"

/// A random pipeline for gst_parse_launch: the elements under test are called "ours…", the filter
/// that sets the size "size". `*gl` tells whether the source draws textures.
std::string describe(Random &random, bool *gl);
/// Caps of a random size for that filter.
std::string size_caps(Random &random, bool gl);

/// Pipelines as an application plays them: it waits for what it does, and no setting is costly.
class Soak : public Session {
 public:
  /// `faulty`: calls of OpenCL fail, so that errors are as due, and end it.
  Soak(int seed, int index, GstGLDisplay *display, bool faulty);
  ~Soak() override;

  void drive() override;

 private:
  void on_message(GstMessage *message);
  void on_error(GstMessage *message);
  void change_settings();
  void watch_sinks();
  bool stopped() const { return failed || broken_; }
  void run_once(GstPad *pad, GstPadProbeType type, std::function<void(GstPad *)> work);
  void swap();
  void act();
  void await_state();
  void set_state(GstState state);
  void seek();
  void flush();
  void change_size();
  void pull();
  void await_frame();
  void settle();
  void play();
  void stop(GstState state);

  const bool faulty_;
  std::atomic<bool> broken_{false}, swapped_{false};
  bool gl_ = false, renegotiated_ = false;
  std::vector<GstElement *> sinks_;
  std::vector<GstSample *> kept_buffers_;  // outlive the pipeline's states
  std::atomic<uint64_t> frames_{0};
  std::atomic<bool> done_{false};
};
