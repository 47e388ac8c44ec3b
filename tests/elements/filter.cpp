// SPDX-License-Identifier: LGPL-2.1-or-later
// GstGLCLFilter as its subclasses see it: calls of the virtual functions, and effects of
// exceptions. The program is built with the base class and doesn't load the plugin.
#include "base/gstglclfilter.h"

#include <gst/video/video.h>

#include <algorithm>
#include <mutex>

#include "opencl/device.h"
#include "opencl/error.h"
#include "pipeline.h"
#include "sharing/sharing.h"

struct GstTestFilter {
  GstGLCLFilter parent;
};
struct GstTestFilterClass {
  GstGLCLFilterClass parent_class;
};
static GType gst_test_filter_get_type();
G_DEFINE_TYPE(GstTestFilter, gst_test_filter, GST_TYPE_GLCL_FILTER)

using glcl::sharing::methods_probed;
using glcl::sharing::SharingMethod;
using test::Chain;
using test::expect;
using test::expect_one;
using test::expect_same;
using test::Frame;

namespace {

/// The calls so far, and the exceptions to throw by name.
class Calls {
 public:
  void add(const std::string &call, const std::string &with = {}) {
    std::function<void()> thrower;
    {
      const std::lock_guard lock(mutex_);
      calls_ += (calls_.empty() ? "" : " ") + call + with;
      if (call == failing_) thrower = thrower_;
    }
    if (thrower) thrower();
  }
  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }
  template <class Exception>
  void throw_in(const std::string &call, const Exception &exception) {
    const std::lock_guard lock(mutex_);
    failing_ = call;
    thrower_ = [exception] { throw exception; };
  }
  void throw_no_more() {
    const std::lock_guard lock(mutex_);
    failing_.clear();
  }

 private:
  std::mutex mutex_;
  std::string calls_, failing_;
  std::function<void()> thrower_;
};

Calls calls;
glcl::Layout layout = glcl::Layout::image;

void expect_calls(const std::string &expected) {
  const std::string got = calls.take();
  fail_unless(got == expected, "calls were \"%s\", not \"%s\"", got.c_str(), expected.c_str());
}

Frame push_one(Chain &chain, int width = 16, int height = 8) {
  static unsigned seed = 0;
  const Frame in = reference::random_frame(width, height, seed++);
  const Frame out = chain.filter(in);
  expect_same(in, out, "the frame");
  return out;
}

void copy(glcl::Queue &queue, const glcl::Picture &in, const glcl::Picture &out) {
  if (in.layout == glcl::Layout::image)
    queue.cl().enqueueCopyImage(in.image, out.image, {0, 0, 0}, {0, 0, 0},
                                {size_t(in.width), size_t(in.height), 1});
  else
    queue.cl().enqueueCopyBuffer(in.buffer, out.buffer, 0, 0, in.bytes());
}

/// A chain after one frame; the calls of this frame are removed from the record.
std::unique_ptr<Chain> started(const std::string &elements = "testfilter") {
  auto chain = std::make_unique<Chain>(elements);
  push_one(*chain);
  calls.take();
  return chain;
}

void push_segment(Chain &chain, GstClockTime base) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = base;
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
}

/// Expects that a frame during which a call throws ends the stream with one error, and that the
/// chain stops.
template <class Exception>
void check_throw(const std::string &call, const Exception &exception, GQuark domain, int code,
                 const std::vector<std::string> &words) {
  {
    Chain chain("testfilter");
    if (call != "prepare") push_one(chain);
    calls.throw_in(call, exception);
    GstBuffer *buffer = chain.buffer_of(reference::random_frame(16, 8));
    if (call == "reset") GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    expect(chain.push(buffer, 16, 8) != GST_FLOW_OK, "the frame passes");
    const auto errors = chain.messages().errors();
    expect_one(errors, domain, code, words);
    expect(errors.size() == 1, "one error and no other");
    calls.throw_no_more();
  }
  const std::string all = calls.take();
  const std::string end = " unprepare";
  expect(all.size() > end.size() && all.substr(all.size() - end.size()) == end,
         "unprepare is called last: " + all);
}

}  // namespace

static void gst_test_filter_init(GstTestFilter *) {}

static void gst_test_filter_class_init(GstTestFilterClass *klass) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Test filter", "Filter/Test",
                                        "Copies frames and reports its calls",
                                        "The gst-glcl developers");
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = [](GstGLCLFilter *, glcl::Context &, int width, int height) {
    calls.add("prepare", "(" + std::to_string(width) + "," + std::to_string(height) + ")");
    return layout;
  };
  filter_class->process = [](GstGLCLFilter *, glcl::Queue &queue, const glcl::Picture &in,
                             const glcl::Picture &out, GstBuffer *inbuf, GstBuffer *outbuf) {
    expect(GST_BUFFER_PTS(inbuf) == GST_BUFFER_PTS(outbuf), "both buffers have the frame's time");
    expect(in.layout == layout && out.layout == layout, "the pictures have the layout asked for");
    copy(queue, in, out);
    calls.add("process");
  };
  filter_class->reset = [](GstGLCLFilter *) { calls.add("reset"); };
  filter_class->unprepare = [](GstGLCLFilter *) { calls.add("unprepare"); };
}

static const test::Setup setup(
    test::hide_plugin, [] { test::register_element("testfilter", gst_test_filter_get_type()); },
    [] {
      calls.take();
      layout = glcl::Layout::image;
    });

TEST(calls_of_a_run) {
  {
    Chain chain("testfilter");
    expect_calls("");
    push_one(chain);
    expect_calls("prepare(16,8) reset process");
    push_one(chain);
    push_one(chain);
    expect_calls("process process");
  }
  expect_calls("unprepare");
}

TEST(layouts) {
  for (const glcl::Layout wanted : {glcl::Layout::image, glcl::Layout::buffer}) {
    layout = wanted;
    Chain chain("gleffects_identity ! testfilter ! testfilter ! gleffects_identity");
    for (int i = 0; i < 40; i++) push_one(chain, 61, 47);
  }
}

TEST(new_caps) {
  auto chain = started();
  push_one(*chain, 24, 8);
  expect_calls("prepare(24,8) reset process");
  push_one(*chain, 24, 8);
  expect_calls("process");
  chain->framerate = 50;
  push_one(*chain, 24, 8);
  const std::string got = calls.take();
  expect(got == "prepare(24,8) reset process" || got == "reset process",
         "another framerate is a new stream: " + got);
}

// Downstream elements that renegotiate, like a new branch of a tee, change no frame.
TEST(same_caps_again) {
  auto chain = started();
  gst_harness_push_upstream_event(chain->harness(), gst_event_new_reconfigure());
  push_one(*chain);
  expect_calls("process");
}

TEST(discontinuity) {
  auto chain = started();
  GstBuffer *buffer = chain->buffer_of(reference::random_frame(16, 8));
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  expect(chain->push(buffer, 16, 8) == GST_FLOW_OK, "push failed");
  chain->pull();
  expect_calls("reset process");
  push_one(*chain);
  expect_calls("process");
}

TEST(flush) {
  auto chain = started();
  gst_harness_push_event(chain->harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain->harness(), gst_event_new_flush_stop(TRUE));
  expect_calls("");
  push_segment(*chain, 0);
  push_one(*chain);
  expect_calls("reset process");
}

TEST(segment) {
  auto chain = started();
  push_segment(*chain, GST_SECOND);
  push_one(*chain);
  expect_calls("reset process");
  push_one(*chain);
  expect_calls("process");
}

TEST(other_events) {
  auto chain = started();
  gst_harness_push_event(chain->harness(),
                         gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "a title", nullptr)));
  gst_harness_push_event(chain->harness(), gst_event_new_gap(0, GST_SECOND));
  push_one(*chain);
  expect_calls("process");
}

TEST(states) {
  test::Pipeline pipeline(
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=16,height=8 ! glupload ! "
      "testfilter ! fakesink");
  for (int i = 0; i < 3; i++) {
    expect(pipeline.run(), "no EOS");
    expect_calls("prepare(16,8) reset process process");
    expect(pipeline.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
    expect_calls("");
    expect(pipeline.reach(i % 2 ? GST_STATE_NULL : GST_STATE_READY), "the pipeline does not stop");
    expect_calls("unprepare");
  }
}

TEST(stop_without_a_frame) {
  { Chain chain("testfilter"); }
  expect_calls("");
}

TEST(throw_in_prepare) {
  using glcl::Error;
  check_throw("prepare", Error(Error::Kind::settings, "Too large.", "a detail"), GST_RESOURCE_ERROR,
              GST_RESOURCE_ERROR_SETTINGS, {"Too large.", "a detail"});
  check_throw("prepare", Error(Error::Kind::failed, "Does not build.", "the build log"),
              GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, {"Does not build.", "the build log"});
  check_throw("prepare", cl::Error(CL_OUT_OF_RESOURCES, "clCreateBuffer"), GST_RESOURCE_ERROR,
              GST_RESOURCE_ERROR_FAILED, {"CL_OUT_OF_RESOURCES", "clCreateBuffer"});
}

TEST(throw_in_process) {
  using glcl::Error;
  check_throw("process", Error(Error::Kind::failed, "Refused.", "a detail"), GST_RESOURCE_ERROR,
              GST_RESOURCE_ERROR_FAILED, {"Refused.", "a detail"});
  check_throw("process", cl::Error(CL_INVALID_KERNEL_ARGS, "clEnqueueNDRangeKernel"),
              GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, {"CL_INVALID_KERNEL_ARGS"});
  check_throw("process", std::out_of_range("no such bin"), GST_LIBRARY_ERROR,
              GST_LIBRARY_ERROR_FAILED, {"no such bin"});
  check_throw("process", std::bad_alloc(), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
              {"bad_alloc"});
}

TEST(throw_in_reset) {
  check_throw("reset", std::runtime_error("no reset"), GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
              {"no reset"});
}

// The textures of a frame that failed go back to OpenGL: the next frames are right.
TEST(frames_after_a_failure) {
  auto chain = started("gleffects_identity ! testfilter ! gleffects_identity");
  for (int i = 0; i < 10; i++) {
    calls.throw_in("process", std::runtime_error("this frame only"));
    expect(chain->push(reference::random_frame(16, 8, i)) == GST_FLOW_ERROR, "the frame passes");
    calls.throw_no_more();
    push_one(*chain);
    push_one(*chain);
  }
}

// A method is probed once per GL context and device, for any number of elements and starts.
TEST(methods_are_probed_once) {
  const auto *const *first = std::begin(SharingMethod::all);
  const auto is_used = [](const SharingMethod *method) {
    return method->name == std::string(test::expected_method());
  };
  const unsigned failed = std::find_if(first, std::end(SharingMethod::all), is_used) - first;
  // Failing methods are probed on each device.
  const unsigned methods = failed * glcl::devices().size() + 1;
  for (int i = 0; i < 2; i++) {
    const unsigned before = methods_probed();
    Chain chain("testfilter ! testfilter ! gleffects_identity ! testfilter ! testfilter");
    push_one(chain);
    push_one(chain, 24, 8);
    const unsigned asked = methods_probed() - before;
    expect(asked == methods,
           std::to_string(asked) + " probes of " + std::to_string(methods) + " methods");
  }
}
