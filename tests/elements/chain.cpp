// SPDX-License-Identifier: LGPL-2.1-or-later
// glclchain in pipelines: its pixels, its children, other chains and edited files while it plays.
#include "reference/chain/chain.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "filterfiles.h"
#include "opencl/error.h"

#if HAVE_CONTROLLER
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#endif

using glcl::chain::parse_chain;
using test::Chain;
using test::child;
using test::expect;
using test::expect_broken;
using test::expect_near;
using test::expect_soon;
using test::expect_warning;
using test::Folder;
using test::Frame;

namespace {

std::string element(const std::string &filters, const std::string &more = "") {
  return "glclchain filters=\"" + filters + "\" " + more;
}

Frame expected(const Frame &frame, const std::string &filters) {
  return reference::chain(frame, parse_chain(filters, "test", {}));
}

std::string negative_of(const std::string &name) {
  return "//! filter " + name + ": the negative\n//! param part 0..1 = 1: how much of it\nfloat4 " +
         name +
         "(PIXEL) {\n  const float4 c = at(0, 0);\n"
         "  return (float4)(c.xyz + part * (1.0f - 2.0f * c.xyz), c.w);\n}\n";
}
const std::string negative = negative_of("own");
const std::string swapped =
    "//! filter own: red for blue\n"
    "float4 own(PIXEL) { return at(0, 0).zyxw; }\n";

Frame swap(Frame frame) {
  for (size_t i = 0; i < frame.rgba.size(); i += 4) std::swap(frame.rgba[i], frame.rgba[i + 2]);
  return frame;
}

}  // namespace

TEST(every_size) {
  const std::string filters = "gauss(sigma=1) ! grey ! sharpen";
  Chain chain(element(filters));
  for (const auto &[width, height] : {std::pair{1, 1}, {17, 13}, {320, 240}}) {
    const Frame in = reference::random_frame(width, height);
    expect_near(expected(in, filters), chain.filter(in), 1, filters);
  }
}

TEST(earlier_frames) {
  const std::string filters = "invert ! blend(amount=0.5)";
  Chain chain(element(filters));
  std::vector<Frame> frames;
  for (unsigned seed = 1; seed < 4; seed++) frames.push_back(reference::random_frame(33, 21, seed));
  const auto results = reference::chain(frames, parse_chain(filters, "test", {}));
  for (size_t i = 0; i < frames.size(); i++)
    expect_near(results[i], chain.filter(frames[i]), 1, "frame " + std::to_string(i));
  // A flush resets earlier frames.
  gst_harness_push_event(chain.harness(), gst_event_new_flush_start());
  gst_harness_push_event(chain.harness(), gst_event_new_flush_stop(FALSE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(chain.harness(), gst_event_new_segment(&segment));
  expect_near(results[0], chain.filter(frames[0]), 1, "after a flush");
}

TEST(nothing_to_do) {
  Chain chain("glclchain");
  const Frame in = reference::random_frame(33, 21);
  test::expect_same(in, chain.filter(in), "no filters");
  g_object_set(chain["glclchain"], "filters", "invert", nullptr);
  expect_soon(chain, in, expected(in, "invert"), "a first chain");
  g_object_set(chain["glclchain"], "filters", "", nullptr);
  test::expect_same(in, chain.filter(in), "no filters any more");
}

TEST(parameters_while_playing) {
  Chain chain(element("gauss(sigma=1) ! threshold ! gauss", "sharing=copy"));
  GstElement *glclchain = chain["glclchain"];
  const Frame in = reference::natural_frame(61, 47);
  gst_child_proxy_set(GST_CHILD_PROXY(glclchain), "gauss::sigma", 1.5, nullptr);
  expect_near(expected(in, "gauss(sigma=1.5) ! threshold ! gauss(sigma=2)"), chain.filter(in), 1,
              "set before");
  expect(gst_child_proxy_get_children_count(GST_CHILD_PROXY(glclchain)) == 3, "three children");
  g_object_set(child(glclchain, "threshold"), "level", 0.3, nullptr);
  expect_soon(chain, in, expected(in, "gauss(sigma=1.5) ! threshold(level=0.3) ! gauss"),
              "a level");
  // From here on a new level takes effect with the next frame.
  g_object_set(child(glclchain, "threshold"), "level", 0.6, nullptr);
  expect_near(expected(in, "gauss(sigma=1.5) ! threshold(level=0.6) ! gauss"), chain.filter(in), 1,
              "another level");
  g_object_set(child(glclchain, "gauss-2"), "sigma", 0.8, nullptr);  // changes the radius
  expect_soon(chain, in, expected(in, "gauss(sigma=1.5) ! threshold(level=0.6) ! gauss(sigma=0.8)"),
              "another radius");
  g_object_set(glclchain, "iterations", 2, nullptr);
  auto twice =
      parse_chain("gauss(sigma=1.5) ! threshold(level=0.6) ! gauss(sigma=0.8)", "test", {});
  twice.iterations = 2;
  expect_soon(chain, in, reference::chain(in, twice), "iterations");
  test::expect_none(chain.messages().warnings());
}

#if HAVE_CONTROLLER
TEST(controlled_parameter) {
  Chain chain(element("invert"));
  GObject *invert = child(chain["glclchain"], "invert");
  GstControlSource *source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
  auto *points = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  gst_timed_value_control_source_set(points, 0, 0.0);
  gst_timed_value_control_source_set(points, GST_SECOND, 1.0);
  expect(gst_object_add_control_binding(
             GST_OBJECT(invert),
             gst_direct_control_binding_new(GST_OBJECT(invert), "strength", source)),
         "strength can be controlled");
  gst_object_unref(source);
  const Frame in = reference::random_frame(40, 30);
  for (int i = 0; i < 25; i++)  // 25 frames/s
    expect_near(expected(in, "invert(strength=" + std::to_string(i / 25.0) + ")"), chain.filter(in),
                1, "strength of frame " + std::to_string(i));
}
#endif

TEST(another_chain_while_playing) {
  Folder folder;
  folder.write("broken.cl",
               "//! filter broken: does not compile\n\nfloat4 broken(PIXEL) {\n"
               "  return at(0, 0) + nothing;\n}\n");
  Chain chain(element("invert", "path=" + folder.path()));
  GstElement *glclchain = chain["glclchain"];
  const Frame in = reference::natural_frame(61, 47);
  expect_near(expected(in, "invert"), chain.filter(in), 1, "invert");
  g_object_set(glclchain, "filters", "grey ! sobel", nullptr);
  expect_soon(chain, in, expected(in, "grey ! sobel"), "another chain");
  g_object_set(glclchain, "filters", "grey ! nosuch", nullptr);
  expect_warning(chain, in, expected(in, "grey ! sobel"), {"filters:1:", "nosuch"});
  g_object_set(glclchain, "filters", "grey ! broken", nullptr);
  expect_warning(chain, in, expected(in, "grey ! sobel"), {"broken.cl:4", "nothing"});
  child(glclchain, "sobel");
  g_object_set(glclchain, "filters", "median", nullptr);
  expect_soon(chain, in, expected(in, "median"), "a chain after a broken one");
  test::expect_none(chain.messages().errors());
}

// A handler of child-added may set another chain.
TEST(another_chain_set_by_a_handler) {
  Chain chain(element("invert"));
  GstElement *glclchain = chain["glclchain"];
  const auto ask = +[](GstChildProxy *proxy, GObject *, const gchar *name, gpointer) {
    if (g_str_equal(name, "sobel")) g_object_set(proxy, "filters", "median", nullptr);
  };
  g_signal_connect(glclchain, "child-added", G_CALLBACK(ask), nullptr);
  const Frame in = reference::natural_frame(61, 47);
  expect_near(expected(in, "invert"), chain.filter(in), 1, "invert");
  g_object_set(glclchain, "filters", "sobel", nullptr);
  expect_soon(chain, in, expected(in, "median"), "the chain that the handler set");
  test::expect_none(chain.messages().errors());
}

// A broken chain is set together with the first frame of another size, before a build in the
// background could start.
TEST(broken_with_another_size) {
  Chain chain("glclchain");
  const Frame in = reference::random_frame(33, 21), other = reference::random_frame(21, 33);
  test::expect_same(in, chain.filter(in), "no filters");
  g_object_set(chain["glclchain"], "iterations", 40, "filters", "grey ! invert", nullptr);
  expect_warning(chain, other, other, {"more than 64 steps"});
  g_object_set(chain["glclchain"], "iterations", 1, "filters", "invert", nullptr);
  expect_soon(chain, other, expected(other, "invert"), "a chain after it");
  test::expect_none(chain.messages().errors());
}

// A refused chain is used once it fits the device.
TEST(refused_until_it_fits) {
  Chain chain("glclchain filters=invert iterations=40");
  const Frame in = reference::random_frame(33, 21);
  expect_near(in, chain.filter(in), 1, "inverted forty times");
  g_object_set(chain["glclchain"], "filters", "grey ! invert", nullptr);
  expect_warning(chain, in, in, {"more than 64 steps"});
  g_object_set(chain["glclchain"], "iterations", 1, nullptr);
  expect_soon(chain, in, expected(in, "grey ! invert"), "a chain that fits");
  test::expect_none(chain.messages().errors());
}

TEST(edited_files) {
  Folder folder;
  folder.write("own.cl", negative);
  const std::string location = folder.write("chain.txt", "\xef\xbb\xbf# mine\n./own.cl(part=1)\n");
  Chain chain("glclchain location=" + location);
  GstElement *glclchain = chain["glclchain"];
  const Frame in = reference::natural_frame(61, 47);
  expect_near(expected(in, "invert"), chain.filter(in), 1, "own");
  folder.write("chain.txt", "./own.cl(part=0.5) ! grey");
  g_signal_emit_by_name(glclchain, "reload");
  expect_soon(chain, in, expected(in, "invert(strength=0.5) ! grey"), "a reloaded chain");
  g_object_set(glclchain, "watch", TRUE, nullptr);
  folder.write("own.cl", swapped);  // before the element checks its files
  expect_warning(chain, in, expected(in, "invert(strength=0.5) ! grey"), {"chain.txt:1", "part"});
  folder.write("chain.txt", "./own.cl");
  expect_soon(chain, in, swap(in), "watched files");
  // New files that do not compile are read only once.
  folder.write("other.cl", "//! filter other: broken\nfloat4 other(PIXEL) { return nothing; }\n");
  folder.write("chain.txt", "./own.cl ! ./other.cl");
  expect_warning(chain, in, swap(in), {"other.cl:2"});
  for (int i = 0; i < 4; i++) {
    g_usleep(250000);
    chain.filter(in);
  }
  int reports = 0;
  for (const test::Message &warning : chain.messages().warnings())
    reports += warning.text.find("other.cl:2") != std::string::npos;
  expect(reports == 1, "a broken file is reported once");
  folder.write("other.cl", negative_of("other"));
  expect_soon(chain, in, expected(swap(in), "invert"), "the mended file");
  test::expect_none(chain.messages().errors());
}

// GObject keeps types forever, so an editor's changes must not use up new ones.
TEST(changed_declarations_take_no_types) {
  const auto types = [] {
    guint count = 0;
    g_free(g_type_children(GST_TYPE_OBJECT, &count));
    return count;
  };
  Folder folder;
  const auto ask = [&](GstElement *element, int n) {
    const std::string number = std::to_string(n),
                      file = folder.write("grown.cl", "//! filter grown: text\n//! param amount -" +
                                                          number + ".." + number + " = " + number +
                                                          ": text\n//! list points = [" + number +
                                                          "]\n//! weights 1\n");
    g_object_set(element, "filters", file.c_str(), nullptr);
    GObject *grown = child(element, "grown");
    GObjectClass *klass = G_OBJECT_GET_CLASS(grown);
    const auto *amount = G_PARAM_SPEC_DOUBLE(g_object_class_find_property(klass, "amount"));
    expect(amount->minimum == -n && amount->maximum == n && amount->default_value == n,
           "its range and default are as declared");
    GParamSpec *points = g_object_class_find_property(klass, "points");
    expect(g_value_get_string(g_param_spec_get_default_value(points)) == "[" + number + "]",
           "its list's default is as declared");
    return grown;
  };
  Chain one("glclchain"), other("glclchain");
  GObject *kept = ask(other["glclchain"], 1000);
  ask(one["glclchain"], 1);
  const guint before = types();
  for (int n = 2; n < 40; n++) ask(one["glclchain"], n);
  expect(types() <= before + 1, "there are " + std::to_string(types() - before) + " more types");
  expect(G_PARAM_SPEC_DOUBLE(g_object_class_find_property(G_OBJECT_GET_CLASS(kept), "amount"))
                 ->maximum == 1000,
         "a child keeps its range");
}

// The first filter of the manual's page.
TEST(first_filter) {
  std::ifstream page(std::string(std::getenv("GLCL_SOURCE")) + "/docs/glclchain.md");
  std::string text;
  for (std::string line; std::getline(page, line) && line != "    }";)
    if (!text.empty() || line.rfind("    //! filter", 0) == 0) text += line.substr(4) + "\n";
  Folder folder;
  const std::string file = folder.write("warm.cl", text + "}\n");
  const Frame in = reference::natural_frame(64, 48);
  Frame out = in;
  for (size_t i = 0; i < out.rgba.size(); i += 4) {
    out.rgba[i] = static_cast<uint8_t>(std::min(in.rgba[i] + 38, 255));
    out.rgba[i + 2] = static_cast<uint8_t>(std::max(in.rgba[i + 2] - 38, 0));
  }
  Chain chain(element(file + "(amount=0.5)"));
  expect_near(out, chain.filter(in), 1, "evening light");
}

TEST(broken_at_start) {
  Folder folder;
  const std::string broken = folder.write(
      "broken.cl", "//! filter broken: no\nfloat4 broken(PIXEL) { return at(0) + nothing; }\n");
  const std::string pointer = folder.write(
      "pointer.cl", "//! filter pointer: no\n\nfloat4 pointer(PIXEL) { __global float *p = 0; }\n");
  expect_broken(element("grey ! nosuch"), {"filters:1:", "nosuch", "gauss"});
  expect_broken(element("gauss(sigma=99)"), {"sigma", "0.2", "20"});
  expect_broken(element("gauss(size=2)"), {"no parameter size", "sigma"});
  expect_broken(element("grey grey"), {"!"});
  expect_broken(element("grey*65"), {"64"});
  expect_broken(element("convolve(matrix=[1 2; 3 4])"), {"odd"});
  expect_broken(element("convolve(matrix=[1 2 3; 4 5])"), {"rows"});
  expect_broken(element("convolve(matrix=[1e37])"), {"numbers go from -1e36 to 1e36"});
  expect_broken(element("lut(points=[0 -1e300])"), {"numbers go from -1e36 to 1e36"});
  expect_broken(element("gauss(sigma=1e999)"), {"numbers go from -1e36 to 1e36"});
  expect_broken(element("grey*40 ! invert*40"), {"64"});
  expect_broken(element(pointer), {"pointer.cl:3", "__global"});
  expect_broken(element(broken), {"broken.cl:2"});
  expect_broken("glclchain location=/nonexistent/chain.txt", {"/nonexistent/chain.txt"});
  expect_broken("glclchain location=/dev/zero", {"not a regular file"});
}

TEST(broken_at_each_start) {
  test::Pipeline pipeline("gltestsrc num-buffers=3 ! glclchain filters=nosuch ! fakesink");
  for (int i = 0; i < 2; i++) {
    pipeline.set(GST_STATE_PAUSED);
    GstMessage *error = pipeline.messages().next(GST_MESSAGE_ERROR, 10 * GST_SECOND);
    expect(error != nullptr, "an error is posted at each start");
    gst_message_unref(error);
    pipeline.set(GST_STATE_NULL);
  }
}

TEST(stop_and_start) {
  test::Pipeline pipeline("videotestsrc num-buffers=5 ! glupload ! glcolorconvert ! " +
                          element("gauss ! grey") + " ! " + element("blend") + " ! fakesink");
  for (int i = 0; i < 3; i++) {
    expect(pipeline.run(), "the pipeline failed");
    expect(pipeline.reach(GST_STATE_NULL), "it can't be stopped");
  }
  test::expect_none(pipeline.messages().errors());
}

TEST(two_pipelines) {
  Chain one(element("gauss ! grey")), other(element("emboss"));
  const Frame in = reference::natural_frame(61, 47);
  for (int i = 0; i < 3; i++) {
    expect_near(expected(in, "gauss ! grey"), one.filter(in), 1, "one");
    expect_near(expected(in, "emboss"), other.filter(in), 1, "the other");
  }
}
