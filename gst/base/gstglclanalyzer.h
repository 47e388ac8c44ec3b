// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gstglclfilter.h"

namespace glcl {
class DeferredError;
struct Rect;
struct ResultArray;
namespace drawing {
struct Canvas;
}
}  // namespace glcl

#define GST_TYPE_GLCL_ANALYZER (gst_glcl_analyzer_get_type())
G_DECLARE_DERIVABLE_TYPE(GstGLCLAnalyzer, gst_glcl_analyzer, GST, GLCL_ANALYZER, GstGLCLFilter)

/// Base class of analysers: the properties `post-messages`, `interval`, `attach-meta` and
/// `attach-overlay`, and results that are downloaded for messages while frames pass. Results are
/// delivered once they have arrived, one at a time and in order: on the streaming thread with a
/// later frame, or on the element's own thread. All are delivered before EOS, SEGMENT_DONE, GAP, a
/// new stream, segment or caps, and for a drain query. A flush and a stop drop them. If the device
/// is `gst_glcl_analyzer_depth` reads late, the streaming thread waits before it takes another
/// frame.
struct _GstGLCLAnalyzerClass {
  GstGLCLFilterClass parent_class;

  /// Called when no further frame follows and all results were delivered without failure: finish
  /// everything that waits for further frames. Streaming thread. Optional.
  void (*finish)(GstGLCLAnalyzer *self);
};

constexpr int gst_glcl_analyzer_depth = 8;

namespace glcl {

/// Times of a frame.
struct FrameTimes {
  GstClockTime timestamp, stream_time, running_time, duration;
};

/// Requested results of a frame.
struct FrameRequest {
  FrameTimes times;
  bool message;  ///< a message is due, by post-messages and interval
  bool meta;
};

}  // namespace glcl

/// Call in `prepare`: allocates memory for reads of up to `bytes`. Throws.
void gst_glcl_analyzer_prepare(GstGLCLAnalyzer *self, glcl::Context &context, size_t bytes);

/// Call in `process` once per frame: returns the requested results. If a meta is requested,
/// `outbuf` is writable.
glcl::FrameRequest gst_glcl_analyzer_request(GstGLCLAnalyzer *self, GstBuffer *inbuf);
/// Call in `process`: enqueues a read of the buffer's first `bytes` and calls `take` once they have
/// arrived, possibly while the GL thread processes a later frame. `take` must own everything else
/// it uses; the element stays alive. Never waits. Throws.
void gst_glcl_analyzer_read(GstGLCLAnalyzer *self, glcl::Queue &queue, const cl::Buffer &from,
                            size_t bytes, std::function<void(const void *bytes)> take);

/// Call in `process` before the reads of the frame: their results are valid only if
/// `deferred_error` is not a failure. A failure is posted as an error when results are delivered,
/// or at the latest on stop; null is ignored. Throws.
void gst_glcl_analyzer_check_deferred(GstGLCLAnalyzer *self, glcl::Queue &queue,
                                      std::shared_ptr<const glcl::DeferredError> deferred_error);

/// Call in begin_frame: from this frame on, no frame is taken while this many earlier reads are
/// pending, at most `gst_glcl_analyzer_depth`. With 1 the results of a frame arrive before the next
/// one is processed.
void gst_glcl_analyzer_set_depth(GstGLCLAnalyzer *self, int depth);
/// True if post-messages is set.
bool gst_glcl_analyzer_posts(GstGLCLAnalyzer *self);

namespace glcl {
/// The result attached to a frame.
struct AttachedResult {
  GstBuffer *buffer;     ///< buffer of the arrays; owned by the structure
  GstStructure *fields;  ///< fields of the meta; add further ones here
};
}  // namespace glcl

/// Call in `process`: attaches a result named `kind`. Its arrays lie in one buffer of `bytes`:
/// enqueue kernels that write glcl::result_memory(), then call glcl::result_written(). Throws.
glcl::AttachedResult gst_glcl_analyzer_attach(GstGLCLAnalyzer *self, GstBuffer *to,
                                              const char *kind, size_t bytes,
                                              const std::vector<glcl::ResultArray> &arrays);

/// True if the current frame gets its drawing as an overlay: attach-overlay is set, and downstream
/// accepts overlays. Then a frame that only gets a drawing may pass unchanged. For begin_frame,
/// passes_on and process.
bool gst_glcl_analyzer_attaches_overlay(GstGLCLAnalyzer *self);
/// True if the current frame gets a meta. For begin_frame, passes_on and process.
bool gst_glcl_analyzer_attaches_meta(GstGLCLAnalyzer *self);
/// True if attach-meta is set now, so that later frames will get metas.
bool gst_glcl_analyzer_wants_metas(GstGLCLAnalyzer *self);
namespace glcl {
/// Renders a drawing on a canvas.
using RenderDrawing = std::function<void(const drawing::Canvas &)>;
/// Renders all of the frame `out` from the frame `in`, in their own format.
using RenderFrame = std::function<void(const Picture &in, const Picture &out)>;
}  // namespace glcl

/// Call in `process`: renders the frame `out`. `draw` renders the drawing, which `covered` bounds:
/// over the frame in RGBA, or separately for an overlay or a frame in planes. Without `covered`
/// there is no drawing. `frame` renders the frame (default: a copy); in RGBA `draw` must do so too.
/// A frame that passes unchanged, without a picture `out`, gets no drawing. Throws.
void gst_glcl_analyzer_draw(GstGLCLAnalyzer *self, glcl::Queue &queue, const glcl::Picture &in,
                            const glcl::Picture &out, GstBuffer *outbuf,
                            const std::optional<glcl::Rect> &covered,
                            const glcl::RenderDrawing &draw, const glcl::RenderFrame &frame = {});

/// Waits for all pending results and delivers them, as on EOS. Returns false if a frame since the
/// last flush or stop failed, so that results are missing or the stream ends early. Streaming
/// thread.
bool gst_glcl_analyzer_drain(GstGLCLAnalyzer *self);

/// Creates the structure of a message with the times of the frame; add its fields.
GstStructure *gst_glcl_analyzer_structure(const char *name, const glcl::FrameTimes &times);
/// Posts the message. If 300 unread messages wait on the bus, it is dropped with a warning. Takes
/// ownership of the structure.
void gst_glcl_analyzer_post(GstGLCLAnalyzer *self, GstStructure *structure);
/// Sends the structure downstream as a custom event that overtakes frames, for elements such as
/// glclgate. If post-messages is set, it also posts the message. Takes ownership of the structure.
void gst_glcl_analyzer_announce(GstGLCLAnalyzer *self, GstStructure *structure);
