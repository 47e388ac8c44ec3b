// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements in a row, with other elements between them: pixels, and number of transfers per frame.
#include <algorithm>
#include <vector>

#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

/// An even number of inversions gives the frame, an odd number its negative.
Frame inverted_times(const Frame &frame, int times) { return times % 2 ? inverted(frame) : frame; }

/// Transfers of all gst-glcl elements in a chain.
guint64 copies_of(GstElement *bin) {
  guint64 copies = 0;
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(bin));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    auto *element = GST_ELEMENT(g_value_get_object(&item));
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "active-sharing"))
      copies += test::stat(element, "copies");
    g_value_unset(&item);
  }
  gst_iterator_free(elements);
  return copies;
}

std::string row(int count, const std::string &between = " ! ") {
  std::string text = "glclinvert";
  for (int i = 1; i < count; i++) text += between + "glclinvert";
  return text;
}

constexpr int frames = 8;

/// Pushes frames and expects this number of transfers per frame with the sharing method `copy`.
void check_row(const std::string &elements, int inversions, guint64 copies) {
  Chain chain(elements);
  for (int i = 0; i < frames; i++) {
    const Frame frame = reference::random_frame(50, 33, i);
    expect_same(inverted_times(frame, inversions), chain.filter(frame),
                elements + ", frame " + std::to_string(i));
  }
  const guint64 counted = copies_of(chain.bin());
  expect(counted == (test::copies_frames() ? frames * copies : 0),
         elements + ": " + std::to_string(counted) + " transfers of " + std::to_string(frames) +
             " frames");
  test::expect_none(chain.messages().errors());
}

}  // namespace

// A row transfers a frame in and out once, with any number of elements.
TEST(rows) {
  for (const int count : {1, 2, 4}) {
    check_row(row(count), count, 2);
    check_row(row(count, " ! queue ! "), count, 2);
    check_row(row(count, " ! identity ! "), count, 2);
  }
}

TEST(analysers_in_the_row) {
  check_row(
      "glclhistogram ! glclinvert ! glclmotion ! queue ! glopenclflow display=none "
      "attach-meta=true "
      "! glclinvert ! glclhistogram attach-meta=true",
      2, 3);  // both of the first two read the frame of glupload
  check_row("gleffects_identity ! glclhistogram ! glclmotion ! glclinvert", 1, 3);
}

// A GL element in between moves the frame from OpenCL to OpenGL and back.
TEST(opengl_between) {
  check_row("glclinvert ! gleffects_identity ! glclinvert", 2, 5);
  check_row("gleffects_identity ! " + row(2) + " ! gleffects_identity", 2, 3);
  // gldownload and glupload pass on GstGLMemory, whatever the caps say.
  check_row(row(2) + " ! gldownload ! glupload ! glcolorconvert ! " + row(2), 4, 2);
}

// No element needs a frame that a fakesink drops.
TEST(no_element_maps) {
  Pipeline pipeline(
      "videotestsrc num-buffers=8 ! video/x-raw,format=RGBA,width=64,height=48 ! glupload ! "
      "glclinvert ! glclinvert ! fakesink");
  expect(pipeline.run(), "no EOS");
  const guint64 copies = copies_of(pipeline.bin());
  // fakesink's last frame is available on request.
  expect(copies == (test::copies_frames() ? 8 : 0), std::to_string(copies) + " transfers");
}

// A frame for OpenGL, for OpenCL and for the host, in any order.
TEST(tees) {
  for (const char *source : {"gltestsrc pattern=snow num-buffers=10 ! video/x-raw(memory:GLMemory)",
                             "videotestsrc pattern=snow num-buffers=10 ! video/x-raw"}) {
    Pipeline pipeline(
        std::string(source) +
        ",format=RGBA,width=64,height=48 ! glupload ! glclinvert ! glclinvert ! tee name=t "
        "t. ! queue ! gldownload ! fakesink name=host sync=false "
        "t. ! queue ! glclinvert ! tee name=u ! queue ! gldownload ! fakesink name=opencl "
        "sync=false "
        "t. ! queue ! gleffects_identity ! glclinvert ! gldownload ! fakesink name=opengl "
        "sync=false "
        "u. ! queue ! glclinvert ! gleffects_identity ! gldownload ! fakesink name=last "
        "sync=false");
    const auto &host = pipeline.collect("host"), &opencl = pipeline.collect("opencl"),
               &opengl = pipeline.collect("opengl"), &last = pipeline.collect("last");
    expect(pipeline.run(), "no EOS");
    for (const auto *frames : {&host, &opencl, &opengl, &last})
      expect(frames->size() == 10, "every frame arrives");
    for (size_t i = 0; i < 10; i++) {
      const std::string what = "frame " + std::to_string(i);
      expect_same(inverted(host[i]), opencl[i], what + ", behind OpenCL");
      expect_same(inverted(host[i]), opengl[i], what + ", behind OpenGL");
      expect_same(host[i], last[i], what + ", behind both");
    }
    test::expect_none(pipeline.messages().errors());
  }
}

// An element that writes into its input overwrites OpenCL's content.
TEST(written_on_the_host) {
  Chain chain(row(2) + " ! gldownload ! videobalance saturation=0 ! glupload ! " + row(2));
  Chain plain("gldownload ! videobalance saturation=0 ! glupload");
  for (int i = 0; i < frames; i++) {
    const Frame frame = reference::random_frame(48, 32, i);
    expect_same(plain.filter(frame), chain.filter(frame), "frame " + std::to_string(i));
  }
}

// Two OpenCL queues, one of them with profiling, and new sizes.
TEST(queues_and_sizes) {
  Chain chain("glclinvert ! glclinvert profile=true ! glclinvert ! glclinvert");
  for (int i = 0; i < 24; i++) {
    g_object_set(chain["glclinvert"], "profile", i % 3 == 0, nullptr);
    const Frame frame = reference::random_frame(40 + i / 6 * 7, 30 + i / 6, i);
    expect_same(frame, chain.filter(frame), "frame " + std::to_string(i));
  }
  test::expect_none(chain.messages().errors());
}

// One element shares textures and the next one copies, on the same GL context.
TEST(two_methods) {
  if (!test::shares_textures()) return;
  for (const char *elements :
       {"glclinvert sharing=gl ! glclinvert sharing=copy", "glclinvert sharing=copy ! glclinvert",
        "glclinvert ! glclinvert sharing=copy ! glclinvert ! glclinvert sharing=copy",
        "glclinvert sharing=copy ! glclhistogram ! glclinvert sharing=copy ! glclmotion"}) {
    Chain chain(elements);
    for (int i = 0; i < frames; i++) {
      const Frame frame = reference::random_frame(48, 32, i);
      expect_same(frame, chain.filter(frame), elements + (", frame " + std::to_string(i)));
    }
  }
}

// Kept frames do not change, also if they are more than the pool's first buffers.
TEST(kept_frames) {
  Chain chain(row(2));
  std::vector<GstBuffer *> kept;
  for (int i = 0; i < 12; i++) {
    expect(chain.push(reference::random_frame(48, 32, i)) == GST_FLOW_OK, "push failed");
    kept.push_back(chain.pull_buffer());
  }
  for (int i = 0; i < 12; i++)
    for (int times = 0; times < 2; times++) {
      const Frame frame = reference::random_frame(48, 32, i);
      GstMapInfo map;
      expect(gst_buffer_map(kept[i], &map, GST_MAP_READ), "a frame can be mapped");
      expect(map.size >= frame.rgba.size() &&
                 std::equal(frame.rgba.begin(), frame.rgba.end(), map.data),
             "frame " + std::to_string(i) + " is as it was");
      gst_buffer_unmap(kept[i], &map);
    }
  for (GstBuffer *buffer : kept) gst_buffer_unref(buffer);
}
