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

#include "chain.h"
#include "soak/random.h"

class Run {
 public:
  Run(int seed, GstGLDisplay *display);

  void drive();

  const std::string &description() const { return chain_.text; }
  std::string history() const;
  /// How long the last step has taken so far, s.
  double silence() const;

 private:
  /// What a pad does with the buffers that pass it.
  enum Watch { count, keep, keep_copy, keep_deep_copy, map };
  struct Pad {
    Run *run;
    Watch watch;
    std::atomic<int> frames{0};
  };

  void step(const std::string &what);
  void collect();
  void adopt(GstElement *element);
  void on_sync(GstMessage *message);
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
  void tinker();
  void start_mapping();
  void map_kept();
  void end();

  Random random_, tinker_random_, sync_random_;
  Chain chain_;
  GstElement *pipeline_ = nullptr, *size_ = nullptr;
  std::mutex ours_mutex_;  // of ours_ where another thread than the driver reads it, sync_random_
  std::vector<GstElement *> ours_;
  std::deque<Pad> pads_;
  GstBus *bus_ = nullptr;
  std::thread tinkering_, mapping_;
  std::atomic<bool> stop_{false};
  std::atomic<int> area_{0};
  std::shared_ptr<std::atomic<int>> alive_ = std::make_shared<std::atomic<int>>(0);  // of ours
  std::atomic<uint64_t> frames_{0};
  bool expected_error_ = false;

  mutable std::mutex mutex_;  // of the rest
  std::condition_variable kept_some_;
  std::deque<GstBuffer *> kept_;
  bool last_kept_ = false;
  std::vector<std::string> history_;
  int64_t stepped_ = 0;
};
