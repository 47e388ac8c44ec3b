// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <exception>
#include <mutex>
#include <string>

#include "opencl/stop.h"

namespace glcl {

/// Posts a warning about resources or settings. The texts may contain any bytes.
void warn(GstElement *element, GstResourceError code, const std::string &text,
          const std::string &debug = {});
/// Posts an exception as a warning; `consequence` is a sentence about what happens instead.
void warn(GstElement *element, const std::exception_ptr &failure, const std::string &consequence);

/// Runs optional work. Returns false after an exception; any but Stopped is posted as a warning, as
/// above.
template <class Work>
bool guard_optional(GstElement *element, const std::string &consequence, const Work &work) {
  try {
    work();
    return true;
  } catch (const Stopped &) {
    throw;
  } catch (...) {
    warn(element, std::current_exception(), consequence);
    return false;
  }
}

/// The border between C++ and GStreamer: turns exceptions of an element's work into error messages.
/// Any thread.
class ErrorReporter {
 public:
  /// Runs work; posts an exception as the element's error and returns false.
  template <class Work>
  bool guard(GstElement *element, const Work &work) {
    try {
      work();
      return true;
    } catch (...) {
      post(element, std::current_exception());
      return false;
    }
  }

  /// True if an error was posted since the last flush or start.
  bool failed() const;

  /// A new start: errors posted before may be posted again.
  void start();
  /// A flush: the stream counts as working again.
  void flush();

 private:
  void post(GstElement *element, const std::exception_ptr &failure);

  mutable std::mutex mutex_;
  std::string last_;  // last text posted since the start
  bool failed_ = false;
};

}  // namespace glcl
