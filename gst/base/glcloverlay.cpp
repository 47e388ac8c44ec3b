// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glcloverlay.h"

namespace glcl {

namespace {

constexpr size_t kept_rectangles = 8;

GstBuffer *read_back(ResultPool &pool, Queue &queue, const Picture &drawn, const Rect &covered) {
  const size_t x = covered.x, y = covered.y, width = covered.width, height = covered.height;
  GstBuffer *pixels = pool.acquire();
  const cl::Buffer &memory = result_memory(pixels);
  try {
    if (drawn.layout == Layout::image)
      queue.cl().enqueueCopyImageToBuffer(drawn.image, memory, {x, y, 0}, {width, height, 1}, 0);
    else
      queue.cl().enqueueCopyBufferRect(drawn.buffer, memory, {4 * x, y, 0}, {0, 0, 0},
                                       {4 * width, height, 1}, drawn.row_bytes(), 0, 4 * width, 0);
    result_written(pixels, queue);
  } catch (...) {
    gst_buffer_unref(pixels);
    throw;
  }
  gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, covered.width,
                            covered.height);
  return pixels;
}

void add_rectangle(GstBuffer *to, GstVideoOverlayRectangle *rectangle) {
  if (GstVideoOverlayCompositionMeta *meta = gst_buffer_get_video_overlay_composition_meta(to)) {
    GstVideoOverlayComposition *all = gst_video_overlay_composition_copy(meta->overlay);
    gst_video_overlay_composition_add_rectangle(all, rectangle);
    gst_video_overlay_composition_unref(meta->overlay);
    meta->overlay = all;
    return;
  }
  GstVideoOverlayComposition *all = gst_video_overlay_composition_new(rectangle);
  gst_buffer_add_video_overlay_composition_meta(to, all);
  gst_video_overlay_composition_unref(all);
}

GstCaps *change_feature(GstCaps *caps, void (*change)(GstCapsFeatures *, const gchar *)) {
  GstCaps *changed = gst_caps_copy(caps);
  for (guint i = 0; i < gst_caps_get_size(changed); i++) {
    GstCapsFeatures *features = gst_caps_features_copy(gst_caps_get_features(changed, i));
    change(features, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
    gst_caps_set_features(changed, i, features);
  }
  return changed;
}

/// True if the elements downstream of a pad list such caps explicitly, and do not only accept ANY.
bool taken_behind(GstPad *src, GstCaps *caps) {
  GstCaps *peer = gst_pad_peer_query_caps(src, nullptr);
  const bool taken = !gst_caps_is_any(peer) && gst_caps_can_intersect(peer, caps);
  gst_caps_unref(peer);
  return taken;
}

}  // namespace

void Overlay::prepare(Context &context, int width, int height, const FrameFormat &frame) {
  blender_ = frame.pixels->has_luma()
                 ? std::make_unique<conversion::Blender>(context, width, height, frame)
                 : nullptr;
  drawn_ = {};
  unread_ = {};
  below_ = {};
}

void Overlay::draw(Queue &queue, const Picture &in, const Draw &draw) {
  if (drawn_.width != in.width || drawn_.height != in.height || drawn_.layout != in.layout)
    drawn_ = make_picture(queue.context().cl(), in.width, in.height, in.layout);
  const bool is_rgba = in.format == &PlaneFormat::rgba8;
  if (!is_rgba && (unread_.width != in.width || unread_.height != in.height))
    unread_ = make_picture(queue.context().cl(), in.width, in.height, in.layout);
  draw({is_rgba ? in : unread_, drawn_, true, is_rgba});
}

void Overlay::blend(Queue &queue, const Picture &in, const Rect &covered, const Draw &draw,
                    const Frame &frame, const Picture &out) {
  this->draw(queue, in, draw);
  if (frame && !below_) below_ = make_frame_like(queue.context().cl(), in);
  if (frame) frame(in, below_);
  blender_->run(queue, frame ? below_ : in, drawn_, covered, out);
}

void Overlay::attach(GstGLCLContext *context, Queue &queue, const Picture &in, const Rect &covered,
                     const Draw &draw, GstBuffer *to) {
  this->draw(queue, in, draw);
  const size_t bytes = size_t(4) * covered.width * covered.height;
  if (!pool_ || !pool_->suits(context, bytes)) pool_ = std::make_unique<ResultPool>(context, bytes);
  GstBuffer *pixels = read_back(*pool_, queue, drawn_, covered);
  GstVideoOverlayRectangle *rectangle = gst_video_overlay_rectangle_new_raw(
      pixels, covered.x, covered.y, covered.width, covered.height,
      GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
  gst_buffer_unref(pixels);
  add_rectangle(to, rectangle);
  recent_.push_back(rectangle);
  if (recent_.size() <= kept_rectangles) return;
  gst_video_overlay_rectangle_unref(recent_.front());
  recent_.pop_front();
}

void Overlay::clear() {
  for (GstVideoOverlayRectangle *rectangle : recent_) gst_video_overlay_rectangle_unref(rectangle);
  recent_.clear();
  pool_.reset();
  blender_.reset();
  drawn_ = {};
  unread_ = {};
  below_ = {};
}

bool has_overlays(GstCaps *caps) {
  const GstCapsFeatures *features = caps ? gst_caps_get_features(caps, 0) : nullptr;
  return features &&
         gst_caps_features_contains(features, GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
}

GstCaps *with_overlays(GstCaps *caps) {
  return change_feature(caps, [](GstCapsFeatures *features, const gchar *feature) {
    if (!gst_caps_features_contains(features, feature)) gst_caps_features_add(features, feature);
  });
}

GstCaps *transform_overlay_caps(GstPad *src, GstPadDirection direction, GstCaps *caps) {
  if (direction == GST_PAD_SRC)
    return gst_caps_merge(gst_caps_ref(caps),
                          change_feature(caps, [](GstCapsFeatures *features, const gchar *feature) {
                            gst_caps_features_remove(features, feature);
                          }));
  GstCaps *with = with_overlays(caps);
  if (!gst_caps_is_fixed(caps)) return gst_caps_merge(with, gst_caps_ref(caps));
  if (taken_behind(src, with)) return with;
  gst_caps_unref(with);
  return gst_caps_ref(caps);
}

}  // namespace glcl
