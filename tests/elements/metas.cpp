// SPDX-License-Identifier: LGPL-2.1-or-later
// Metas of a frame that stay valid reach the output.
#include <gst/video/gstvideometa.h>
#include <gst/video/video-overlay-composition.h>

#include "pipeline.h"

using test::Chain;
using test::expect;

namespace {

/// Runs one frame through glclinvert: `attach` sees the buffer before, `check` the one after.
void pass(const std::function<void(GstBuffer *)> &attach,
          const std::function<void(GstBuffer *)> &check) {
  Chain chain("glclinvert");
  using Function = std::function<void(GstBuffer *)>;
  const auto on_buffer = [](GstPad *, GstPadProbeInfo *info, gpointer function) {
    auto *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    (*static_cast<Function *>(function))(buffer);
    return GST_PAD_PROBE_OK;
  };
  int seen = 0;
  Function counted = [&](GstBuffer *buffer) {
    check(buffer);
    seen++;
  };
  GstElement *element = chain["glclinvert"];
  GstPad *sink = gst_element_get_static_pad(element, "sink");
  GstPad *src = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, const_cast<Function *>(&attach),
                    nullptr);
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, &counted, nullptr);
  gst_object_unref(sink);
  gst_object_unref(src);
  const auto frame = reference::random_frame(64, 48);
  test::expect_same(test::inverted(frame), chain.filter(frame), "the frame");
  expect(seen == 1, "one frame came out");
}

/// A meta with a structure, as applications define them.
void check_custom_meta(const char *name, const gchar **tags, bool kept) {
  expect(gst_meta_register_custom(name, tags, nullptr, nullptr, nullptr), "the meta registers");
  pass(
      [&](GstBuffer *buffer) {
        GstCustomMeta *meta = gst_buffer_add_custom_meta(buffer, name);
        gst_structure_set(gst_custom_meta_get_structure(meta), "value", G_TYPE_INT, 42, nullptr);
      },
      [&](GstBuffer *buffer) {
        GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, name);
        fail_unless((meta != nullptr) == kept, "%s is %s", name, kept ? "lost" : "kept");
        gint value = 0;
        if (meta) gst_structure_get_int(gst_custom_meta_get_structure(meta), "value", &value);
        expect(!meta || value == 42, "its content is kept");
      });
}

struct NumberMeta {
  GstMeta meta;
  int number;
};

gboolean copy_number(GstBuffer *to, GstMeta *meta, GstBuffer *, GQuark, gpointer) {
  auto *copy = reinterpret_cast<NumberMeta *>(gst_buffer_add_meta(to, meta->info, nullptr));
  copy->number = reinterpret_cast<NumberMeta *>(meta)->number;
  return TRUE;
}

gboolean clear_number(GstMeta *meta, gpointer, GstBuffer *) {
  reinterpret_cast<NumberMeta *>(meta)->number = 0;
  return TRUE;
}

}  // namespace

TEST(region_of_interest) {
  pass(
      [](GstBuffer *buffer) {
        gst_buffer_add_video_region_of_interest_meta(buffer, "face", 3, 4, 20, 30);
        gst_buffer_add_video_region_of_interest_meta(buffer, "car", 1, 2, 10, 11);
      },
      [](GstBuffer *buffer) {
        expect(gst_buffer_get_n_meta(buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) == 2,
               "both regions are kept");
        gpointer state = nullptr;
        const auto *region =
            reinterpret_cast<GstVideoRegionOfInterestMeta *>(gst_buffer_iterate_meta_filtered(
                buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
        expect(region->roi_type == g_quark_from_string("face") && region->x == 3 &&
                   region->y == 4 && region->w == 20 && region->h == 30,
               "the first region is as it was");
      });
}

TEST(overlay_composition) {
  pass(
      [](GstBuffer *buffer) {
        GstBuffer *pixels = gst_buffer_new_allocate(nullptr, 4 * 4 * 4, nullptr);
        gst_buffer_memset(pixels, 0, 255, 4 * 4 * 4);
        gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE,
                                  GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 4, 4);
        GstVideoOverlayRectangle *rectangle = gst_video_overlay_rectangle_new_raw(
            pixels, 5, 6, 4, 4, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
        GstVideoOverlayComposition *composition = gst_video_overlay_composition_new(rectangle);
        gst_buffer_add_video_overlay_composition_meta(buffer, composition);
        gst_video_overlay_composition_unref(composition);
        gst_video_overlay_rectangle_unref(rectangle);
        gst_buffer_unref(pixels);
      },
      [](GstBuffer *buffer) {
        const auto *meta = gst_buffer_get_video_overlay_composition_meta(buffer);
        expect(meta, "the overlay is kept");
        GstVideoOverlayRectangle *rectangle =
            gst_video_overlay_composition_get_rectangle(meta->overlay, 0);
        gint x = 0, y = 0;
        guint width = 0, height = 0;
        gst_video_overlay_rectangle_get_render_rectangle(rectangle, &x, &y, &width, &height);
        expect(x == 5 && y == 6 && width == 4 && height == 4, "its place is kept");
      });
}

// Caps with the feature for overlays are negotiated through the element.
TEST(overlay_caps) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=3 ! video/x-raw,format=RGBA,width=64,height=48 ! glupload ! "
      "overlaycomposition ! glclinvert ! "
      "video/x-raw(memory:GLMemory,meta:GstVideoOverlayComposition) ! fakesink");
  expect(pipeline.run(), "overlay caps negotiate");
}

TEST(custom_metas) {
  const gchar *none[] = {nullptr};
  const gchar *video[] = {GST_META_TAG_VIDEO_STR, nullptr};
  const gchar *all[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                        GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_COLORSPACE_STR,
                        nullptr};
  const gchar *memory[] = {GST_META_TAG_MEMORY_STR, nullptr};
  check_custom_meta("GlclTestUntaggedMeta", none, true);
  check_custom_meta("GlclTestVideoMeta", video, true);
  check_custom_meta("GlclTestTaggedMeta", all, true);
  check_custom_meta("GlclTestMemoryMeta", memory, false);
}

TEST(compiled_meta) {
  static const gchar *tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                GST_META_TAG_VIDEO_ORIENTATION_STR, nullptr};
  const GType api = gst_meta_api_type_register("GlclTestNumberMetaAPI", tags);
  const GstMetaInfo *info = gst_meta_register(api, "GlclTestNumberMeta", sizeof(NumberMeta),
                                              clear_number, nullptr, copy_number);
  pass(
      [&](GstBuffer *buffer) {
        reinterpret_cast<NumberMeta *>(gst_buffer_add_meta(buffer, info, nullptr))->number = 7;
      },
      [&](GstBuffer *buffer) {
        const auto *meta = reinterpret_cast<NumberMeta *>(gst_buffer_get_meta(buffer, api));
        expect(meta && meta->number == 7, "the meta and its content are kept");
      });
}

TEST(times_and_flags) {
  pass(
      [](GstBuffer *buffer) {
        GST_BUFFER_PTS(buffer) = 3 * GST_SECOND;
        GST_BUFFER_DURATION(buffer) = 40 * GST_MSECOND;
        GST_BUFFER_OFFSET(buffer) = 75;
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_MARKER);
      },
      [](GstBuffer *buffer) {
        expect(GST_BUFFER_PTS(buffer) == 3 * GST_SECOND &&
                   GST_BUFFER_DURATION(buffer) == 40 * GST_MSECOND &&
                   GST_BUFFER_OFFSET(buffer) == 75 &&
                   GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_MARKER),
               "times and flags are kept");
        expect(gst_is_gl_memory(gst_buffer_peek_memory(buffer, 0)), "the frame is a texture");
      });
}

TEST(caps_are_kept) {
  const char *const caps =
      "video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48,framerate=30000/1001,"
      "pixel-aspect-ratio=12/11,colorimetry=sRGB,interlace-mode=progressive,texture-target=2D";
  test::Pipeline pipeline(std::string("gltestsrc num-buffers=2 ! ") + caps +
                          " ! glclinvert ! fakesink");
  expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  GstCaps *wanted = gst_caps_from_string(caps);
  for (const char *name : {"sink", "src"}) {
    GstPad *pad = gst_element_get_static_pad(pipeline["glclinvert"], name);
    GstCaps *got = gst_pad_get_current_caps(pad);
    gchar *text = gst_caps_to_string(got);
    fail_unless(gst_caps_is_subset(got, wanted), "the %s pad has %s", name, text);
    g_free(text);
    gst_caps_unref(got);
    gst_object_unref(pad);
  }
  gst_caps_unref(wanted);
}
