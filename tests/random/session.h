// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>
#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "random.h"

/// A random pipeline and the actions on it: the part that both mixes share. The elements under
/// test are called "ours…", the filter that sets the size of frames "size".
class Session {
 public:
  virtual ~Session() = default;
  Session(const Session &) = delete;

  /// Plays the pipeline, and does things to it until its end.
  virtual void drive() = 0;

  const std::string &description() const { return description_; }
  /// The actions so far.
  std::string history() const;
  /// How long there was no sign of life, s.
  double silence() const { return static_cast<double>(now() - last_sign_) / 1e3; }

 protected:
  /// The numbers for the pipeline and its driver, for settings, and for sync handlers.
  explicit Session(int seed, int index)
      : random_({seed + seed_stride * index, 0}),
        settings_random_({seed + seed_stride * index, 1}),
        sync_random_({seed + seed_stride * index, 2}) {}

  /// Makes the pipeline, on this display or, by chance, on its own.
  void launch(const std::string &description, GstGLDisplay *display);
  /// A sign of life; step() also writes it to the history.
  void mark_alive() { last_sign_ = now(); }
  void step(const std::string &what);
  /// An element under test, for a thread that is not the driver's. Transfer full.
  GstElement *random_element(Random &random);
  /// Has the pipeline's sync handler do this to an element wherever a message of interest is
  /// posted.
  void on_sync(const std::function<void(GstElement *, Random &)> &work);
  /// Puts a fresh element into the place of an element under test while the pipeline plays.
  void replace(const std::function<void(GstElement *old, GstElement *fresh)> &set_up);

  Random random_, settings_random_, sync_random_;
  GstElement *pipeline_ = nullptr, *size_ = nullptr;
  std::mutex
      tested_mutex_;  // guards ours_ where another thread than the driver reads it, sync_random_
  std::vector<GstElement *> tested_;

 private:
  static constexpr int seed_stride = 1000003;  // seeds of pipelines that play at once

  static int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  }

  std::string description_;
  mutable std::mutex history_mutex_;
  std::vector<std::string> history_;
  std::atomic<int64_t> last_sign_{now()};
};
