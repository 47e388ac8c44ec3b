// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <mutex>
#include <string>

namespace glcl {

/// Posts a warning about resources or settings. The texts may hold any bytes.
void warn(GstElement *element, GstResourceError code, const std::string &text,
          const std::string &debug = {});

/// The border between C++ and GStreamer: what an element's work throws becomes its error messages.
/// Any thread.
class ErrorReporter {
 public:
  /// Runs work; false where it threw, which is then posted as the element's.
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

  /// Whether something was posted since the last flush or start.
  bool failed() const;

  /// A new start: what was posted before may be posted again.
  void start();
  /// A flush: the stream may go well from here on.
  void flush();

 private:
  void post_caught(GstElement *element);
  void post(GstElement *element, GQuark domain, gint code, const std::string &text,
            const std::string &debug);

  mutable std::mutex mutex_;
  std::string last_;  // posted since the start
  bool failed_ = false;
};

}  // namespace glcl
