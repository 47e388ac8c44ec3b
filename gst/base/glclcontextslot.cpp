// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclcontextslot.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "glclerrorreporter.h"
#include "opencl/flaws.h"

namespace glcl {

namespace {

/// A CPU's frames are in host memory anyway. So a user without another device can't avoid copies.
bool only_cpus() {
  const std::vector<Device> all = devices();
  return std::all_of(all.begin(), all.end(), [](const Device &device) { return device.is_cpu(); });
}

}  // namespace

ContextSlot::~ContextSlot() {
  gst_clear_object(&in_use_);
  gst_clear_object(&offered_);
}

/// Releases the old context after unlocking the mutex: the last reference waits for the GL thread,
/// and the GL thread may be waiting for the mutex.
void ContextSlot::replace(GstGLCLContext *&context, GstGLCLContext *by) {
  {
    const std::lock_guard lock(mutex_);
    std::swap(context, by);
  }
  gst_clear_object(&by);
}

GstGLCLContext *ContextSlot::reference() {
  const std::lock_guard lock(mutex_);
  return in_use_ ? GST_GLCL_CONTEXT(gst_object_ref(in_use_)) : nullptr;
}

std::string ContextSlot::offered_device(GstGLContext *gl_context) {
  const std::lock_guard lock(mutex_);
  if (!offered_ || gst_glcl_context_gl_context(offered_) != gl_context) return {};
  return gst_glcl_context_device(offered_).id();
}

void ContextSlot::ask(GstElement *element) {
  bool needed;
  {
    const std::lock_guard lock(mutex_);
    needed = !in_use_ && !offered_;
  }
  if (GstGLCLContext *found = gst_glcl_context_ask(element, needed)) offer(found);
}

void ContextSlot::announce(GstElement *element, bool automatic) {
  GstGLCLContext *context = reference();
  if (!context) return;
  gst_glcl_context_announce(element, context);
  const Device &device = gst_glcl_context_device(context);
  const std::string better = automatic ? passed_over(devices(), device) : "";
  if (!better.empty())
    warn(
        element, GST_RESOURCE_ERROR_SETTINGS,
        "device=auto takes " + device.id() + " " + device.name + ". It passes over " + better + ".",
        "device=" + device.id() + " keeps this choice without the warning");
  const std::string &reason = gst_glcl_context_choice(context).fallback_reason;
  if (!reason.empty() && !only_cpus())
    warn(
        element, GST_RESOURCE_ERROR_SETTINGS,
        "Frames are copied through host memory (sharing=copy): " + reason + ".",
        "sharing=copy keeps this choice without the warning; docs/sharing.md explains the methods");
  gst_object_unref(context);
}

bool ContextSlot::answer(GstQuery *query) {
  GstGLCLContext *context = reference();
  const bool answered = gst_glcl_context_answer(query, context);
  gst_clear_object(&context);
  return answered;
}

}  // namespace glcl
