// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <mutex>
#include <string>

#include "glclcontext.h"

namespace glcl {

/// The OpenCL contexts of one element: the one in use, and one that neighbours or the application
/// offered. Any thread, but where it says otherwise.
class ContextSlot {
 public:
  ~ContextSlot();

  /// The one in use, borrowed, or null. On the GL thread, which alone changes it.
  GstGLCLContext *in_use() const { return in_use_; }
  /// Take over what they are given; null drops what there was.
  void use(GstGLCLContext *context) { replace(in_use_, context); }
  void offer(GstGLCLContext *context) { replace(offered_, context); }
  /// The device of the one that was offered, P:D; empty where that is for another GL context.
  std::string offered_device(GstGLContext *gl_context);

  /// Asks neighbours and application, as gst_glcl_context_ask.
  void ask(GstElement *element);
  /// Tells them of the one in use, and the user where frames are copied for want of a better
  /// method. `automatic`: the user also hears of better devices that can't run the elements.
  void announce(GstElement *element, bool automatic);
  /// Answers a CONTEXT query of our type.
  bool answer(GstQuery *query);

 private:
  void replace(GstGLCLContext *&context, GstGLCLContext *by);
  /// Null or transfer full.
  GstGLCLContext *reference();

  std::mutex mutex_;
  GstGLCLContext *in_use_ = nullptr, *offered_ = nullptr;
};

}  // namespace glcl
