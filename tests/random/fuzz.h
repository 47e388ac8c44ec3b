// SPDX-License-Identifier: LGPL-2.1-or-later
// One random pipeline from its first to its last reference.
#pragma once

#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "randompipeline.h"
#include "session.h"

class Fuzz : public Session {
 public:
  Fuzz(int seed, GstGLDisplay *display, bool faulty);

  void drive() override;

 private:
  /// How a pad treats the buffers that pass it.
  enum Watch { count, keep, keep_copy, keep_deep_copy, map };
  struct Pad {
    Fuzz *run;
    Watch watch;
    std::atomic<int> frames{0};
  };

  void set_up(GstElement *element);
  void on_message();
  void on_buffer(GstBuffer *buffer, Watch watch);
  void read_bus();
  void on_error(GstMessage *message);
  void act();
  void seek();
  void change_size();
  void reconfigure();
  void flush();
  void swap();
  void await_frame();
  void settle();
  void change_settings();
  void start_mapping();
  void map_kept();
  void end();

  const bool faulty_;
  RandomPipeline generated_;
  std::deque<Pad> pads_;
  GstBus *bus_ = nullptr;
  std::thread settings_thread_, mapping_;
  std::atomic<bool> stop_{false};
  std::atomic<int> area_{0};
  std::shared_ptr<std::atomic<int>> alive_ =
      std::make_shared<std::atomic<int>>(0);  // gst-glcl elements
  std::atomic<uint64_t> frames_{0};
  bool expected_error_ = false;

  mutable std::mutex mutex_;  // of the rest
  std::condition_variable kept_changed_;
  std::deque<GstBuffer *> kept_buffers_;
  bool all_kept_ = false;
};
