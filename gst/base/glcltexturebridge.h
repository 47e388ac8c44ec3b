// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include <functional>
#include <memory>

#include "glclcontext.h"
#include "sharing/sharing.h"

namespace glcl {

/// The frames of an element on their way from buffers to pictures and back, by the sharing method
/// of an OpenCL context. GL thread; the functions throw.
class TextureBridge {
 public:
  /// Both outlive it. Transfers of a frame to or from host memory are counted in `copies`.
  TextureBridge(GstBaseTransform *element, GstGLCLContext *context,
                std::shared_ptr<sharing::Copies> copies);

  /// Puts a pool of the textures that the method works on best in place of the query's first.
  void replace_pool(GstQuery *query, const sharing::ErrorHandler &report);

  /// Runs `work (in, out)`, which enqueues what reads `in` and writes all of `out`, frames of
  /// `info`. Where the buffers are one, or hold the same texture, the frame goes on as it came and
  /// there is no picture `out`. Throws where the buffers hold something else.
  using Process = std::function<void(const Picture &in, const Picture &out)>;
  void run(Queue &queue, Layout layout, const GstVideoInfo &info, GstBuffer *in, GstBuffer *out,
           const Process &work);

  /// Has OpenGL own a frame, for consumers that use its texture without a map.
  void hand_to_gl(GstBuffer *frame);

 private:
  sharing::Sharing &sharing_for(std::initializer_list<GstGLMemory *> textures);
  GstGLContext *gl_context() const { return gst_glcl_context_gl_context(context_); }

  GstBaseTransform *element_;
  GstGLCLContext *context_;
  std::shared_ptr<sharing::Copies> copies_;
  std::unique_ptr<sharing::Sharing> sharing_;
  // For textures of a GL context that shares nothing with ours.
  std::unique_ptr<sharing::Sharing> foreign_;
};

}  // namespace glcl
