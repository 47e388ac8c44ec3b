// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawings attached to frames as a GstVideoOverlayCompositionMeta, which glimagesink or
// gloverlaycompositor draws. Analysers in between see the plain frame.
#pragma once

#include <gst/video/video-overlay-composition.h>

#include <deque>
#include <functional>
#include <memory>

#include "drawing/canvas.h"
#include "glclresult.h"
#include "opencl/rect.h"

namespace glcl {

class Overlay {
 public:
  Overlay() = default;
  Overlay(const Overlay &) = delete;
  ~Overlay() { clear(); }

  /// Enqueues a drawing as an overlay of the frame `in` and attaches its rectangle to the buffer,
  /// above earlier overlays. It stays on the device until it is mapped. GL thread. Throws.
  void attach(GstGLCLContext *context, Queue &queue, const Picture &in, const Rect &covered,
              const std::function<void(const drawing::Canvas &)> &draw, GstBuffer *to);
  /// Releases everything.
  void clear();

 private:
  Picture drawn_;
  Picture unread_;  // for kernels, in place of a frame in another format
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
