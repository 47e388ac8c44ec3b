// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL context that elements share: messages, queries, applications, several pipelines.
#include "pipeline.h"

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

const char *const type = "gst.glcl.Context";

/// The answer of a pad to a CONTEXT query, or null. Transfer full.
GstContext *ask(GstElement *element, const char *pad_name) {
  GstPad *pad = gst_element_get_static_pad(element, pad_name);
  GstQuery *query = gst_query_new_context(type);
  GstContext *context = nullptr;
  if (gst_pad_query(pad, query)) gst_query_parse_context(query, &context);
  if (context) gst_context_ref(context);
  gst_query_unref(query);
  gst_object_unref(pad);
  return context;
}

/// The fields that the plugin's header documents.
struct Fields {
  gpointer context, gl_context, cl_context, cl_device, cl_queue;
  std::string sharing;

  bool operator==(const Fields &other) const {
    return context == other.context && gl_context == other.gl_context &&
           cl_context == other.cl_context && cl_device == other.cl_device &&
           cl_queue == other.cl_queue && sharing == other.sharing;
  }
};

Fields fields_of(GstContext *context) {
  expect(context, "there is no context");
  expect(std::string(gst_context_get_context_type(context)) == type, "the type of the context");
  const GstStructure *structure = gst_context_get_structure(context);
  const auto object = [&](const char *field) {
    const GValue *value = gst_structure_get_value(structure, field);
    expect(value && G_VALUE_HOLDS_OBJECT(value), std::string(field) + " is no object");
    return g_value_get_object(value);
  };
  const auto pointer = [&](const char *field) {
    const GValue *value = gst_structure_get_value(structure, field);
    expect(value && G_VALUE_TYPE(value) == G_TYPE_POINTER, std::string(field) + " is no pointer");
    return g_value_get_pointer(value);
  };
  const Fields fields{object("context"),     object("gl-context"),
                      pointer("cl-context"), pointer("cl-device"),
                      pointer("cl-queue"),   gst_structure_get_string(structure, "sharing")};
  expect(fields.context && fields.gl_context && fields.cl_context && fields.cl_device &&
             fields.cl_queue,
         "no field is null");
  return fields;
}

Fields fields_of(GstElement *element, const char *pad = "src") {
  GstContext *context = ask(element, pad);
  const Fields fields = fields_of(context);
  gst_context_unref(context);
  return fields;
}

void check_frame(Chain &chain, unsigned seed = 1) {
  const Frame in = reference::random_frame(64, 48, seed);
  expect_same(inverted(in), chain.filter(in), "the frame");
}

/// A GL display for several pipelines.
GstContext *new_display() {
  GstGLDisplay *display = gst_gl_display_new();
  GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_object_unref(display);
  return context;
}

const char *const snow =
    "videotestsrc pattern=snow num-buffers=25 ! video/x-raw,format=RGBA,width=64,height=48 ! "
    "glupload ! tee name=t ! queue ! glclinvert ! glclinvert ! glclinvert name=filter ! "
    "gldownload ! video/x-raw,format=RGBA ! fakesink name=out  "
    "t. ! queue ! gldownload ! video/x-raw,format=RGBA ! fakesink name=in";

void check_compared(const std::vector<Frame> &in, const std::vector<Frame> &out) {
  expect(in.size() == 25 && out.size() == 25, "all frames arrive");
  for (size_t i = 0; i < in.size(); i++)
    expect_same(inverted(in[i]), out[i], "frame " + std::to_string(i));
}

}  // namespace

TEST(two_in_a_row) {
  Chain chain("glclinvert ! glclbilateral radius=1 sigma-range=0");
  for (const char *name : {"glclinvert", "glclbilateral"})
    expect(!ask(chain[name], "src"), "there is no context before the first frame");
  check_frame(chain);
  expect(chain.messages().contexts(GST_MESSAGE_HAVE_CONTEXT, type) == 1,
         "one context is announced");
  const Fields fields = fields_of(chain["glclinvert"]);
  for (const char *name : {"glclinvert", "glclbilateral"})
    for (const char *pad : {"sink", "src"})
      expect(fields_of(chain[name], pad) == fields, std::string(name) + " has another context");
  expect(fields.sharing == test::expected_method(), "the sharing method");
  GstGLContext *gl_context = nullptr;
  g_object_get(chain["glclinvert"], "context", &gl_context, nullptr);
  expect(fields.gl_context == gl_context, "it belongs to the GL context in use");
  gst_object_unref(gl_context);
}

TEST(elements_between) {
  Chain chain("glclinvert name=a ! gleffects_identity ! queue ! glclinvert name=b strength=0");
  check_frame(chain);
  expect(fields_of(chain["a"]) == fields_of(chain["b"]), "both have one context");
  expect(chain.messages().contexts(GST_MESSAGE_HAVE_CONTEXT, type) == 1,
         "one context is announced");
}

TEST(another_method_needs_another_context) {
  if (!test::shares_textures()) return;
  Chain chain("glclinvert name=a ! glclinvert name=b strength=0 sharing=copy");
  check_frame(chain);
  const Fields a = fields_of(chain["a"]), b = fields_of(chain["b"]);
  expect(a.sharing == "gl" && b.sharing == "copy", "each has the requested method");
  expect(a.cl_context != b.cl_context, "one context can't do both");
}

TEST(the_context_is_announced_with_its_fields) {
  Chain chain("glclinvert");
  check_frame(chain);
  while (GstMessage *message = chain.messages().next(GST_MESSAGE_HAVE_CONTEXT, 0)) {
    GstContext *context = nullptr;
    gst_message_parse_have_context(message, &context);
    gst_message_unref(message);
    const bool ours = gst_context_has_context_type(context, type);
    if (ours)
      expect(fields_of(context) == fields_of(chain["glclinvert"]), "it has the fields in use");
    gst_context_unref(context);
    if (ours) return;
  }
  fail("no context is announced");
}

TEST(pipelines_on_one_display) {
  GstContext *display = new_display();
  Pipeline first(snow), second(snow);
  std::vector<Fields> fields;
  for (Pipeline *pipeline : {&first, &second}) {
    gst_element_set_context(pipeline->bin(), display);
    expect(pipeline->reach(GST_STATE_PAUSED), "PAUSED can't be reached");
    fields.push_back(fields_of((*pipeline)["filter"]));
  }
  gst_context_unref(display);
  expect(fields[0].gl_context == fields[1].gl_context, "both have one GL context");
  expect(fields[0] == fields[1], "and one OpenCL context");
}

TEST(pipelines_on_two_displays) {
  Pipeline first(snow), second(snow);
  std::vector<Fields> fields;
  for (Pipeline *pipeline : {&first, &second}) {
    GstContext *display = new_display();
    gst_element_set_context(pipeline->bin(), display);
    gst_context_unref(display);
    expect(pipeline->reach(GST_STATE_PAUSED), "PAUSED can't be reached");
    fields.push_back(fields_of((*pipeline)["filter"]));
  }
  expect(fields[0].gl_context != fields[1].gl_context, "each has its own GL context");
  expect(fields[0].context != fields[1].context, "and its own of ours");
  expect((fields[0].cl_context != fields[1].cl_context) == test::shares_textures(),
         "an OpenCL context that shares textures belongs to one GL context");
}

TEST(ten_pipelines_at_once) {
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  std::vector<std::pair<const std::vector<Frame> *, const std::vector<Frame> *>> frames;
  GstContext *display = new_display();
  for (int i = 0; i < 10; i++) {
    pipelines.push_back(std::make_unique<Pipeline>(snow));
    Pipeline &pipeline = *pipelines.back();
    if (i % 2) gst_element_set_context(pipeline.bin(), display);
    frames.emplace_back(&pipeline.collect("in"), &pipeline.collect("out"));
  }
  gst_context_unref(display);
  for (auto &pipeline : pipelines) pipeline->set(GST_STATE_PLAYING);
  for (size_t i = 0; i < pipelines.size(); i++) {
    expect(pipelines[i]->run(), "pipeline " + std::to_string(i) + " failed");
    check_compared(*frames[i].first, *frames[i].second);
  }
}

TEST(context_from_the_application) {
  GstContext *display = new_display();
  auto owner = std::make_unique<Pipeline>(snow);
  gst_element_set_context(owner->bin(), display);
  expect(owner->reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  GstContext *context = ask((*owner)["filter"], "src");
  const Fields given = fields_of(context);

  Pipeline user(snow);
  const auto &in = user.collect("in"), &out = user.collect("out");
  gst_element_set_context(user.bin(), display);
  gst_element_set_context(user.bin(), context);
  gst_context_unref(context);
  gst_context_unref(display);
  expect(user.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  expect(fields_of(user["filter"]) == given, "the context given is in use");
  expect(user.messages().contexts(GST_MESSAGE_NEED_CONTEXT, type) == 0, "none is asked for");
  expect(user.messages().contexts(GST_MESSAGE_HAVE_CONTEXT, type) == 0, "none is announced");
  owner.reset();
  expect(user.run(), "it outlives the pipeline that it comes from");
  check_compared(in, out);
}

TEST(context_of_another_gl_context) {
  Pipeline owner(snow);
  expect(owner.reach(GST_STATE_PAUSED), "PAUSED can't be reached");
  GstContext *context = ask(owner["filter"], "src");
  const Fields given = fields_of(context);

  Chain chain("glclinvert");
  gst_element_set_context(chain["glclinvert"], context);
  gst_context_unref(context);
  check_frame(chain);
  expect(fields_of(chain["glclinvert"]).gl_context != given.gl_context, "it is not used");
}

TEST(context_without_content) {
  Chain chain("glclinvert");
  GstContext *context = gst_context_new(type, TRUE);
  gst_element_set_context(chain["glclinvert"], context);
  gst_context_unref(context);
  check_frame(chain);
}
