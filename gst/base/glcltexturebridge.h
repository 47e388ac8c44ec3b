// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "conversion/converter.h"
#include "glclcontext.h"
#include "sharing/sharing.h"

namespace glcl {

/// Converts the frames of an element from buffers to pictures and back, with the sharing method of
/// an OpenCL context. On the streaming thread; work that needs OpenGL goes to the GL thread. The
/// functions throw. It ends on the GL thread.
class TextureBridge {
 public:
  /// Element and context must outlive it. `copies` counts transfers of a frame to or from host
  /// memory.
  TextureBridge(GstBaseTransform *element, GstGLCLContext *context,
                std::shared_ptr<sharing::Copies> copies);

  /// Replaces the query's first pool by a pool of textures that suit the method best.
  void replace_pool(GstQuery *query, const sharing::ErrorHandler &report);

  /// How kernels access frames of `info` without a conversion. Frames with another order of RGB are
  /// always converted to RGBA.
  static FrameFormat frame_format(const GstVideoInfo &info, Layout layout);

  /// Builds the converter that frames of `info` need, for kernels that take this layout.
  /// `converts`: the kernels of run() take RGBA, in this format.
  void prepare(Context &context, Layout layout, const GstVideoInfo &info, bool converts,
               const PixelFormat &rgba);

  /// Runs `work (in, out)`, which enqueues kernels that read `in` and write all of `out`, frames of
  /// `info`. If both buffers are the same or hold the same texture, the frame passes unchanged and
  /// there is no picture `out`; with `luma_only` there is then also no chroma. Throws if the
  /// buffers hold other frames. `keeps_chroma`: see Converter::from_rgba().
  using Process = std::function<void(const Picture &in, const Picture &out)>;
  void run(Queue &queue, GstBuffer *in, GstBuffer *out, bool luma_only,
           std::optional<int> keeps_chroma, const Process &work);
  /// Runs `work (out)`, which enqueues kernels that write all of `out`, a frame of `info`.
  void write(Queue &queue, GstBuffer *out, const std::function<void(const Picture &out)> &work);

  // For the work of run():

  /// The frame `in` as RGBA, converted once per frame.
  const Picture &rgba(Queue &queue, const Picture &in);
  /// Runs work on both pictures as RGBA, and converts the result back.
  void run_as_rgba(Queue &queue, const Picture &in, const Picture &out, const Process &work);

  /// Hands a frame to OpenGL, unless its consumers map it. Then it only waits for the device, and
  /// only for a CPU: many consumers map on the GL thread, where that wait would take much longer.
  void prepare_for_gl(GstBuffer *frame, bool consumers_map);

 private:
  using Textures = std::array<GstGLMemory *, 3>;  // one per plane; null beyond the last plane
  sharing::Sharing &sharing_for(const Textures &from, const Textures &to);
  void convert(Queue &queue, const Picture &in, const Picture &out, std::optional<int> keeps_chroma,
               const Process &work);
  GstGLContext *gl_context() const { return gst_glcl_context_gl_context(context_); }

  GstBaseTransform *element_;
  GstGLCLContext *context_;
  std::shared_ptr<sharing::Copies> copies_;
  std::unique_ptr<sharing::Sharing> sharing_;
  // For textures that can't be shared.
  std::unique_ptr<sharing::Sharing> copying_;
  GstVideoInfo info_{};
  Layout layout_ = Layout::image;
  bool shareable_ = true;  // true if the device has images of the format
  bool warned_of_format_ = false;
  bool converts_ = false;
  std::unique_ptr<conversion::Converter> converter_;  // for other formats than RGBA
  const Picture *rgba_ = nullptr;                     // of the current frame
  Picture unread_;  // passed to kernels instead of a frame that they do not read
};

}  // namespace glcl
