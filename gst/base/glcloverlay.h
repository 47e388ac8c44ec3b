// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings separate from frames. They are blended over the planes of a frame, or attached to it as
// a GstVideoOverlayCompositionMeta, which glimagesink or gloverlaycompositor renders. Analysers in
// between see the plain frame.
#pragma once

#include <gst/video/video-overlay-composition.h>

#include <deque>
#include <functional>
#include <memory>

#include "conversion/blender.h"
#include "drawing/canvas.h"
#include "glclresult.h"
#include "opencl/rect.h"

namespace glcl {

/// Puts drawings over the frames of an element, in their own format.
class Overlay {
 public:
  Overlay() = default;
  Overlay(const Overlay &) = delete;
  ~Overlay() { clear(); }

  /// Builds the blender for frames of width × height px with a luma plane; other formats need none.
  /// Throws.
  void prepare(Context &context, int width, int height, const FrameFormat &frame);

  using Draw = std::function<void(const drawing::Canvas &)>;
  /// Renders a whole frame in planes from the input frame.
  using Frame = std::function<void(const Picture &in, const Picture &out)>;
  /// Enqueues the frame `out`: the planes of `in`, or if `frame` is set its result, with the
  /// drawing on top. `covered` bounds the drawing. Throws.
  void blend(Queue &queue, const Picture &in, const Rect &covered, const Draw &draw,
             const Frame &frame, const Picture &out);
  /// Enqueues a drawing as an overlay of the frame `in` and attaches its rectangle to the buffer,
  /// above earlier overlays. The drawing stays on the device until it is mapped. GL thread. Throws.
  void attach(GstGLCLContext *context, Queue &queue, const Picture &in, const Rect &covered,
              const Draw &draw, GstBuffer *to);
  /// Releases everything.
  void clear();

 private:
  void draw(Queue &queue, const Picture &in, const Draw &draw);

  std::unique_ptr<conversion::Blender> blender_;  // for frames with a plane of luma
  Picture drawn_;
  Picture unread_;  // passed to kernels instead of a frame in another format
  Picture below_;   // a rendered frame in planes
  std::unique_ptr<ResultPool> pool_;
  // The latest rectangles. GstGLOverlayCompositor identifies them by address, so a new one must not
  // reuse the address of the previous one.
  std::deque<GstVideoOverlayRectangle *> recent_;
};

/// True if the caps have the feature for overlay metas.
bool has_overlays(GstCaps *caps);
/// Adds that feature to caps.
GstCaps *with_overlays(GstCaps *caps);
/// Transforms caps for an element that may attach overlays; `direction` is that of the pad with
/// `caps`. Fixed sink caps get the feature if downstream elements accept it.
GstCaps *transform_overlay_caps(GstPad *src, GstPadDirection direction, GstCaps *caps);

}  // namespace glcl
