// SPDX-License-Identifier: LGPL-2.1-or-later
// GstGLCLAnalyzer as its subclasses see it: times and contents of messages, and metas whose results
// stay on the device. The program is built with the base classes and doesn't load the plugin.
#include "base/glclresult.h"
#include "base/gstglclanalyzer.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "opencl/error.h"
#include "pipeline.h"
#include "tests/support/result.h"

struct GstTestAnalyzer {
  GstGLCLAnalyzer parent;
};
struct GstTestAnalyzerClass {
  GstGLCLAnalyzerClass parent_class;
};
static GType gst_test_analyzer_get_type();
G_DEFINE_TYPE(GstTestAnalyzer, gst_test_analyzer, GST_TYPE_GLCL_ANALYZER)

using test::Chain;
using test::expect;
using test::Frame;

namespace {

constexpr size_t result_bytes = 4096;
int reads_per_frame = 1;
std::shared_ptr<glcl::DeferredError> deferred_error;  // for the next frames
std::function<void(GstGLCLFilter *)> when_chosen;  // called when the buffers of a frame are chosen

const GstStructure *result_of(GstBuffer *frame) {
  return gst_buffer_get_glcl_result(frame, "testanalyzer");
}

/// Its bytes, borrowed.
GstBuffer *array_of(GstBuffer *frame) { return glcl::result_array(result_of(frame), "bytes"); }

/// A frame in which every byte is its number, large enough for a result.
Frame numbered(int number) {
  Frame frame(64, 32);
  std::memset(frame.rgba.data(), number, frame.rgba.size());
  return frame;
}

void check_result(GstBuffer *buffer, int number) {
  GstMapInfo map;
  expect(gst_buffer_map(buffer, &map, GST_MAP_READ), "a result can be mapped");
  expect(map.size == result_bytes, "it has its size");
  for (size_t i = 0; i < map.size; i++)
    fail_unless(map.data[i] == number, "byte %zu is %d instead of %d", i, map.data[i], number);
  gst_buffer_unmap(buffer, &map);
}

GstClockTime time_of(const GstStructure *structure, const char *field) {
  GstClockTime time = 0;
  expect(gst_structure_get_clock_time(structure, field, &time), std::string("no ") + field);
  return time;
}

void expect_message(test::Messages &messages, int number, GstClockTime timestamp) {
  GstStructure *structure = messages.structure();
  expect(structure, "no message for frame " + std::to_string(number));
  expect(gst_structure_has_name(structure, "testanalyzer"), "it is named as the element");
  const char *const times[] = {"timestamp", "stream-time", "running-time", "duration"};
  for (int i = 0; i < 4; i++)
    expect(std::strcmp(gst_structure_nth_field_name(structure, i), times[i]) == 0,
           "the times come first");
  expect(time_of(structure, "timestamp") == timestamp, "timestamp");
  expect(time_of(structure, "stream-time") == timestamp, "stream-time");
  expect(time_of(structure, "running-time") == timestamp, "running-time");
  expect(time_of(structure, "duration") == 40 * GST_MSECOND, "duration");
  int got = -1;
  gst_structure_get_int(structure, "number", &got);
  fail_unless(got == number, "number %d instead of %d", got, number);
  gst_structure_free(structure);
}

void expect_no_message(test::Messages &messages) {
  expect(!messages.structure(), "there is a message too many");
}

void pass(Chain &chain, int number) {
  test::expect_same(numbered(number), chain.filter(numbered(number)), "the frame");
}

const char *const branch =
    "videotestsrc num-buffers=40 ! video/x-raw,format=RGBA,width=64,height=64,framerate=25/1 ! "
    "glupload ! testanalyzer interval=0 attach-meta=true ! testanalyzer ! fakesink ";

void run_to_the_end(const std::string &description) {
  test::Pipeline pipeline(description);
  const bool eos = pipeline.run();
  test::expect_none(pipeline.messages().errors());
  expect(eos, "no EOS");
}

void push_eos(Chain &chain) { gst_harness_push_event(chain.harness(), gst_event_new_eos()); }

}  // namespace

static void gst_test_analyzer_init(GstTestAnalyzer *) {}

static glcl::Layout gst_test_analyzer_prepare(GstGLCLFilter *filter, glcl::Context &context, int,
                                              int) {
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, result_bytes);
  return glcl::Layout::buffer;
}

static void gst_test_analyzer_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                      const glcl::Picture &in, const glcl::Picture &out,
                                      GstBuffer *inbuf, GstBuffer *outbuf) {
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  queue.cl().enqueueCopyBuffer(in.buffer, out.buffer, 0, 0, in.bytes());
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
  gst_glcl_analyzer_check_deferred(analyzer, queue, deferred_error);
  for (int i = 0; wanted.message && i < reads_per_frame; i++)
    gst_glcl_analyzer_read(analyzer, queue, in.buffer, result_bytes,
                           [analyzer, times = wanted.times](const void *bytes) {
                             GstStructure *message =
                                 gst_glcl_analyzer_structure("testanalyzer", times);
                             gst_structure_set(message, "number", G_TYPE_INT,
                                               *static_cast<const unsigned char *>(bytes), nullptr);
                             gst_glcl_analyzer_post(analyzer, message);
                           });
  if (!wanted.meta) return;
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(analyzer, outbuf, "testanalyzer", result_bytes,
                               {{"bytes", "int32", {int(result_bytes / 4)}, 0},
                                {"middle", "uint16", {2, 3}, result_bytes / 2}});
  gst_structure_set(result.fields, "pixels", G_TYPE_INT, in.width * in.height, nullptr);
  queue.cl().enqueueCopyBuffer(in.buffer, glcl::result_memory(result.buffer), 0, 0, result_bytes);
  glcl::result_written(result.buffer, queue, deferred_error);
}

static void gst_test_analyzer_class_init(GstTestAnalyzerClass *klass) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Test analyzer", "Filter/Test",
                                        "Copies frames and reports their first byte",
                                        "The gst-glcl developers");
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_test_analyzer_prepare;
  filter_class->process = gst_test_analyzer_process;
  filter_class->passes_on = [](GstGLCLFilter *filter) {
    if (when_chosen) when_chosen(filter);
    return false;
  };
}

static const test::Setup setup(test::hide_plugin, [] {
  test::register_element("testanalyzer", gst_test_analyzer_get_type());
});

TEST(every_frame) {
  Chain chain("testanalyzer interval=0");
  for (int i = 0; i < 50; i++) pass(chain, i);
  push_eos(chain);
  for (int i = 0; i < 50; i++) expect_message(chain.messages(), i, i * 40 * GST_MSECOND);
  expect_no_message(chain.messages());
}

TEST(interval) {
  Chain chain("testanalyzer interval=120000000");
  for (int i = 0; i < 10; i++) pass(chain, i);
  push_eos(chain);
  for (int i = 0; i < 10; i += 3) expect_message(chain.messages(), i, i * 40 * GST_MSECOND);
  expect_no_message(chain.messages());
}

// The times of 30 frames/s are rounded down: the third frame after a message is at 99.999999 ms.
TEST(interval_of_rounded_times) {
  Chain chain("testanalyzer");
  chain.framerate = 30;
  for (int i = 0; i < 31; i++) pass(chain, i);
  push_eos(chain);
  int count = 0;
  while (GstStructure *message = chain.messages().structure()) {
    int number = -1;
    gst_structure_get_int(message, "number", &number);
    fail_unless(number == 3 * count++, "frame %d", number);
    gst_structure_free(message);
  }
  expect(count == 11, "eleven messages");
}

TEST(no_messages) {
  Chain chain("testanalyzer post-messages=false interval=0");
  for (int i = 0; i < 5; i++) pass(chain, i);
  g_object_set(chain["testanalyzer"], "post-messages", TRUE, nullptr);
  pass(chain, 5);
  push_eos(chain);
  expect_message(chain.messages(), 5, 5 * 40 * GST_MSECOND);
  expect_no_message(chain.messages());
}

// A flush drops pending results; later frames start again.
TEST(flush) {
  Chain chain("testanalyzer");
  for (int round = 0; round < 5; round++) {
    pass(chain, 2 * round);
    gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
    gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
    while (GstStructure *message = chain.messages().structure()) gst_structure_free(message);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
    pass(chain, 2 * round + 1);
    push_eos(chain);
    expect_message(chain.messages(), 2 * round + 1, (2 * round + 1) * 40 * GST_MSECOND);
    expect_no_message(chain.messages());
    gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
    gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(TRUE));
    gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  }
}

// More reads than slots.
TEST(many_reads) {
  reads_per_frame = 3 * gst_glcl_analyzer_depth;
  {
    Chain chain("testanalyzer interval=0");
    for (int i = 0; i < 5; i++) pass(chain, i);
    push_eos(chain);
    for (int i = 0; i < 5 * reads_per_frame; i++)
      expect_message(chain.messages(), i / reads_per_frame, i / reads_per_frame * 40 * GST_MSECOND);
    expect_no_message(chain.messages());
  }
  reads_per_frame = 1;
}

// Pending reads when the size changes, or when the pipeline stops.
TEST(other_sizes) {
  Chain chain("testanalyzer interval=0");
  for (int i = 0; i < 6; i++) {
    Frame frame(64 + i, 64);
    std::memset(frame.rgba.data(), i, frame.rgba.size());
    test::expect_same(frame, chain.filter(frame), "the frame");
  }
  push_eos(chain);
  for (int i = 0; i < 6; i++) expect_message(chain.messages(), i, i * 40 * GST_MSECOND);
}

// With an unread bus, messages stop at the limit with a warning, and continue once the bus is read.
TEST(unread_messages) {
  Chain chain("testanalyzer interval=0");
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 400; i++) pass(chain, i % 256);
    int count = 0;
    while (GstStructure *message = chain.messages().structure()) {
      gst_structure_free(message);
      count++;
    }
    fail_unless(count == 300, "%d messages waited", count);
    std::vector<test::Message> lost;
    for (const test::Message &warning : chain.messages().warnings())
      if (warning.domain == GST_CORE_ERROR) lost.push_back(warning);
    expect(lost.size() == size_t(round) + 1, "one warning each time");
    test::expect_one({lost.back()}, GST_CORE_ERROR, GST_CORE_ERROR_TOO_LAZY,
                     {"300 unread messages", "post-messages=false"});
  }
}

// An application that reads the bus and keeps all messages loses none, also with other messages on
// the bus.
TEST(kept_messages) {
  Chain chain("testanalyzer interval=0");
  GstBus *bus = gst_element_get_bus(chain.bin());
  std::vector<GstMessage *> kept;
  const auto read = [&] {
    while (GstMessage *message = gst_bus_pop(bus)) kept.push_back(message);
  };
  for (int i = 0; i < 700; i++) {
    pass(chain, i % 256);
    if (i % 50) continue;
    read();
    gst_bus_post(bus, gst_message_new_application(GST_OBJECT(chain.bin()),
                                                  gst_structure_new_empty("other")));
  }
  push_eos(chain);
  read();
  const auto results = std::count_if(kept.begin(), kept.end(), [](GstMessage *message) {
    return GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT;
  });
  for (GstMessage *message : kept) gst_message_unref(message);
  gst_object_unref(bus);
  expect(results == 700, std::to_string(results) + " messages came");
}

TEST(metas) {
  Chain chain("testanalyzer attach-meta=true post-messages=false ! testanalyzer");
  std::vector<GstBuffer *> kept;
  for (int i = 0; i < 20; i++) {
    expect(chain.push(numbered(i)) == GST_FLOW_OK, "push failed");
    GstBuffer *buffer = chain.pull_buffer();
    const GstStructure *result = result_of(buffer);
    expect(result && test::result_int(result, "pixels") == 64 * 32, "the meta comes through");
    expect(g_str_has_prefix(gst_structure_get_string(result, "element"), "testanalyzer"),
           "it names its element");
    if (i == 0) {
      const test::ResultArray middle(result, "middle"), none(result, "end");
      expect(middle.is("uint16", {2, 3}) && middle.size() == 12 && !none, "a second array");
      expect(middle.numbers<guint16>() == std::vector<guint16>(6, i * 257), "its numbers");
    }
    if (i % 3 == 0)
      kept.push_back(gst_buffer_ref(array_of(buffer)));
    else
      check_result(array_of(buffer), i);
    gst_buffer_unref(buffer);
  }
  for (size_t i = 0; i < kept.size(); i++) {
    check_result(kept[i], static_cast<int>(3 * i));
    check_result(kept[i], static_cast<int>(3 * i));
    gst_buffer_unref(kept[i]);
  }
}

/// Properties that change after a frame's buffers were chosen take effect with the next frame.
TEST(change_within_a_frame) {
  Chain chain("testanalyzer interval=0 post-messages=false");
  for (int i = 0; i < 6; i++) {
    const gboolean before = i % 2, after = !before;
    when_chosen = [after](GstGLCLFilter *filter) {
      g_object_set(filter, "post-messages", after, "attach-meta", after, nullptr);
    };
    expect(chain.push(numbered(i)) == GST_FLOW_OK, "push failed");
    GstBuffer *buffer = chain.pull_buffer();
    expect(!result_of(buffer) == !before, "a meta goes by what was set before the frame");
    gst_buffer_unref(buffer);
  }
  when_chosen = {};
  push_eos(chain);
  for (const int number : {1, 3, 5})
    expect_message(chain.messages(), number, number * 40 * GST_MSECOND);
  expect_no_message(chain.messages());
}

TEST(metas_in_other_threads) {
  Chain chain("testanalyzer attach-meta=true");
  std::vector<std::thread> threads;
  for (int i = 0; i < 30; i++) {
    expect(chain.push(numbered(i)) == GST_FLOW_OK, "push failed");
    GstBuffer *buffer = chain.pull_buffer();
    for (int k = 0; k < 2; k++)
      threads.emplace_back([result = gst_buffer_ref(array_of(buffer)), i] {
        check_result(result, i);
        gst_buffer_unref(result);
      });
    gst_buffer_unref(buffer);
  }
  for (std::thread &thread : threads) thread.join();
}

TEST(meta_outlives_the_element) {
  std::vector<GstBuffer *> kept;
  for (int round = 0; round < 3; round++) {
    Chain chain("testanalyzer attach-meta=true");
    for (int i = 0; i < 4; i++) {
      expect(chain.push(numbered(i)) == GST_FLOW_OK, "push failed");
      GstBuffer *buffer = chain.pull_buffer();
      kept.push_back(gst_buffer_ref(array_of(buffer)));
      gst_buffer_unref(buffer);
    }
  }
  for (size_t i = 0; i < kept.size(); i++) {
    check_result(kept[i], static_cast<int>(i % 4));
    gst_buffer_unref(kept[i]);
  }
}

TEST(copies_of_a_meta) {
  Chain chain("testanalyzer attach-meta=true");
  expect(chain.push(numbered(7)) == GST_FLOW_OK, "push failed");
  GstBuffer *buffer = chain.pull_buffer();
  GstBuffer *copy = gst_buffer_copy_deep(buffer);
  gst_buffer_unref(buffer);
  expect(result_of(copy), "a copy of the frame has the meta");
  check_result(array_of(copy), 7);
  gst_buffer_unref(copy);
}

TEST(two_branches) { run_to_the_end(std::string(branch) + branch); }

TEST(two_pipelines) {
  std::thread other(run_to_the_end, branch);
  run_to_the_end(branch);
  other.join();
}

// Every frame has its message before EOS, and a stop in between does not block.
TEST(eos_and_stop) {
  for (int i = 0; i < 10; i++) {
    test::Pipeline pipeline(
        "videotestsrc num-buffers=30 ! video/x-raw,format=RGBA,width=64,height=64,framerate=25/1 "
        "! glupload ! testanalyzer interval=0 ! fakesink sync=" +
        std::string(i % 2 ? "true" : "false"));
    pipeline.set(GST_STATE_PLAYING);
    if (i % 2) {
      g_usleep(30 * 1000 * i);
      expect(pipeline.reach(GST_STATE_NULL), "NULL can't be reached");
      continue;
    }
    int count = 0;
    for (;;) {
      GstMessage *message = pipeline.messages().next(
          GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR, test::patience);
      expect(message, "the pipeline hangs");
      const GstMessageType type = GST_MESSAGE_TYPE(message);
      gst_message_unref(message);
      if (type != GST_MESSAGE_ELEMENT) break;
      count++;
    }
    fail_unless(count == 30, "%d messages before EOS", count);
  }
}

// The last frame's results depend on work that failed on another queue. An error reports it before
// EOS or on stop, with or without messages. No message or meta contains these results.
TEST(failed_outcome) {
  for (const char *properties : {"interval=0", "post-messages=false"})
    for (const bool eos : {true, false}) {
      Chain chain(std::string("testanalyzer attach-meta=true ") + properties);
      std::vector<GstBuffer *> kept;
      GstPad *pad = gst_element_get_static_pad(chain["testanalyzer"], "src");
      gst_pad_add_probe(
          pad, GST_PAD_PROBE_TYPE_BUFFER,
          [](GstPad *, GstPadProbeInfo *info, gpointer kept) {
            static_cast<std::vector<GstBuffer *> *>(kept)->push_back(
                gst_buffer_ref(array_of(GST_PAD_PROBE_INFO_BUFFER(info))));
            return GST_PAD_PROBE_OK;
          },
          &kept, nullptr);
      gst_object_unref(pad);
      for (int i = 0; i < 3; i++) pass(chain, i);
      deferred_error = std::make_shared<glcl::DeferredError>();
      deferred_error->set_failure(std::make_exception_ptr(
          glcl::Error(glcl::Error::Kind::failed, "The device is lost.", "CL_OUT_OF_RESOURCES")));
      chain.push(numbered(3));  // fails at once if the frame was waited for
      if (eos)
        push_eos(chain);
      else
        gst_element_set_state(chain["testanalyzer"], GST_STATE_READY);
      deferred_error = nullptr;
      const auto errors = chain.messages().errors();
      test::expect_one(errors, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
                       {"The device is lost.", "CL_OUT_OF_RESOURCES"});
      for (size_t i = 0; i < kept.size(); i++) {
        GstMapInfo map;
        if (i < 3)
          check_result(kept[i], static_cast<int>(i));
        else
          expect(!gst_buffer_map(kept[i], &map, GST_MAP_READ), "a result that there is not");
        gst_buffer_unref(kept[i]);
      }
    }
}

TEST(no_message_of_a_failure) {
  Chain chain("testanalyzer interval=0");
  for (int i = 0; i < 3; i++) pass(chain, i);
  deferred_error = std::make_shared<glcl::DeferredError>();
  deferred_error->set_failure(
      std::make_exception_ptr(glcl::Error(glcl::Error::Kind::failed, "The device is lost.")));
  chain.push(numbered(3));
  push_eos(chain);
  deferred_error = nullptr;
  for (int i = 0; i < 3; i++) expect_message(chain.messages(), i, i * 40 * GST_MSECOND);
  expect_no_message(chain.messages());
}
