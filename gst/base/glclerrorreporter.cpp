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

/// Applications take all texts for UTF-8, and some end where one is not.
void post(GstElement *element, GstMessageType type, GQuark domain, gint code,
          const std::string &text, const std::string &debug) {
  gst_element_message_full(element, type, domain, code, g_strdup(utf8(text).c_str()),
                           debug.empty() ? nullptr : g_strdup(utf8(debug).c_str()), __FILE__,
                           GST_FUNCTION, __LINE__);
}

}  // namespace

void warn(GstElement *element, GstResourceError code, const std::string &text,
          const std::string &debug) {
  post(element, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR, code, text, debug);
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

/// Called where something has been caught.
void ErrorReporter::post_caught(GstElement *element) {
  try {
    throw;
  } catch (const Error &error) {
    post(element, GST_RESOURCE_ERROR, resource_code(error.kind()), error.what(), error.detail());
  } catch (const cl::Error &error) {
    post(element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
         "An OpenCL call failed: " + error_name(error.err()) + ".", error.what());
  } catch (const std::exception &error) {
    post(element, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, "Processing a frame failed.",
         error.what());
  }
}

void ErrorReporter::post(GstElement *element, GQuark domain, gint code, const std::string &text,
                         const std::string &debug) {
  {
    // Negotiation is tried more than once, and fails for the same reason each time.
    const std::lock_guard lock(mutex_);
    failed_ = true;
    if (std::exchange(last_, text + debug) == text + debug) return;
  }
  glcl::post(element, GST_MESSAGE_ERROR, domain, code, text, debug);
}

}  // namespace glcl
