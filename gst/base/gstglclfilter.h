// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gl/gl.h>
#include <gst/gl/gstglfilter.h>

#include <functional>

#include "gstglclcontext.h"
#include "opencl/format.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

#define GST_TYPE_GLCL_FILTER (gst_glcl_filter_get_type())
G_DECLARE_DERIVABLE_TYPE(GstGLCLFilter, gst_glcl_filter, GST, GLCL_FILTER, GstGLFilter)

/// The base of every element: textures of one size in and out, an OpenCL context shared with
/// its neighbours, and the properties `device`, `sharing`, `active-sharing`, `profile` and `stats`.
///
/// All virtual functions but begin_frame, passes_on and takes_fields run on the thread of the GL
/// context, one at a time, and may throw glcl::Error, cl::Error or any std::exception: the base
/// posts it as an element error. A subclass that overrides before_transform, an event or
/// change_state chains up.
struct _GstGLCLFilterClass {
  GstGLFilterClass parent_class;

  /// Before the first frame of a size or of an OpenCL context: build the programs and allocate what
  /// frames of width × height px need. Gives the layout in which `process` wants its pictures.
  glcl::Layout (*prepare)(GstGLCLFilter *self, glcl::Context &context, int width, int height);

  /// Enqueues the kernels that read `in` and write all of `out`; doesn't wait. The buffers are for
  /// timestamps and metas, and need no mapping.
  void (*process)(GstGLCLFilter *self, glcl::Queue &queue, const glcl::Picture &in,
                  const glcl::Picture &out, GstBuffer *inbuf, GstBuffer *outbuf);

  /// Copies the settings for the next frame, which passes_on and process use: properties may change
  /// between the two. On the streaming thread. Optional.
  void (*begin_frame)(GstGLCLFilter *self);

  /// Whether the next frame goes on as it came, because there is nothing to change in it: then
  /// `process` gets no picture `out`, and metas go to `outbuf`, which holds the memory of `inbuf`.
  /// On the streaming thread. Optional: without it every frame is written.
  bool (*passes_on)(GstGLCLFilter *self);

  /// Forgets what earlier frames left, because the next one does not follow them: DISCONT, flush,
  /// new segment, new caps, another GL context, a restart. Optional. Neither frames dropped because
  /// somebody is late nor groups of frames played backward break a stream, though they come marked
  /// as discontinuities.
  void (*reset)(GstGLCLFilter *self);

  /// Drops everything made in `prepare`. Optional.
  void (*unprepare)(GstGLCLFilter *self);

  /// A frame that comes after a gap of more than four frames, or from the other side of the one
  /// before it, does not follow that one either.
  bool gaps_break;
  /// Whether what it does now looks at single pixels of one frame, so that frames of two fields are
  /// as good as any other. On the streaming thread. Optional: without it they never are.
  bool (*takes_fields)(GstGLCLFilter *self);
};

/// In class_init: names the formats of frames that the element takes, and gives as it gets them.
/// Its pads' caps come from there.
void gst_glcl_filter_class_set_formats(GstGLCLFilterClass *klass,
                                       std::initializer_list<const glcl::PixelFormat *> formats);

/// The context in use, in `prepare` and `process`; borrowed.
GstGLCLContext *gst_glcl_filter_context(GstGLCLFilter *self);
/// Whether it has posted an error since the last flush or READY, some of which are known only when
/// a frame is mapped further down.
bool gst_glcl_filter_has_failed(GstGLCLFilter *self);
/// Whether a frame has gone through since READY: from then on a wrong setting is warned of, and
/// ends nothing.
bool gst_glcl_filter_has_begun(GstGLCLFilter *self);
/// By how much the frames' pixels are shown wider than high, in `prepare` and `process`.
float gst_glcl_filter_pixel_aspect(GstGLCLFilter *self);
/// In `process`: what it does now counts pixels as if they were square. Where they are not, it
/// warns once a start that `what`, as "turns and scales of templates", are not those that are seen.
void gst_glcl_filter_counts_square(GstGLCLFilter *self, const char *what);
/// Runs work outside of the virtual functions and posts what it throws; false where it did.
bool gst_glcl_filter_guard(GstGLCLFilter *self, const std::function<void()> &work);
