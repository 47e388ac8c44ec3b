// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipeline.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

namespace test {

const std::string Chain::upload = "glupload ! glcolorconvert ! ";
const std::string Chain::download = " ! gldownload ! capsfilter caps=video/x-raw,format=RGBA";

namespace {

/// Elements may be found by name or by factory; nested bins are searched.
GstElement *find(GstElement *bin, const std::string &factory_or_name) {
  GstElement *found = gst_bin_get_by_name(GST_BIN(bin), factory_or_name.c_str());
  GstIterator *all = found ? nullptr : gst_bin_iterate_recurse(GST_BIN(bin));
  GValue item = G_VALUE_INIT;
  while (!found && gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
    auto *element = GST_ELEMENT(g_value_get_object(&item));
    GstElementFactory *factory = gst_element_get_factory(element);
    if (factory && factory_or_name == GST_OBJECT_NAME(factory))
      found = GST_ELEMENT(gst_object_ref(element));
    g_value_reset(&item);
  }
  if (G_IS_VALUE(&item)) g_value_unset(&item);
  if (all) gst_iterator_free(all);
  expect(found, "there is no element " + factory_or_name);
  gst_object_unref(found);  // the bin holds it
  return found;
}

Frame frame_of(GstBuffer *buffer, GstCaps *caps) {
  GstVideoInfo info;
  expect(caps && gst_video_info_from_caps(&info, caps), "a frame has no video caps");
  expect(GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_RGBA, "a frame is not RGBA");
  GstVideoFrame mapped;
  expect(gst_video_frame_map(&mapped, &info, buffer, GST_MAP_READ), "a frame can't be mapped");
  Frame frame(GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info));
  for (int y = 0; y < frame.height; y++)
    std::memcpy(frame.at(0, y),
                static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&mapped, 0)) +
                    size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, 0),
                size_t(frame.width) * 4);
  gst_video_frame_unmap(&mapped);
  return frame;
}

GstObject *leaks_tracer() {
  GList *tracers = gst_tracing_get_active_tracers();
  GstObject *found = nullptr;
  for (GList *entry = tracers; entry; entry = entry->next)
    if (std::strcmp(G_OBJECT_TYPE_NAME(entry->data), "GstLeaksTracer") == 0)
      found = GST_OBJECT(gst_object_ref(entry->data));
  g_list_free_full(tracers, gst_object_unref);
  return found;
}

/// GL threads release their objects a moment after the pipeline is gone.
void check_leaks() {
  gst_task_cleanup_all();
  wait_for_gl_threads();
  std::string live = live_objects();
  const gint64 end = g_get_monotonic_time() + patience / 1000;
  while (!live.empty() && g_get_monotonic_time() < end) {
    g_usleep(20 * 1000);
    live = live_objects();
  }
  expect(live.empty(), "objects outlive the test:" + live);
}

const Setup setup([] { g_setenv("GST_TRACERS", "leaks", TRUE); }, nullptr, check_leaks);

void compare(const Frame &expected, const Frame &got, int tolerance, const std::string &what) {
  fail_unless(expected.width == got.width && expected.height == got.height,
              "%s: %d×%d instead of %d×%d", what.c_str(), got.width, got.height, expected.width,
              expected.height);
  size_t wrong = 0, first = 0;
  int most = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++) {
    const int difference = std::abs(expected.rgba[i] - got.rgba[i]);
    if (difference > tolerance && wrong++ == 0) first = i;
    most = std::max(most, difference);
  }
  if (!wrong) return;
  const size_t pixel = first / 4;
  fail(
      "%s: %zu of %zu bytes are wrong, by up to %d; first at x %zu, y %zu, channel %zu: %d instead "
      "of %d",
      what.c_str(), wrong, expected.rgba.size(), most, pixel % expected.width,
      pixel / expected.width, first % 4, got.rgba[first], expected.rgba[first]);
}

GstStructure *stats_of(GstElement *element) {
  GstStructure *stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  return stats;
}

}  // namespace

/// Objects that live as long as the process after the first type detection of files.
std::set<gconstpointer> type_finders() {
  std::set<gconstpointer> all;
  GList *factories = gst_type_find_factory_get_list();
  for (GList *i = factories; i; i = i->next) {
    all.insert(i->data);
    all.insert(gst_type_find_factory_get_caps(GST_TYPE_FIND_FACTORY(i->data)));
  }
  gst_plugin_feature_list_free(factories);
  return all;
}

void wait_for_gl_threads() {
  struct Threads {
    int all = 0, others = 0;  // others: threads that do not wait for a lock or a signal
  };
  const auto threads = [] {
    const auto read = [](const std::string &file) {
      gchar *text = nullptr;
      g_file_get_contents(file.c_str(), &text, nullptr, nullptr);
      const std::string all = text ? text : "";
      g_free(text);
      return all;
    };
    GDir *tasks = g_dir_open("/proc/self/task", 0, nullptr);
    Threads found;
    while (const char *task = g_dir_read_name(tasks)) {
      const std::string folder = std::string("/proc/self/task/") + task;
      if (read(folder + "/comm").rfind("gstglcontext", 0) != 0) continue;
      found.all++;
      found.others += read(folder + "/wchan").find("futex") == std::string::npos;
    }
    g_dir_close(tasks);
    return found;
  };
  Threads before = threads();
  const gint64 end = g_get_monotonic_time() + patience / 1000;
  for (int quiet = 0; before.all && quiet < 10 && g_get_monotonic_time() < end;) {
    g_usleep(20 * 1000);
    const Threads now = threads();
    quiet = now.all == before.all && !now.others ? quiet + 1 : 0;
    before = now;
  }
}

std::string live_objects() {
  const std::set<gconstpointer> known = type_finders();
  GstObject *tracer = leaks_tracer();
  expect(tracer, "the leaks tracer is not active");
  GstStructure *details = nullptr;
  g_signal_emit_by_name(tracer, "get-live-objects", &details);
  gst_object_unref(tracer);
  const GValue *list = gst_structure_get_value(details, "live-objects-list");
  std::string text;
  for (guint i = 0; i < gst_value_list_get_size(list); i++) {
    const GstStructure *entry = gst_value_get_structure(gst_value_list_get_value(list, i));
    const GValue *object = gst_structure_get_value(entry, "object");
    if (known.count(g_value_peek_pointer(object))) continue;
    gchar *content = g_strdup_value_contents(object);
    text += std::string("\n  ") + G_VALUE_TYPE_NAME(object) + " " + content;
    g_free(content);
  }
  // The list contains references that it never took. If it has objects, it must not be freed.
  if (gst_value_list_get_size(list) == 0) gst_structure_free(details);
  return text;
}

bool is_short() {
  return (shares_textures() || g_getenv("GLCL_TEST_FEW")) && !g_getenv("GLCL_TEST_ALL");
}

int repeats(int all) { return is_short() ? std::max(all / 5, 1) : all; }

bool copies_frames() { return std::strcmp(expected_method(), "copy") == 0; }

std::string built_library(const std::string &path) {
  expect(g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR),
         path + " is not built: run meson test without --no-rebuild");
  return path;
}

bool shares_textures() { return std::strcmp(expected_method(), "gl") == 0; }

const char *expected_method() {
  const char *method = std::getenv("GLCL_TEST_SHARING");
  return method ? method : "copy";
}

bool Message::names(const std::string &words) const {
  return text.find(words) != std::string::npos || debug.find(words) != std::string::npos;
}

Messages::~Messages() {
  gst_bus_set_flushing(bus_, TRUE);
  gst_object_unref(bus_);
}

void Messages::keep(GstMessage *message) {
  GError *error = nullptr;
  gchar *debug = nullptr;
  GstContext *context = nullptr;
  const gchar *context_type = nullptr;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error(message, &error, &debug);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning(message, &error, &debug);
      break;
    case GST_MESSAGE_HAVE_CONTEXT:
      gst_message_parse_have_context(message, &context);
      contexts_.emplace_back(GST_MESSAGE_HAVE_CONTEXT, gst_context_get_context_type(context));
      gst_context_unref(context);
      return;
    case GST_MESSAGE_NEED_CONTEXT:
      gst_message_parse_context_type(message, &context_type);
      contexts_.emplace_back(GST_MESSAGE_NEED_CONTEXT, context_type);
      return;
    default:
      return;
  }
  kept_.push_back({GST_MESSAGE_TYPE(message), error->domain, error->code,
                   GST_MESSAGE_SRC_NAME(message), error->message, debug ? debug : ""});
  GST_INFO("%s from %s: %s (%s)", GST_MESSAGE_TYPE_NAME(message), GST_MESSAGE_SRC_NAME(message),
           error->message, debug);
  g_error_free(error);
  g_free(debug);
}

GstMessage *Messages::next(int types, GstClockTime timeout) {
  const gint64 end = g_get_monotonic_time() + static_cast<gint64>(timeout / 1000);
  for (;;) {
    const gint64 left = std::max<gint64>(end - g_get_monotonic_time(), 0);
    GstMessage *message = gst_bus_timed_pop(bus_, left * 1000);
    if (!message) return nullptr;
    keep(message);
    if (GST_MESSAGE_TYPE(message) & types) return message;
    gst_message_unref(message);
  }
}

void Messages::drain() {
  if (GstMessage *message = next(0, 0)) gst_message_unref(message);
}

std::vector<Message> Messages::of(GstMessageType type) {
  drain();
  std::vector<Message> found;
  std::copy_if(kept_.begin(), kept_.end(), std::back_inserter(found),
               [&](const Message &message) { return message.type == type; });
  return found;
}

GstStructure *Messages::structure(const char *name, GstClockTime timeout) {
  while (GstMessage *message = next(GST_MESSAGE_ELEMENT, timeout)) {
    GstStructure *structure = gst_structure_copy(gst_message_get_structure(message));
    gst_message_unref(message);
    if (!name || gst_structure_has_name(structure, name)) return structure;
    gst_structure_free(structure);
  }
  return nullptr;
}

int Messages::contexts(GstMessageType have_or_need, const std::string &type) {
  drain();
  return static_cast<int>(
      std::count(contexts_.begin(), contexts_.end(), std::make_pair(have_or_need, type)));
}

Chain::Chain(const std::string &elements, int) {
  GError *error = nullptr;
  GstElement *bin = gst_parse_bin_from_description(elements.c_str(), TRUE, &error);
  expect(bin && !error, elements + ": " + (error ? error->message : "no bin"));
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(bin, bus);
  messages_ = std::make_unique<Messages>(bus);
  gst_object_unref(bus);
  harness_ = gst_harness_new_with_element(GST_ELEMENT(gst_object_ref_sink(bin)), "sink", "src");
  gst_object_unref(bin);
}

Chain::~Chain() {
  gst_element_set_state(harness_->element, GST_STATE_NULL);
  gst_element_set_bus(harness_->element, nullptr);
  gst_harness_teardown(harness_);
}

GstElement *Chain::operator[](const std::string &factory_or_name) const {
  return find(harness_->element, factory_or_name);
}

GstBuffer *Chain::buffer_of(const Frame &frame) {
  GstBuffer *buffer = gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size());
  GST_BUFFER_DURATION(buffer) = GST_SECOND / framerate;
  GST_BUFFER_PTS(buffer) = pushed_++ * GST_BUFFER_DURATION(buffer);
  return buffer;
}

GstFlowReturn Chain::push(const Frame &frame) {
  return push(buffer_of(frame), frame.width, frame.height);
}

GstFlowReturn Chain::push(GstBuffer *buffer, int width, int height) {
  if (width != width_ || height != height_ || framerate != caps_framerate_) {
    width_ = width;
    height_ = height;
    caps_framerate_ = framerate;
    gst_harness_set_src_caps(
        harness_, gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGBA", "width",
                                      G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                                      GST_TYPE_FRACTION, framerate, 1, nullptr));
  }
  return gst_harness_push(harness_, buffer);
}

GstBuffer *Chain::pull_buffer() {
  // A pull waits for a minute. On a busy machine, drivers compile the kernels of a row for longer.
  // errors() drops other messages, so it is called only without a frame.
  GstBuffer *buffer = gst_harness_pull(harness_);
  for (int i = 0; !buffer && i < 4 && messages_->errors().empty(); i++)
    buffer = gst_harness_pull(harness_);
  if (!buffer) {
    for (const Message &error : messages_->errors())
      fail("no frame came out; %s: %s (%s)", error.source.c_str(), error.text.c_str(),
           error.debug.c_str());
    fail("no frame came out, and no error either");
  }
  return buffer;
}

Frame Chain::pull() {
  GstBuffer *buffer = pull_buffer();
  GstCaps *caps = gst_pad_get_current_caps(harness_->sinkpad);
  const Frame frame = frame_of(buffer, caps);
  gst_caps_unref(caps);
  gst_buffer_unref(buffer);
  return frame;
}

void Chain::drain() {
  GstQuery *query = gst_query_new_drain();
  gst_pad_peer_query(harness_->srcpad, query);
  gst_query_unref(query);
}

Frame Chain::filter(const Frame &frame) {
  const GstFlowReturn flow = push(frame);
  if (flow != GST_FLOW_OK)
    for (const Message &error : messages_->errors())
      fail("pushing gave %s; %s: %s (%s)", gst_flow_get_name(flow), error.source.c_str(),
           error.text.c_str(), error.debug.c_str());
  expect(flow == GST_FLOW_OK, std::string("pushing gave ") + gst_flow_get_name(flow));
  return pull();
}

SharedPrograms::SharedPrograms() {
  if (!copies_frames()) return;
  chain_ = std::make_unique<Chain>("glclinvert");
  chain_->filter(reference::flat_frame(8, 8));
}

Pipeline::Pipeline(const std::string &description) {
  GError *error = nullptr;
  bin_ = gst_parse_launch(description.c_str(), &error);
  expect(bin_ && !error, description + ": " + (error ? error->message : "no pipeline"));
  GstBus *bus = gst_element_get_bus(bin_);
  messages_ = std::make_unique<Messages>(bus);
  gst_object_unref(bus);
}

Pipeline::~Pipeline() {
  gst_element_set_state(bin_, GST_STATE_NULL);
  messages_.reset();
  gst_object_unref(bin_);
}

GstElement *Pipeline::operator[](const std::string &factory_or_name) const {
  return find(bin_, factory_or_name);
}

const std::vector<Frame> &Pipeline::collect(const std::string &sink) {
  std::vector<Frame> &frames = collected_[sink];
  GstElement *element = (*this)[sink];
  g_object_set(element, "signal-handoffs", TRUE, nullptr);
  g_signal_connect(element, "handoff",
                   G_CALLBACK(+[](GstElement *, GstBuffer *buffer, GstPad *pad, gpointer data) {
                     GstCaps *caps = gst_pad_get_current_caps(pad);
                     static_cast<std::vector<Frame> *>(data)->push_back(frame_of(buffer, caps));
                     gst_caps_unref(caps);
                   }),
                   &frames);
  return frames;
}

bool Pipeline::reach(GstState state) {
  if (set(state) == GST_STATE_CHANGE_FAILURE) return false;
  return gst_element_get_state(bin_, nullptr, nullptr, patience) != GST_STATE_CHANGE_FAILURE;
}

bool Pipeline::run() {
  if (set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE) return false;
  GstMessage *message = messages_->next(GST_MESSAGE_EOS | GST_MESSAGE_ERROR, patience);
  expect(message, "the pipeline hangs");
  const bool eos = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  gst_message_unref(message);
  return eos;
}

Frame inverted(const Frame &frame) {
  Frame out = frame;
  for (size_t i = 0; i < out.rgba.size(); i++)
    if (i % 4 != 3) out.rgba[i] = static_cast<uint8_t>(255 - out.rgba[i]);
  return out;
}

bool near(const Frame &expected, const Frame &got, int tolerance) {
  return std::equal(expected.rgba.begin(), expected.rgba.end(), got.rgba.begin(), got.rgba.end(),
                    [=](int a, int b) { return std::abs(a - b) <= tolerance; });
}

void expect_same(const Frame &expected, const Frame &got, const std::string &what) {
  compare(expected, got, 0, what);
}

void expect_near(const Frame &expected, const Frame &got, int tolerance, const std::string &what) {
  compare(expected, got, tolerance, what);
}

void expect(bool condition, const std::string &what) { fail_unless(condition, "%s", what.c_str()); }

void expect_one(const std::vector<Message> &messages, GQuark domain, int code,
                const std::vector<std::string> &words) {
  std::string all;
  for (const Message &message : messages)
    all += "\n  " + message.source + ": " + message.text + " (" + message.debug + ")";
  const auto fits = [&](const Message &message) {
    return message.is(domain, code) &&
           std::all_of(words.begin(), words.end(), [&](auto &word) { return message.names(word); });
  };
  std::string wanted = std::string(g_quark_to_string(domain)) + " " + std::to_string(code);
  for (const std::string &word : words) wanted += ", \"" + word + "\"";
  expect(std::count_if(messages.begin(), messages.end(), fits) == 1,
         "not one message with " + wanted + " in:" + all);
  const auto of_domain = [&](const Message &message) { return message.is(domain, code); };
  expect(std::count_if(messages.begin(), messages.end(), of_domain) == 1,
         "the same message is posted more than once:" + all);
}

void expect_none(const std::vector<Message> &messages) {
  for (const Message &message : messages)
    fail("%s: %s (%s)", message.source.c_str(), message.text.c_str(), message.debug.c_str());
}

guint64 stat(GstElement *element, const std::string &field) {
  GstStructure *stats = stats_of(element);
  guint64 value = 0;
  const bool known = gst_structure_get_uint64(stats, field.c_str(), &value);
  gchar *text = gst_structure_to_string(stats);
  gst_structure_free(stats);
  fail_unless(known, "stats have no %s: %s", field.c_str(), text);
  g_free(text);
  return value;
}

std::string stat_text(GstElement *element, const std::string &field) {
  GstStructure *stats = stats_of(element);
  const gchar *value = gst_structure_get_string(stats, field.c_str());
  fail_unless(value != nullptr, "stats have no %s", field.c_str());
  const std::string text = value;
  gst_structure_free(stats);
  return text;
}

std::string enum_property(GstElement *element, const std::string &property) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property.c_str());
  expect(spec && G_IS_PARAM_SPEC_ENUM(spec), property + " is no enum property");
  gint value;
  g_object_get(element, property.c_str(), &value, nullptr);
  return g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, value)->value_nick;
}

void hide_plugin() {
  const std::string registry = std::string(g_getenv("GST_REGISTRY_1_0") ?: "") + ".no-plugin";
  g_setenv("GST_REGISTRY_1_0", registry.c_str(), TRUE);
  g_setenv("GST_PLUGIN_PATH_1_0", "", TRUE);
}

void register_element(const char *name, GType type) {
  gst_element_register(nullptr, name, GST_RANK_NONE, type);
  GstElementFactory *factory = gst_element_factory_find(name);
  GST_OBJECT_FLAG_SET(factory, GST_OBJECT_FLAG_MAY_BE_LEAKED);
  gst_object_unref(factory);
}

}  // namespace test
