// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gstglclfilter.h"

namespace glcl {
class DeferredError;
struct Rectangle;
struct ResultArray;
namespace drawing {
struct Canvas;
}
}  // namespace glcl

#define GST_TYPE_GLCL_ANALYZER (gst_glcl_analyzer_get_type())
G_DECLARE_DERIVABLE_TYPE(GstGLCLAnalyzer, gst_glcl_analyzer, GST, GLCL_ANALYZER, GstGLCLFilter)

/// The base of elements that find something out about frames: the properties `post-messages`,
/// `interval`, `attach-meta` and `attach-overlay`, and numbers that travel from the device to
/// messages while frames go on. They are handed on once they have arrived: on the streaming thread
/// with a later frame, or on a thread of the element's own, one at a time and in order. Before EOS,
/// SEGMENT_DONE, GAP, a new stream, segment or caps, and for a drain query, all are; a flush and a
/// stop drop them. The device may be `gst_glcl_analyzer_depth` reads behind, then the streaming
/// thread waits before it takes another frame.
struct _GstGLCLAnalyzerClass {
  GstGLCLFilterClass parent_class;

  /// No frame follows those so far, whose results have all been handed on, none of them a failure:
  /// what waits for further frames is decided now. On the streaming thread. Optional.
  void (*finish)(GstGLCLAnalyzer *self);
};

constexpr int gst_glcl_analyzer_depth = 8;

namespace glcl {

/// When a frame is.
struct FrameTimes {
  GstClockTime timestamp, stream_time, running_time, duration;
};

/// What is wanted of a frame.
struct FrameRequest {
  FrameTimes times;
  bool message;  ///< one is due, by post-messages and interval
  bool meta;
};

}  // namespace glcl

/// In `prepare`: makes room for reads of up to `bytes`. Throws.
void gst_glcl_analyzer_prepare(GstGLCLAnalyzer *self, glcl::Context &context, size_t bytes);

/// In `process`, once a frame: what is wanted of it. Where a meta is, `outbuf` takes one.
glcl::FrameRequest gst_glcl_analyzer_request(GstGLCLAnalyzer *self, GstBuffer *inbuf);
/// In `process`: enqueues a read of the buffer's first `bytes`, which `take` sees once they have
/// arrived, while a later frame may be under way on the GL thread. What `take` uses beside them it
/// holds itself; the element lives. Never waits. Throws.
void gst_glcl_analyzer_read(GstGLCLAnalyzer *self, glcl::Queue &queue, const cl::Buffer &from,
                            size_t bytes, std::function<void(const void *bytes)> take);

/// In `process`, ahead of the frame's reads: their results count only if `deferred_error` is no
/// failure. A failure is posted as an error as results are handed on, or on stop, read or not; null
/// is none. Throws.
void gst_glcl_analyzer_check_deferred(GstGLCLAnalyzer *self, glcl::Queue &queue,
                                      std::shared_ptr<const glcl::DeferredError> deferred_error);

/// In begin_frame: from this frame on no frame is taken while so many reads of those before are
/// under way, at most `gst_glcl_analyzer_depth`. With 1 the results of a frame are there before the
/// next one is processed.
void gst_glcl_analyzer_set_depth(GstGLCLAnalyzer *self, int depth);
/// Whether messages are wanted at all, by post-messages.
bool gst_glcl_analyzer_posts(GstGLCLAnalyzer *self);

namespace glcl {
/// What is attached to a frame.
struct AttachedResult {
  GstBuffer *buffer;     ///< of the arrays; the structure holds it
  GstStructure *fields;  ///< of the meta, which takes further ones
};
}  // namespace glcl

/// In `process`: attaches a result, which is told of by the name `kind`. Its arrays lie in one
/// buffer of `bytes`: kernels write glcl::result_memory(), then glcl::result_written() says so.
/// Throws.
glcl::AttachedResult gst_glcl_analyzer_attach(GstGLCLAnalyzer *self, GstBuffer *to,
                                              const char *kind, size_t bytes,
                                              const std::vector<glcl::ResultArray> &arrays);

/// Whether the frame under way gets its drawing as an overlay: attach-overlay is set, and
/// downstream takes overlays. Then a frame that only gets a drawing may go on as it came. In
/// begin_frame, passes_on and process.
bool gst_glcl_analyzer_attaches_overlay(GstGLCLAnalyzer *self);
/// Whether the frame under way gets a meta. In begin_frame, passes_on and process.
bool gst_glcl_analyzer_attaches_meta(GstGLCLAnalyzer *self);
/// Whether attach-meta is set now, so that later frames will get metas.
bool gst_glcl_analyzer_wants_metas(GstGLCLAnalyzer *self);
/// In `process`: has `draw` make the frame with a drawing over it or, where it attaches overlays,
/// the drawing alone; then `frame` makes the frame, which without it is a copy. `covered` is where
/// the drawing is at most; none where there is none. A frame that goes on as it came, without a
/// picture `out`, has no drawing over it. Throws.
void gst_glcl_analyzer_draw(GstGLCLAnalyzer *self, glcl::Queue &queue, const glcl::Picture &in,
                            const glcl::Picture &out, GstBuffer *outbuf,
                            const std::optional<glcl::Rectangle> &covered,
                            const std::function<void(const glcl::drawing::Canvas &)> &draw,
                            const std::function<void()> &frame = {});

/// Hands on all that is under way, waiting for it, as EOS does; false where some frame since the
/// last flush or stop failed, so that results are missing or the stream ends too soon. On the
/// streaming thread.
bool gst_glcl_analyzer_drain(GstGLCLAnalyzer *self);

/// A structure for a message: the times of the frame, to which its fields are added.
GstStructure *gst_glcl_analyzer_structure(const char *name, const glcl::FrameTimes &times);
/// Posts it. Where 300 messages wait on a bus that nobody reads it is lost, and a warning says so.
/// Takes the structure.
void gst_glcl_analyzer_post(GstGLCLAnalyzer *self, GstStructure *structure);
