// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a stream: new caps, seeks, states, another GL display, many starts.
#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

void check_frames(Chain &chain, int width, int height, int count, const std::string &what) {
  static unsigned seed = 0;
  for (int i = 0; i < count; i++) {
    const Frame in = reference::random_frame(width, height, seed++);
    expect_same(inverted(in), chain.filter(in), what + ", frame " + std::to_string(i));
  }
}

int entries(const char *folder) {
  int count = 0;
  DIR *list = opendir(folder);
  expect(list, std::string("no ") + folder);
  while (const dirent *entry = readdir(list)) count += entry->d_name[0] != '.';
  closedir(list);
  return count;
}

/// Expects at most `most` entries in a folder; those of ended threads disappear a moment later.
void expect_back(const char *folder, int most) {
  for (int i = 0; i < 1500 && entries(folder) > most; i++) g_usleep(20 * 1000);
  fail_unless(entries(folder) <= most, "%s has %d entries, at most %d expected", folder,
              entries(folder), most);
}

/// A pipeline whose sinks `in` and `out` get the same frames, without and with the filter.
const char *const compared =
    "videotestsrc name=source pattern=snow ! video/x-raw,format=RGBA,width=64,height=48,"
    "framerate=25/1 ! glupload ! tee name=t ! queue ! glclinvert ! gldownload ! "
    "video/x-raw,format=RGBA ! fakesink name=out sync=true "
    "t. ! queue ! gldownload ! video/x-raw,format=RGBA ! fakesink name=in sync=true";

void check_compared(const std::vector<Frame> &in, const std::vector<Frame> &out, size_t at_least) {
  const size_t count = std::min(in.size(), out.size());
  expect(count >= at_least, "only " + std::to_string(count) + " frames arrived");
  for (size_t i = 0; i < count; i++)
    expect_same(inverted(in[i]), out[i], "frame " + std::to_string(i));
}

/// Sets another GL display with a GL context on an element, or on those of a bin. Returns the
/// context.
GstGLContext *replace_display(GstElement *element) {
  GstGLDisplay *display = gst_gl_display_new();
  GstGLContext *gl_context = nullptr;
  expect(gst_gl_display_create_context(display, nullptr, &gl_context, nullptr), "no GL context");
  GST_OBJECT_LOCK(display);
  gst_gl_display_add_context(display, gl_context);
  GST_OBJECT_UNLOCK(display);
  GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_element_set_context(element, context);
  gst_context_unref(context);
  gst_object_unref(display);
  return gl_context;
}

}  // namespace

TEST(other_sizes_in_one_stream) {
  Chain chain("gleffects_identity ! glclinvert ! glclinvert ! glclinvert");
  const int sizes[][2] = {{64, 48}, {31, 17}, {160, 120}, {1, 1}, {64, 48}, {160, 120}};
  for (int round = 0; round < 3; round++)
    for (const auto &size : sizes)
      check_frames(chain, size[0], size[1], 3,
                   std::to_string(size[0]) + "×" + std::to_string(size[1]));
  test::expect_none(chain.messages().errors());
}

TEST(another_framerate) {
  Chain chain("glclinvert");
  for (const int framerate : {25, 30, 60, 25}) {
    chain.framerate = framerate;
    check_frames(chain, 64, 48, 3, std::to_string(framerate) + " frames/s");
  }
  expect(test::stat(chain["glclinvert"], "frames") == 12, "frames are counted over all caps");
}

TEST(flush_and_discontinuity) {
  Chain chain("glclinvert ! queue ! glclbilateral radius=1 sigma-range=0");
  for (int i = 0; i < 5; i++) {
    check_frames(chain, 64, 48, 2, "before");
    gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
    gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
    check_frames(chain, 64, 48, 2, "after a flush");

    const Frame in = reference::random_frame(64, 48, 500 + i);
    GstBuffer *buffer = chain.buffer_of(in);
    GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    expect(chain.push(buffer, 64, 48) == GST_FLOW_OK, "push failed");
    expect_same(inverted(in), chain.pull(), "DISCONT");
  }
}

TEST(seeks) {
  Pipeline pipeline(compared);
  const auto &in = pipeline.collect("in"), &out = pipeline.collect("out");
  expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  for (int i = 0; i < 10; i++) {
    expect(gst_element_seek_simple(pipeline.bin(), GST_FORMAT_TIME,
                                   static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH), i * GST_SECOND),
           "the seek failed");
    expect(pipeline.reach(i % 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING), "no state after a seek");
    g_usleep(100 * 1000);
  }
  expect(gst_element_seek(pipeline.bin(), 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, GST_SECOND / 5),
         "the seek failed");
  expect(pipeline.run(), "no EOS");
  // A flush may drop a frame in one branch only, so compare the last five, which follow all
  // flushes.
  expect(in.size() >= 5 && out.size() >= 5, "all frames of the last segment arrive");
  for (size_t i = 1; i <= 5; i++)
    expect_same(inverted(in[in.size() - i]), out[out.size() - i],
                "frame " + std::to_string(i) + " from the end");
}

TEST(ready_and_back) {
  Pipeline pipeline(compared);
  const auto &in = pipeline.collect("in"), &out = pipeline.collect("out");
  g_object_set(pipeline["source"], "num-buffers", 5, nullptr);
  for (size_t round = 1; round <= 4; round++) {
    expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
    expect(test::stat(pipeline["glclinvert"], "frames") <= 5, "stats begin anew");
    expect(pipeline.run(), "no EOS");
    check_compared(in, out, 5 * round);
    expect(pipeline.reach(GST_STATE_READY), "READY can't be reached");
  }
}

// Two hundred starts leave no thread and no file open. The first ones fill caches and thread pools.
TEST(two_hundred_starts) {
  Pipeline pipeline(
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=16,height=8 ! glupload ! "
      "glclinvert ! glclinvert ! gldownload ! video/x-raw ! fakesink sync=false");
  int threads = 0, files = 0;
  for (int i = 0; i < 200; i++) {
    if (i == 20) {
      threads = entries("/proc/self/task");
      files = entries("/proc/self/fd");
    }
    expect(pipeline.run(), "start " + std::to_string(i));
    expect(pipeline.reach(GST_STATE_NULL), "stop " + std::to_string(i));
  }
  expect_back("/proc/self/task", threads + 2);
  expect_back("/proc/self/fd", files + 2);
}

TEST(stop_without_waiting) {
  for (int i = 0; i < 20; i++) {
    Pipeline pipeline(compared);
    pipeline.set(GST_STATE_PLAYING);
    g_usleep(i * 7000);
    expect(pipeline.reach(GST_STATE_NULL), "NULL can't be reached");
  }
}

// The chain has no GL effects, because those of GStreamer 1.22 crash.
TEST(another_gl_display) {
  Chain chain("glclinvert ! glclinvert ! glclinvert");
  for (int i = 0; i < 4; i++) {
    check_frames(chain, 64, 48, 5, "display " + std::to_string(i));
    GstGLContext *wanted = replace_display(chain.bin());
    check_frames(chain, 64, 48, 5, "after display " + std::to_string(i));
    GstGLContext *used = nullptr;
    g_object_get(chain["glclinvert"], "context", &used, nullptr);
    expect(used == wanted, "the GL context of the new display is in use");
    gst_object_unref(used);
    gst_object_unref(wanted);
  }
  test::expect_none(chain.messages().errors());
}

// The GL context of an element ends on another thread while frames are processed. Elements of
// GStreamer 1.22 would crash, so they keep their context.
TEST(another_gl_display_amid_frames) {
  Chain chain(
      "glclinvert name=a ! glclhistogram name=b interval=0 ! glclinvert name=c ! glclinvert");
  check_frames(chain, 64, 48, 1, "before");
  std::atomic<bool> done{false};
  std::thread frames([&] {
    while (!done) check_frames(chain, 64, 48, 1, "amid");
  });
  for (int i = 0; i < 30; i++) {
    gst_object_unref(replace_display(chain[i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c"]));
    g_usleep(20 * 1000);
  }
  done = true;
  frames.join();
  test::expect_none(chain.messages().errors());
}
