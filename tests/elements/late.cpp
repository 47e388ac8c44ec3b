// SPDX-License-Identifier: LGPL-2.1-or-later
// Late results of the device while frames continue. They arrive without a further frame, in order,
// and before events that end or divide the stream. The program is built with the base classes and
// doesn't load the plugin.
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "base/gstglclanalyzer.h"
#include "opencl/deferrederror.h"
#include "opencl/error.h"
#include "opencl/queuesync.h"
#include "pipeline.h"

struct GstLateAnalyzer {
  GstGLCLAnalyzer parent;
};
struct GstLateAnalyzerClass {
  GstGLCLAnalyzerClass parent_class;
};
static GType gst_late_analyzer_get_type();
G_DEFINE_TYPE(GstLateAnalyzer, gst_late_analyzer, GST_TYPE_GLCL_ANALYZER)

using test::Chain;
using test::expect;
using test::Frame;

namespace {

constexpr size_t result_bytes = 256;
constexpr GstClockTime a_minute = 60 * GST_SECOND;
std::atomic<int> finished{0};

/// Simulates the device: reads wait until it finishes.
class Device {
 public:
  /// Makes the results of the next frames late.
  void keep() {
    const std::lock_guard lock(mutex_);
    keeps_ = true;
  }
  /// Finishes all results.
  void finish() {
    const std::lock_guard lock(mutex_);
    keeps_ = false;
    for (Work &work : works_) work.done.setStatus(CL_COMPLETE);
    works_.clear();
  }
  /// Finishes the result of a random frame.
  void finish_one(std::mt19937 &random) {
    const std::lock_guard lock(mutex_);
    if (works_.empty()) return;
    const auto work = works_.begin() + std::ptrdiff_t(random() % works_.size());
    work->done.setStatus(CL_COMPLETE);
    works_.erase(work);
  }
  bool keeps() {
    const std::lock_guard lock(mutex_);
    return keeps_;
  }
  /// The queue for the reads of results, after `frames`.
  std::shared_ptr<glcl::Queue> queue_for(glcl::Queue &frames) {
    const std::lock_guard lock(mutex_);
    auto queue = std::make_shared<glcl::Queue>(frames.context().shared_from_this());
    glcl::wait_for(*queue, frames);
    if (!keeps_) return queue;
    works_.push_back({queue, cl::UserEvent(frames.context().cl())});
    const std::vector<cl::Event> done{works_.back().done};
    queue->cl().enqueueBarrierWithWaitList(&done);
    return queue;
  }

 private:
  struct Work {
    std::shared_ptr<glcl::Queue> queue;
    cl::UserEvent done;
  };
  std::mutex mutex_;
  bool keeps_ = false;
  std::vector<Work> works_;
};

Device device;
std::shared_ptr<glcl::DeferredError> deferred_error;  // for the next frames

/// A frame in which every byte is its number.
Frame numbered(int number) {
  Frame frame(32, 16);
  std::memset(frame.rgba.data(), number, frame.rgba.size());
  return frame;
}

void pass(Chain &chain, int number) {
  test::expect_same(numbered(number), chain.filter(numbered(number)), "the frame");
}

/// The number in the next message; -1 after the timeout.
int next_number(test::Messages &messages, GstClockTime timeout) {
  GstStructure *structure = messages.structure("late", timeout);
  int number = -1;
  if (structure) {
    gst_structure_get_int(structure, "number", &number);
    gst_structure_free(structure);
  }
  return number;
}

void expect_number(test::Messages &messages, int number, GstClockTime timeout) {
  const int got = next_number(messages, timeout);
  fail_unless(got == number, "result %d instead of %d", got, number);
}

void send(Chain &chain, GstEvent *event) { gst_harness_push_event(chain.harness(), event); }

void send_segment(Chain &chain) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  send(chain, gst_event_new_segment(&segment));
}

void flush(Chain &chain) {
  send(chain, gst_event_new_flush_start());
  send(chain, gst_event_new_flush_stop(TRUE));
}

/// Finishes the device's work after a delay, or one result after the other.
class DelayedCompletion {
 public:
  DelayedCompletion()
      : thread_([] {
          g_usleep(50 * 1000);
          device.finish();
        }) {}
  explicit DelayedCompletion(unsigned seed)
      : thread_([this, seed] {
          std::mt19937 random(seed);
          while (!ended_) {
            device.finish_one(random);
            g_usleep(random() % 2000);
          }
          device.finish();
        }) {}
  ~DelayedCompletion() {
    ended_ = true;
    thread_.join();
  }
  DelayedCompletion(const DelayedCompletion &) = delete;

 private:
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

constexpr char source[] =
    "videotestsrc name=source ! video/x-raw,format=RGBA,width=32,height=16,framerate=25/1 ! "
    "glupload ! late interval=0 ! fakesink name=sink ";

}  // namespace

static void gst_late_analyzer_init(GstLateAnalyzer *) {}

static glcl::Layout gst_late_analyzer_prepare(GstGLCLFilter *filter, glcl::Context &context, int,
                                              int) {
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, result_bytes);
  return glcl::Layout::buffer;
}

static void gst_late_analyzer_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                      const glcl::Picture &in, const glcl::Picture &out,
                                      GstBuffer *inbuf, GstBuffer *) {
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  queue.cl().enqueueCopyBuffer(in.buffer, out.buffer, 0, 0, in.bytes());
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
  const cl::Buffer result(queue.context().cl(), CL_MEM_READ_WRITE, result_bytes);
  queue.cl().enqueueCopyBuffer(in.buffer, result, 0, 0, result_bytes);
  const std::shared_ptr<glcl::Queue> late = device.queue_for(queue);
  gst_glcl_analyzer_check_deferred(analyzer, *late, deferred_error);
  gst_glcl_analyzer_read(analyzer, *late, result, result_bytes,
                         [analyzer, late, result, times = wanted.times](const void *bytes) {
                           GstStructure *message = gst_glcl_analyzer_structure("late", times);
                           gst_structure_set(message, "number", G_TYPE_INT,
                                             *static_cast<const unsigned char *>(bytes), nullptr);
                           gst_glcl_analyzer_post(analyzer, message);
                         });
  late->cl().flush();
}

static void gst_late_analyzer_class_init(GstLateAnalyzerClass *klass) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Late analyzer", "Filter/Test",
                                        "Tells the first byte of frames, when it may",
                                        "The gst-glcl developers");
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_late_analyzer_prepare;
  filter_class->process = gst_late_analyzer_process;
  GST_GLCL_ANALYZER_CLASS(klass)->finish = [](GstGLCLAnalyzer *) { finished++; };
}

static const test::Setup setup(test::hide_plugin, [] {
  test::register_element("late", gst_late_analyzer_get_type());
});

// A live source that stops or is slow.
TEST(no_further_frame) {
  Chain chain("late interval=0");
  for (int round = 0; round < 3; round++) {
    device.keep();
    for (int i = 0; i < 3; i++) pass(chain, 3 * round + i);
    expect(next_number(chain.messages(), 0) == -1, "the device is not done");
    device.finish();
    for (int i = 0; i < 3; i++) expect_number(chain.messages(), 3 * round + i, a_minute);
  }
}

TEST(paused_and_step) {
  test::Pipeline pipeline(source);
  device.keep();
  expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  expect(next_number(pipeline.messages(), 0) == -1, "the device is not done");
  device.finish();
  expect(next_number(pipeline.messages(), a_minute) >= 0, "the first frame's result comes");
  for (int i = 0; i < 3; i++) {
    device.keep();
    gst_element_send_event(pipeline["sink"],
                           gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1, TRUE, FALSE));
    GstMessage *done = pipeline.messages().next(GST_MESSAGE_STEP_DONE, a_minute);
    expect(done, "a step ends");
    gst_message_unref(done);
    expect(pipeline.reach(GST_STATE_PAUSED), "the next frame is there");
    device.finish();
    expect(next_number(pipeline.messages(), a_minute) >= 0, "a step's result comes");
  }
}

// Events that end or divide the stream arrive after the results of all earlier frames.
TEST(events_wait) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  GstCaps *caps = gst_caps_from_string("video/x-raw,format=RGBA,width=32,height=16,framerate=30/1");
  const std::vector<std::pair<GstEvent *, bool>> events = {
      {gst_event_new_gap(0, GST_SECOND), false},
      {gst_event_new_segment_done(GST_FORMAT_TIME, GST_SECOND), true},
      {gst_event_new_stream_start("other"), true},
      {gst_event_new_caps(caps), false},
      {gst_event_new_segment(&segment), false},
      {gst_event_new_eos(), true}};
  gst_caps_unref(caps);
  Chain chain("late interval=0");
  int number = 0;
  for (const auto &[event, ends] : events) {
    const std::string name = GST_EVENT_TYPE_NAME(event);
    device.keep();
    pass(chain, number++);
    pass(chain, number++);
    const int before = finished;
    const DelayedCompletion later;
    send(chain, event);
    expect(!device.keeps(), name + " waits for the results");
    expect_number(chain.messages(), number - 2, 0);
    expect_number(chain.messages(), number - 1, 0);
    expect(finished == before + ends, name + (ends ? " is an end" : " is no end"));
  }
}

TEST(drain_query_waits) {
  Chain chain("late interval=0");
  device.keep();
  pass(chain, 1);
  const DelayedCompletion later;
  chain.drain();
  expect_number(chain.messages(), 1, 0);
}

// Results from before a flush are not reported after it.
TEST(flush) {
  Chain chain("late interval=0");
  for (int round = 0; round < 3; round++) {
    device.keep();
    pass(chain, 2 * round);
    flush(chain);
    device.finish();
    send_segment(chain);
    pass(chain, 2 * round + 1);
    expect_number(chain.messages(), 2 * round + 1, a_minute);
  }
}

TEST(stop_and_start) {
  for (int i = 0; i < 3; i++) {
    test::Pipeline pipeline(source);
    for (int round = 0; round < 2; round++) {
      device.keep();
      expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
      const DelayedCompletion later;
      pipeline.set(i == 0 ? GST_STATE_READY : GST_STATE_NULL);
      expect(next_number(pipeline.messages(), 0) == -1, "a stop drops pending results");
    }
  }
}

// A failure is reported without a further frame and ends the stream; after a flush frames may work
// again.
TEST(failure) {
  Chain chain("late interval=0");
  for (int round = 0; round < 2; round++) {
    device.keep();
    pass(chain, 1);
    deferred_error = std::make_shared<glcl::DeferredError>();
    deferred_error->set_failure(
        std::make_exception_ptr(glcl::Error(glcl::Error::Kind::failed, "The device is lost.")));
    pass(chain, 2);
    deferred_error = nullptr;
    pass(chain, 3);
    device.finish();
    GstMessage *error = chain.messages().next(GST_MESSAGE_ERROR, a_minute);
    expect(error, "the failure is posted");
    gst_message_unref(error);
    expect(chain.push(numbered(4)) == GST_FLOW_ERROR, "it ends the stream");
    flush(chain);
    send_segment(chain);
    while (next_number(chain.messages(), 0) >= 0) continue;
    pass(chain, 5);
    expect_number(chain.messages(), 5, a_minute);
    chain.messages().errors();
  }
}

// Work completes in any order while frames come: all results are reported, in order.
TEST(any_order) {
  Chain chain("late interval=0");
  const int frames = 100;
  {
    device.keep();
    const DelayedCompletion later(1);
    for (int i = 0; i < frames; i++) pass(chain, i);
  }
  for (int i = 0; i < frames; i++) expect_number(chain.messages(), i, a_minute);
}

// The same between flushes; after a flush only results of later frames arrive.
TEST(any_order_and_flushes) {
  Chain chain("late interval=0");
  const DelayedCompletion later(2);
  for (int round = 0; round < 40; round++) {
    device.keep();
    const int frames = 1 + round % 5;
    for (int i = 0; i < frames; i++) pass(chain, round);
    flush(chain);
    for (int number; (number = next_number(chain.messages(), 0)) != -1;)
      expect(number == round, "a posted result was not flushed");
    send_segment(chain);
  }
}

TEST(any_order_and_stops) {
  for (int i = 0; i < 20; i++) {
    device.keep();
    const DelayedCompletion later(3 + unsigned(i));
    test::Pipeline pipeline(source);
    pipeline.set(GST_STATE_PLAYING);
    expect(next_number(pipeline.messages(), a_minute) >= 0, "it plays");
    g_usleep(i * 500);
    expect(pipeline.reach(i % 2 ? GST_STATE_NULL : GST_STATE_READY), "it stops");
  }
}

// A handler of a result may flush, as a seek does, and drain.
TEST(flush_in_a_message_handler) {
  Chain chain("late interval=0");
  GstBus *bus = gst_element_get_bus(chain.bin());
  gst_bus_set_sync_handler(
      bus,
      [](GstBus *, GstMessage *message, gpointer data) {
        auto *chain = static_cast<Chain *>(data);
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) {
          chain->drain();
          flush(*chain);
          send_segment(*chain);
        }
        return GST_BUS_PASS;
      },
      &chain, nullptr);
  for (int i = 0; i < 3; i++) {
    device.keep();
    pass(chain, i);
    device.finish();
    expect_number(chain.messages(), i, a_minute);
  }
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_object_unref(bus);
}
