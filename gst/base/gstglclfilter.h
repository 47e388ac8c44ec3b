// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>
#include <gst/gl/gstglfilter.h>

#include <functional>
#include <optional>

#include "gst-glcl/gstglclcontext.h"
#include "opencl/frameformat.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

#define GST_TYPE_GLCL_FILTER (gst_glcl_filter_get_type())
G_DECLARE_DERIVABLE_TYPE(GstGLCLFilter, gst_glcl_filter, GST, GLCL_FILTER, GstGLFilter)

namespace glcl {
/// Virtual functions of elements whose output is delayed by a number of frames.
struct WaitingClass {
  /// The number of frames by which the current settings delay the output. Optional: without it
  /// there is no delay. A frame with a delay must pass on: `process` keeps a copy of it, and
  /// `release` renders it later. Any thread.
  int (*delay)(GstGLCLFilter *self);
  /// Enqueues the kernels that write all of `out` from the oldest frame that `process` has kept.
  /// `outbuf` has the metas of that frame. False if the frame is lost, with another GL context.
  bool (*release)(GstGLCLFilter *self, Queue &queue, const Picture &out, GstBuffer *outbuf);
  /// Drops all frames that `process` has kept.
  void (*drop)(GstGLCLFilter *self);
  /// Renders the oldest frame that waits, with `release`. A subclass that overrides it must chain
  /// up.
  GstFlowReturn (*render)(GstGLCLFilter *self, GstBuffer *outbuf);
};
}  // namespace glcl

/// The base of every element: textures of one size and format in and out, an OpenCL context shared
/// with its neighbours, and the properties `device`, `sharing`, `active-sharing`, `profile` and
/// `stats`.
///
/// All virtual functions run one at a time, on the streaming thread, but unprepare may also run on
/// the thread of the GL context. They may throw glcl::Error, cl::Error or any std::exception; the
/// base posts it as an element error. `process` must not use OpenGL or wait for its thread. A
/// subclass that overrides before_transform, an event handler or change_state must chain up.
struct _GstGLCLFilterClass {
  GstGLFilterClass parent_class;

  /// Called before the first frame of a size or of an OpenCL context: build the programs and
  /// allocate memory for frames of width × height px. Returns the layout of the pictures for
  /// `process`.
  glcl::Layout (*prepare)(GstGLCLFilter *self, glcl::Context &context, int width, int height);

  /// Called instead of `prepare` if the next frames differ only in their pixel format or colours,
  /// so that state of earlier frames stays. Optional: without it `prepare` and `reset` are called.
  glcl::Layout (*set_format)(GstGLCLFilter *self, glcl::Context &context, int width, int height);

  /// Enqueues the kernels that read `in` and write all of `out`, both RGBA unless takes_planes;
  /// must not wait. The buffers are for timestamps and metas; do not map them.
  void (*process)(GstGLCLFilter *self, glcl::Queue &queue, const glcl::Picture &in,
                  const glcl::Picture &out, GstBuffer *inbuf, GstBuffer *outbuf);

  /// Copies the settings of the next frame for passes_on and process, because properties may change
  /// between the two. Optional.
  void (*begin_frame)(GstGLCLFilter *self);

  /// True if the next frame passes unchanged: then `process` gets no picture `out`, and metas go to
  /// `outbuf`, which holds the memory of `inbuf`. Optional: without it every frame is written.
  bool (*passes_on)(GstGLCLFilter *self);

  /// Resets all state of earlier frames because the next one does not follow them: DISCONT, flush,
  /// new segment, new caps, another GL context, a restart. Optional. It is not called after frames
  /// dropped by QoS or between groups of frames played backward, although these are marked as
  /// discontinuities.
  void (*reset)(GstGLCLFilter *self);

  /// Frees everything created in `prepare`. Optional.
  void (*unprepare)(GstGLCLFilter *self);

  /// For elements whose output is delayed.
  glcl::WaitingClass waiting;

  /// True if `process` gets frames with a luma plane in their own format, not as RGBA; see
  /// gst_glcl_filter_frame_format.
  bool takes_planes;
  /// True if `process` gets frames of more than 8 bits as PixelFormat::rgba64. Not with
  /// takes_planes.
  bool takes_deep;
  /// True if the current settings read only the luma of such frames: then `in` has no chroma if
  /// there is no `out`. Optional: without it `in` has all planes.
  bool (*reads_luma)(GstGLCLFilter *self);

  /// If set, the current settings change only the luma of frames in YUV, which keep their chroma
  /// but that of pixels in this column, −1 for none. Not with takes_planes. Optional: without it
  /// chroma follows from the colours.
  std::optional<int> (*keeps_chroma)(GstGLCLFilter *self);

  /// If true, a frame after a gap of more than four frames, or one that jumps back in time, does
  /// not follow the previous one either.
  bool gaps_break;
  /// True if the current settings only read single pixels of one frame, so that interlaced frames
  /// are processed correctly. Optional: without it interlaced frames cause a warning.
  bool (*takes_fields)(GstGLCLFilter *self);
};

/// The context in use, for `prepare` and `process`; borrowed.
GstGLCLContext *gst_glcl_filter_context(GstGLCLFilter *self);
/// True if the element has posted an error since the last flush or READY. Some errors are only
/// known when a frame is mapped downstream.
bool gst_glcl_filter_has_failed(GstGLCLFilter *self);
/// True if a frame has passed since READY: from then on a wrong setting causes a warning, not an
/// error.
bool gst_glcl_filter_has_begun(GstGLCLFilter *self);
/// How kernels of this layout access the frames of `process`, for `prepare`.
glcl::FrameFormat gst_glcl_filter_frame_format(GstGLCLFilter *self, glcl::Layout layout);
/// The frame `in` of `process` as RGBA. Its planes must all be there. Valid until `process`
/// returns.
const glcl::Picture &gst_glcl_filter_rgba(GstGLCLFilter *self, glcl::Queue &queue,
                                          const glcl::Picture &in);
/// Runs work that reads `in` and writes `out`, both in RGBA; `in` and `out` of `process` in any
/// format. Pixels that the work leaves as they were keep their values in all planes.
void gst_glcl_filter_run_as_rgba(
    GstGLCLFilter *self, glcl::Queue &queue, const glcl::Picture &in, const glcl::Picture &out,
    const std::function<void(const glcl::Picture &in, const glcl::Picture &out)> &work);
/// The delay of the current frame, frames, for passes_on, reads_luma and process.
int gst_glcl_filter_frame_delay(GstGLCLFilter *self);
/// Pushes all frames that wait for later ones. Streaming thread.
void gst_glcl_filter_drain(GstGLCLFilter *self);
/// Pixel aspect ratio (width by height) of the frames, for `prepare` and `process`.
float gst_glcl_filter_pixel_aspect(GstGLCLFilter *self);
/// Call in `process` if the computation assumes square pixels. If they are not square, the element
/// warns once per start that `what`, for example "rotations and scales of templates", differ from
/// the displayed ones.
void gst_glcl_filter_counts_square(GstGLCLFilter *self, const char *what);
/// Runs work outside the virtual functions and posts its exceptions; false after an exception.
bool gst_glcl_filter_guard(GstGLCLFilter *self, const std::function<void()> &work);
