// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclerrorreporter.h"

#include <exception>
#include <utility>

#include "opencl/cl.h"
#include "opencl/error.h"

namespace glcl {

namespace {

gint resource_code(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::not_found:
      return GST_RESOURCE_ERROR_NOT_FOUND;
    case Error::Kind::settings:
      return GST_RESOURCE_ERROR_SETTINGS;
    case Error::Kind::failed:
      break;
  }
  return GST_RESOURCE_ERROR_FAILED;
}

/// An exception as GStreamer describes errors.
struct FailureText {
  GQuark domain;
  gint code;
  std::string text, debug;
};

/// `otherwise` describes exceptions other than glcl::Error and cl::Error.
FailureText describe(const std::exception_ptr &failure, const char *otherwise) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error &error) {
    return {GST_RESOURCE_ERROR, resource_code(error.kind()), error.what(), error.detail()};
  } catch (const cl::Error &error) {
    return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
            "An OpenCL call failed: " + error_name(error.err()) + ".", error.what()};
  } catch (const std::exception &error) {
    return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, otherwise, error.what()};
  }
}

/// Posts the texts as valid UTF-8, because applications expect UTF-8 and some fail on other bytes.
void post(GstElement *element, GstMessageType type, const FailureText &what) {
  gst_element_message_full(element, type, what.domain, what.code, g_strdup(utf8(what.text).c_str()),
                           what.debug.empty() ? nullptr : g_strdup(utf8(what.debug).c_str()),
                           __FILE__, GST_FUNCTION, __LINE__);
}

}  // namespace

void warn(GstElement *element, GstResourceError code, const std::string &text,
          const std::string &debug) {
  post(element, GST_MESSAGE_WARNING, {GST_RESOURCE_ERROR, code, text, debug});
}

void warn(GstElement *element, const std::exception_ptr &failure, const std::string &consequence) {
  FailureText what = describe(failure, "The settings can't be used.");
  what.text += " " + consequence;
  post(element, GST_MESSAGE_WARNING, what);
}

bool ErrorReporter::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void ErrorReporter::start() {
  const std::lock_guard lock(mutex_);
  last_.clear();
  failed_ = false;
}

void ErrorReporter::flush() {
  const std::lock_guard lock(mutex_);
  last_.clear();
  failed_ = false;
}

void ErrorReporter::post(GstElement *element, const std::exception_ptr &failure) {
  const FailureText what = describe(failure, "Processing a frame failed.");
  {
    // Negotiation is tried several times and fails for the same reason each time: post it once.
    const std::lock_guard lock(mutex_);
    failed_ = true;
    if (std::exchange(last_, what.text + what.debug) == what.text + what.debug) return;
  }
  glcl::post(element, GST_MESSAGE_ERROR, what);
}

}  // namespace glcl
