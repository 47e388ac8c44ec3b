// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>

namespace glcl {

/// Posts a warning about resources or settings. The texts may contain any bytes.
void warn(GstElement *element, GstResourceError code, const std::string &text,
          const std::string &debug = {});

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
      post_caught(element);
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
  void post_caught(GstElement *element);
  void post(GstElement *element, GQuark domain, gint code, const std::string &text,
            const std::string &debug);

  mutable std::mutex mutex_;
  std::string last_;  // last text posted since the start
  bool failed_ = false;
};

}  // namespace glcl
