// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings apart from frames. They are put over the planes of a frame, or attached to it as a
// GstVideoOverlayCompositionMeta, which glimagesink or gloverlaycompositor draws. Analysers in
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

  /// Builds what puts drawings over frames of width × height px with a plane of luma; for others
  /// nothing is needed. Throws.
  void prepare(Context &context, int width, int height, const FrameFormat &frame);

  using Draw = std::function<void(const drawing::Canvas &)>;
  /// Renders all of a frame in planes from another.
  using Frame = std::function<void(const Picture &in, const Picture &out)>;
  /// Enqueues `out`: the planes of the frame `in`, or if there is a `frame` what it renders, with a
  /// drawing, which `covered` bounds. Throws.
  void blend(Queue &queue, const Picture &in, const Rect &covered, const Draw &draw,
             const Frame &frame, const Picture &out);
  /// Enqueues a drawing as an overlay of the frame `in` and attaches its rectangle to the buffer,
  /// above earlier overlays. It stays on the device until it is mapped. GL thread. Throws.
  void attach(GstGLCLContext *context, Queue &queue, const Picture &in, const Rect &covered,
              const Draw &draw, GstBuffer *to);
  /// Releases everything.
  void clear();

 private:
  void draw(Queue &queue, const Picture &in, const Draw &draw);

  std::unique_ptr<conversion::Blender> blender_;  // for frames with a plane of luma
  Picture drawn_;
  Picture unread_;  // for kernels, in place of a frame in another format
  Picture below_;   // a rendered frame in planes
  std::unique_ptr<ResultPool> pool_;
  // The latest rectangles. GstGLOverlayCompositor identifies them by address, so a new one must not
  // reuse the address of the previous one.
  std::deque<GstVideoOverlayRectangle *> kept_;
};

/// True if the caps announce such metas.
bool has_overlays(GstCaps *caps);
/// Adds that feature to caps.
GstCaps *with_overlays(GstCaps *caps);
/// Caps of an element's other side where it may attach them: `direction` is of the pad with `caps`.
/// Fixed ones of the sink pad get the feature if the elements behind take it.
GstCaps *transform_overlay_caps(GstPad *src, GstPadDirection direction, GstCaps *caps);

}  // namespace glcl
