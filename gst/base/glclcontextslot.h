// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <mutex>
#include <string>

#include "glclcontext.h"

namespace glcl {

/// The OpenCL contexts of one element: the one in use, and one offered by neighbours or the
/// application. Any thread, unless noted.
class ContextSlot {
 public:
  ~ContextSlot();

  /// The context in use, borrowed, or null. Only for the thread that works with it: no other
  /// changes it.
  GstGLCLContext *in_use() const { return in_use_; }
  /// Take ownership of the context; null drops the old one.
  void use(GstGLCLContext *context) { replace(in_use_, context); }
  void offer(GstGLCLContext *context) { replace(offered_, context); }
  /// Device of the offered context, P:D; empty if it belongs to another GL context.
  std::string offered_device(GstGLContext *gl_context);

  /// Asks neighbours and application, like gst_glcl_context_ask().
  void ask(GstElement *element);
  /// Announces the context in use, and warns if frames are copied because no better method is
  /// available. With `automatic` it also warns about better devices that can't run the elements.
  void announce(GstElement *element, bool automatic);
  /// Answers a CONTEXT query for our type.
  bool answer(GstQuery *query);

 private:
  void replace(GstGLCLContext *&context, GstGLCLContext *by);
  /// Null or transfer full.
  GstGLCLContext *reference();

  std::mutex mutex_;
  GstGLCLContext *in_use_ = nullptr, *offered_ = nullptr;
};

}  // namespace glcl
