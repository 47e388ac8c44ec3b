// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipelines that are stopped in the middle of negotiation leave nothing behind: no GStreamer
// object, no descriptor, no thread. GStreamer's own filters in the same place set the limits.
#include <glib/gstdio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <list>
#include <optional>
#include <random>

#include "pipeline.h"

using test::expect;
using test::Pipeline;

namespace {

const std::string source =
    "gltestsrc name=source ! capsfilter name=size "
    "caps=video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48 ! ";
const std::string sink = " ! fakesink name=sink";

const std::string to_bgra = "glcolorconvert ! video/x-raw(memory:GLMemory),format=BGRA";
const std::string to_rgba = "glcolorconvert ! video/x-raw(memory:GLMemory),format=RGBA";
const std::string of_gstreamer = to_bgra + " ! " + to_rgba + " ! " + to_bgra;
const std::string filters = "glclinvert ! glclinvert ! glclinvert";
const std::string analyzer = "glclinvert ! glclhistogram attach-meta=true ! glclinvert";

/// The resources that the process holds.
struct Resources {
  ptrdiff_t descriptors, threads, objects;
};

bool within(const Resources &resources, const Resources &most) {
  return resources.descriptors <= most.descriptors && resources.threads <= most.threads &&
         resources.objects <= most.objects;
}

std::string text_of(const Resources &resources) {
  return std::to_string(resources.descriptors) + " descriptors, " +
         std::to_string(resources.threads) + " threads, " + std::to_string(resources.objects) +
         " objects";
}

ptrdiff_t entries(const char *folder) {
  GDir *open = g_dir_open(folder, 0, nullptr);
  ptrdiff_t count = 0;
  while (g_dir_read_name(open)) count++;
  g_dir_close(open);
  return count;
}

/// Waits until at most these resources are held, because threads and the last objects end a moment
/// after their pipeline. Objects are counted after threads and descriptors: the leaks tracer
/// references them, which crashes for an object that is just being freed.
Resources settled(const Resources &most) {
  gst_task_cleanup_all();
  for (int i = 0;; i++) {
    g_thread_pool_stop_unused_threads();
    Resources now = {entries("/proc/self/fd"), entries("/proc/self/task"), 0};
    if (within(now, most) || i == 250) {
      const std::string live = test::live_objects();
      now.objects = std::count(live.begin(), live.end(), '\n');
      if (within(now, most) || i >= 250) return now;
    }
    g_usleep(20 * 1000);
  }
}

/// An event that happens once, on any thread.
class Latch {
 public:
  void open() {
    std::call_once(once_, [this] { promise_.set_value(); });
  }
  /// True if it happens within a minute.
  bool wait() {
    return promise_.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready;
  }

 private:
  std::once_flag once_;
  std::promise<void> promise_;
};

std::vector<GstElement *> elements_of(GstElement *bin) {
  std::vector<GstElement *> elements;
  for (GList *each = GST_BIN(bin)->children; each; each = each->next)
    elements.push_back(GST_ELEMENT(each->data));
  return elements;
}

/// Opens the latch when caps reach the element.
void watch_for_caps(GstElement *element, Latch &latch) {
  GstPad *pad = gst_element_get_static_pad(element, "sink");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer latch) {
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_CAPS)
          static_cast<Latch *>(latch)->open();
        return GST_PAD_PROBE_OK;
      },
      &latch, nullptr);
  gst_object_unref(pad);
}

/// Triggers the moment when the element sends an allocation query downstream. The downstream
/// element gets the query after it was stopped.
void watch_for_allocation(GstElement *element, Latch &latch) {
  GstPad *pad = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(
      pad,
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH),
      [](GstPad *pad, GstPadProbeInfo *info, gpointer latch) {
        if (GST_QUERY_TYPE(GST_PAD_PROBE_INFO_QUERY(info)) != GST_QUERY_ALLOCATION)
          return GST_PAD_PROBE_OK;
        static_cast<Latch *>(latch)->open();
        GstPad *peer = gst_pad_get_peer(pad);
        while (gst_pad_is_active(peer)) g_usleep(100);
        gst_object_unref(peer);
        return GST_PAD_PROBE_OK;
      },
      &latch, nullptr);
  gst_object_unref(pad);
}

void flush(GstElement *source) {
  GstPad *pad = gst_element_get_static_pad(source, "src");
  gst_pad_push_event(pad, gst_event_new_flush_start());
  gst_pad_push_event(pad, gst_event_new_flush_stop(TRUE));
  gst_object_unref(pad);
}

void resize(GstElement *size) {
  gst_util_set_object_arg(G_OBJECT(size), "caps",
                          "video/x-raw(memory:GLMemory),format=RGBA,width=32,height=24");
}

/// Starts the filters and stops them at a moment of their negotiation.
void start_and_stop(const std::string &filters, std::mt19937 &random) {
  const auto below = [&](unsigned end) { return random() % end; };
  Latch latch;
  Pipeline pipeline(source + filters + sink);
  const std::vector<GstElement *> elements = elements_of(pipeline.bin());
  const auto any_with = [&](const char *pad) {
    for (;;) {
      GstElement *element = elements[below(elements.size())];
      GstPad *found = gst_element_get_static_pad(element, pad);
      if (!found) continue;
      gst_object_unref(found);
      return element;
    }
  };

  const unsigned kind = below(6);
  if (kind < 2)
    watch_for_allocation(any_with("src"), latch);
  else
    watch_for_caps(any_with("sink"), latch);
  pipeline.set(GST_STATE_PLAYING);
  if (!latch.wait()) {
    test::expect_none(pipeline.messages().errors());
    // With GStreamer's own filters the moment is rarely missed on a busy machine, once in thousands
    // of runs.
    expect(filters == of_gstreamer,
           filters + ": negotiation does not get there, kind " + std::to_string(kind));
  }
  if (kind == 2) g_usleep(below(10 * 1000));
  if (kind == 3) pipeline.set(GST_STATE_PAUSED);
  if (kind == 4) flush(pipeline["source"]);
  if (kind == 5) resize(pipeline["size"]);
  if (kind > 2 && below(2)) g_usleep(below(2 * 1000));
}

/// The resources after `stops` stops; at most `most`.
Resources held_after(const std::string &filters, int stops, const Resources &most) {
  std::mt19937 random(1);
  for (int i = 0; i < stops; i++) start_and_stop(filters, random);
  return settled(most);
}

/// Weak references to the GL contexts of a pipeline's elements: the leaks tracer can't be used
/// while threads still release objects.
class GLContexts {
 public:
  explicit GLContexts(GstElement *bin) {
    for (GstElement *element : elements_of(bin)) {
      if (!g_object_class_find_property(G_OBJECT_GET_CLASS(element), "context")) continue;
      GstGLContext *context = nullptr;
      g_object_get(element, "context", &context, nullptr);
      if (!context) continue;
      g_weak_ref_init(&contexts_.emplace_back(), context);
      gst_object_unref(context);
    }
  }
  GLContexts(const GLContexts &) = delete;
  GLContexts &operator=(const GLContexts &) = delete;
  ~GLContexts() {
    for (GWeakRef &context : contexts_) g_weak_ref_clear(&context);
  }

  bool live() {
    return std::any_of(contexts_.begin(), contexts_.end(), [](GWeakRef &context) {
      gpointer object = g_weak_ref_get(&context);
      if (object) gst_object_unref(object);
      return object != nullptr;
    });
  }
  /// Waits until all contexts are freed, a moment after their last user; false if they are not.
  bool go() {
    for (int i = 0; i < 3000 && live(); i++) g_usleep(20 * 1000);
    return !live();
  }

 private:
  std::list<GWeakRef> contexts_;
};

}  // namespace

// By default Mesa's OpenCL reuses the contexts of released queues, and creates more while a release
// is pending.
static const test::Setup setup([] { g_setenv("RUSTICL_DEBUG", "no_reuse_context", TRUE); });

/// A filter that takes hours for a frame on a few cores. The frame is narrow, so that a stop waits
/// for a short row of work-groups at most.
class SlowFilter {
 public:
  SlowFilter()
      : pipeline_(
            "gltestsrc name=source ! "
            "video/x-raw(memory:GLMemory),format=RGBA,width=64,height=16000 ! "
            "glclbilateral name=slow method=brute-force radius=1 iterations=1" +
            sink) {
    GstPad *pad = gst_element_get_static_pad(slow(), "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *, gpointer frames) {
          ++*static_cast<std::atomic<int> *>(frames);
          return GST_PAD_PROBE_OK;
        },
        &arrived_, nullptr);
    gst_object_unref(pad);
    pipeline_.set(GST_STATE_PLAYING);
    wait_for(3);
    begin();
  }

  /// Makes the next frame take long, and waits until frames stop arriving.
  void begin() {
    g_object_set(slow(), "radius", 128, "iterations", 16, nullptr);
    for (int seen = -1; seen != arrived_; g_usleep(500 * 1000)) seen = arrived_;
  }
  void end() { g_object_set(slow(), "radius", 1, "iterations", 1, nullptr); }
  void wait_for(int frames) {
    while (arrived_ < frames) g_usleep(1000);
  }

  Pipeline &pipeline() { return pipeline_; }
  GstElement *slow() { return pipeline_["slow"]; }
  int arrived() const { return arrived_; }

 private:
  std::atomic<int> arrived_{0};
  Pipeline pipeline_;
};

/// A stop does not wait for the current frame: its work ends early.
TEST(stop_during_a_long_frame) {
  SlowFilter filter;
  filter.pipeline().set(GST_STATE_NULL);
  test::expect_none(filter.pipeline().messages().errors());
}

/// A seek does not wait either; afterwards frames continue.
TEST(seek_during_a_long_frame) {
  SlowFilter filter;
  const guint64 before = test::stat(filter.slow(), "frames");
  filter.end();
  expect(gst_element_seek_simple(filter.pipeline().bin(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0),
         "no seek");
  filter.wait_for(filter.arrived() + 3);
  while (test::stat(filter.slow(), "frames") <= before) g_usleep(1000);
  filter.pipeline().set(GST_STATE_NULL);
  test::expect_none(filter.pipeline().messages().errors());
}

/// The device is given up with an error; then the pipeline stops. The device's threads keep running
/// until the process ends.
TEST_LEAVING(a_kernel_that_never_ends) {
  if (test::shares_textures()) return;  // OpenGL draws on the same device
  g_setenv("GLCL_DEVICE_TIMEOUT", "3", TRUE);
  gchar *folder = g_dir_make_tmp("glcl-stops-XXXXXX", nullptr);
  const std::string file = std::string(folder) + "/never.cl";
  expect(g_file_set_contents(file.c_str(),
                             "//! filter never: does not end\n"
                             "float4 never(PIXEL) {\n"
                             "  float4 colour = at(0, 0);\n"
                             "  while (colour.x < 2.0f) colour.x = fmin(colour.x, 1.0f);\n"
                             "  return colour;\n}\n",
                             -1, nullptr),
         "can't write a file");
  {
    Pipeline pipeline(source + "glclchain name=chain filters=never path=" + folder + sink);
    pipeline.set(GST_STATE_PLAYING);
    GstMessage *message = pipeline.messages().next(GST_MESSAGE_ERROR, 300 * GST_SECOND);
    expect(message != nullptr, "no element gives up");
    gst_message_unref(message);
    const auto errors = pipeline.messages().errors();
    expect(errors.front().names("did not finish its work in time"), errors.front().text);
    pipeline.set(GST_STATE_NULL);
  }
  g_remove(file.c_str());
  g_rmdir(folder);
  _exit(EXIT_SUCCESS);
}

/// The application keeps the pipeline, to play it again.
TEST(a_pipeline_in_null_holds_no_gl_context) {
  Pipeline pipeline("gltestsrc num-buffers=3 ! " + analyzer + sink);
  for (int i = 0; i < 2; i++) {
    expect(pipeline.run(), "it plays");
    GLContexts contexts(pipeline.bin());
    expect(contexts.live(), "there is a GL context");
    pipeline.set(GST_STATE_NULL);
    expect(contexts.go(), "no GL context is held in NULL");
  }
}

/// The application keeps a frame of an element, and its result, after the pipeline is gone.
TEST(a_frame_outlives_its_pipeline) {
  GstSample *sample = nullptr;
  std::optional<GLContexts> contexts;
  {
    Pipeline pipeline("gltestsrc num-buffers=3 ! " + analyzer + sink);
    expect(pipeline.run(), "it plays");
    contexts.emplace(pipeline.bin());
    g_object_get(pipeline["sink"], "last-sample", &sample, nullptr);
    expect(sample && gst_sample_get_buffer(sample), "there is a last frame");
  }
  g_usleep(200 * 1000);
  expect(contexts->live(), "its GL context outlives the pipeline");
  GstMapInfo map;
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  expect(gst_buffer_map(buffer, &map, GST_MAP_READ), "it can be read");
  gst_buffer_unmap(buffer, &map);
  gst_sample_unref(sample);
  expect(contexts->go(), "its GL context goes with it");
}

// Leaks of GStreamer's own filters do not count.
TEST_LEAVING(three_hundred_stops) {
  // The first run of each loads drivers, which start threads and open files until the process ends.
  for (const std::string &each : {of_gstreamer, filters, analyzer}) {
    Pipeline pipeline("gltestsrc num-buffers=3 ! " + each + sink);
    expect(pipeline.run(), each + " does not run");
  }
  const Resources before = settled({PTRDIFF_MAX, PTRDIFF_MAX, 0});
  const Resources theirs = held_after(of_gstreamer, test::repeats(300), before);
  const Resources most = {std::max(before.descriptors, theirs.descriptors),
                          std::max(before.threads, theirs.threads),
                          std::max(before.objects, theirs.objects)};
  // At the end the leaks tracer warns of all live objects, also of GStreamer's own.
  _gst_check_expecting_log = TRUE;
  for (const auto &[each, stops] : {std::pair(filters, 240), std::pair(analyzer, 60)}) {
    const Resources ours = held_after(each, test::repeats(stops), most);
    const std::string compared = each + " leave " + text_of(ours) + ", GStreamer's own filters " +
                                 text_of(theirs) + "; there were " + text_of(before);
    GST_INFO("%s", compared.c_str());
    expect(within(ours, most), compared + test::live_objects().substr(0, 2000));
  }
}
