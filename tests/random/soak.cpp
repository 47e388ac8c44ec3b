// SPDX-License-Identifier: LGPL-2.1-or-later
#include "soak.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "events.h"
#include "options.h"
#include "pictures.h"
#include "signals.h"

using std::chrono::milliseconds;

namespace {

void read_all(GstElement *element) {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  for (guint i = 0; i < count; i++) {
    if (!(all[i]->flags & G_PARAM_READABLE)) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, all[i]->value_type);
    g_object_get_property(G_OBJECT(element), all[i]->name, &value);
    g_value_unset(&value);
  }
  g_free(all);
}

/// Asks the element for its OpenCL context, and sometimes offers that to another.
void query_context(GstElement *element, GstElement *other, bool offer) {
  GstPad *pad = gst_element_get_static_pad(element, "src");
  GstQuery *query = gst_query_new_context("gst.glcl.Context");
  if (gst_pad_query(pad, query) && offer) {
    GstContext *context = nullptr;
    gst_query_parse_context(query, &context);
    if (context) gst_element_set_context(other, context);
  }
  gst_query_unref(query);
  gst_object_unref(pad);
}

/// A value of the property, by its type: small numbers, because the cost of a frame grows with
/// them.
void fill(GValue *value, GParamSpec *spec, Random &random) {
  if (G_IS_PARAM_SPEC_DOUBLE(spec))
    g_value_set_double(value, random.real(G_PARAM_SPEC_DOUBLE(spec)->minimum,
                                          std::min(3.0, G_PARAM_SPEC_DOUBLE(spec)->maximum)));
  else if (const auto *range = reinterpret_cast<GParamSpecInt *>(spec); G_IS_PARAM_SPEC_INT(spec))
    g_value_set_int(value,
                    random.between(range->minimum, std::clamp(3, range->minimum, range->maximum)));
  else if (G_IS_PARAM_SPEC_UINT(spec))  // colours
    g_value_set_uint(value, random.chance(50) ? 0xff000000 : 0x80ff4020);
  else if (G_IS_PARAM_SPEC_BOOLEAN(spec))
    g_value_set_boolean(value, random.chance(50));
  else if (G_IS_PARAM_SPEC_ENUM(spec))
    g_value_set_enum(
        value,
        G_PARAM_SPEC_ENUM(spec)
            ->enum_class
            ->values[random.below(static_cast<int>(G_PARAM_SPEC_ENUM(spec)->enum_class->n_values))]
            .value);
  else if (G_IS_PARAM_SPEC_FLAGS(spec))
    g_value_set_flags(value,
                      static_cast<guint>(random.below(
                          static_cast<int>(G_PARAM_SPEC_FLAGS(spec)->flags_class->mask) + 1)));
  else if (const std::string name = spec->name; name == "template" || name == "mask")
    g_value_set_string(value, random.chance(50) ? options.picture.c_str() : "");
  else if (spec->value_type == GST_TYPE_SAMPLE && random.chance(75))
    gst_value_take_sample(value, random_sample(random));
}

/// Sets a property that may be set while playing.
void set_random(GObject *object, Random &random) {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(object), &count);
  std::vector<GParamSpec *> playing;
  for (guint i = 0; i < count; i++)
    if (all[i]->flags & GST_PARAM_MUTABLE_PLAYING) playing.push_back(all[i]);
  if (!playing.empty()) {
    GParamSpec *spec = random.of(playing);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    fill(&value, spec, random);
    g_object_set_property(object, spec->name, &value);
    all_settings++;
    g_value_unset(&value);
  }
  g_free(all);
}

/// The same of one of its children; another thread may have replaced them meanwhile.
void set_child(GstElement *element, Random &random) {
  if (!GST_IS_CHILD_PROXY(element)) return;
  auto *proxy = GST_CHILD_PROXY(element);
  const guint count = gst_child_proxy_get_children_count(proxy);
  GObject *child =
      gst_child_proxy_get_child_by_index(proxy, guint(random.below(static_cast<int>(count) + 1)));
  if (!child) return;
  set_random(child, random);
  g_object_unref(child);
  all_children++;
}

/// Gives an element the settings of another one of its kind.
void copy_settings(GstElement *from, GstElement *to) {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(from), &count);
  for (guint i = 0; i < count; i++) {
    if ((all[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE) continue;
    const std::string name = all[i]->name;
    if (name == "name" || name == "parent") continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, all[i]->value_type);
    g_object_get_property(G_OBJECT(from), all[i]->name, &value);
    if (!g_param_value_defaults(all[i], &value))
      g_object_set_property(G_OBJECT(to), all[i]->name, &value);
    g_value_unset(&value);
  }
  g_free(all);
}

}  // namespace

Soak::Soak(int seed, int index, GstGLDisplay *display, bool faulty)
    : Session(seed, index), faulty_(faulty) {
  launch(describe(random_, &gl_), display);
  watch_sinks();
  GstBus *bus = gst_element_get_bus(pipeline_);
  const auto handler = [](GstBus *, GstMessage *message, gpointer self) {
    static_cast<Soak *>(self)->on_message(message);
    gst_message_unref(message);
    return GST_BUS_DROP;
  };
  gst_bus_set_sync_handler(bus, handler, this, nullptr);
  gst_object_unref(bus);
}

void Soak::watch_sinks() {
  GstIterator *all = gst_bin_iterate_sinks(GST_BIN(pipeline_));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
    sinks_.push_back(GST_ELEMENT(g_value_dup_object(&item)));
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(all);
  for (GstElement *sink : sinks_) {
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *, gpointer data) {
          auto *self = static_cast<Soak *>(data);
          self->frames_++;
          self->mark_alive();
          all_frames++;
          // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): that is what the option is for
          if (options.leak) *static_cast<volatile char *>(std::malloc(options.leak)) = 1;
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_object_unref(pad);
  }
}

Soak::~Soak() {
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): as above
  if (options.leak_per_pipeline)
    *static_cast<volatile char *>(std::malloc(options.leak_per_pipeline)) = 1;
  for (GstElement *element : tested_) gst_object_unref(element);
  for (GstElement *element : sinks_) gst_object_unref(element);
  gst_object_unref(size_);
  gst_object_unref(pipeline_);
  for (GstSample *sample : kept_buffers_) gst_sample_unref(sample);
}

void Soak::on_error(GstMessage *message) {
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  // A picture that fits no frame when a stream begins ends it, and so does a source whose
  // negotiation meets a swap. Others follow from the first.
  const bool not_negotiated = swapped_ && debug && std::strstr(debug, "not-negotiated");
  broken_ = broken_ || faulty_ || not_negotiated || std::strstr(error->message, "The template ");
  if (broken_) {
    all_errors++;
  } else {
    report_failure(std::string("ERROR from ") + GST_OBJECT_NAME(GST_MESSAGE_SRC(message)) + ": " +
                   error->message + "\n" + (debug ? debug : ""));
  }
  g_error_free(error);
  g_free(debug);
}

/// Also an application that asks and sets things where a message is posted.
void Soak::on_message(GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) on_error(message);
  if (!(GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING))) return;
  on_sync([](GstElement *element, Random &random) {
    if (!random.chance(20)) return;
    query_element(element);
    set_random(G_OBJECT(element), random);
    all_syncs++;
  });
}

/// Waits until the last change of state has ended. Behind a queue, no frame and no end of the
/// stream follow an error, so that would never be.
void Soak::await_state() {
  while (gst_element_get_state(pipeline_, nullptr, nullptr, 100 * GST_MSECOND) ==
             GST_STATE_CHANGE_ASYNC &&
         !stopped()) {
  }
}

void Soak::set_state(GstState state) {
  step(std::string("to ") + gst_element_state_get_name(state));
  if (gst_element_set_state(pipeline_, state) == GST_STATE_CHANGE_FAILURE) {
    broken_ = broken_ || faulty_;
    if (broken_) return;
    report_failure(std::string("no state ") + gst_element_state_get_name(state));
  }
  await_state();
}

void Soak::seek() {
  if (gl_ || sinks_.size() > 1) return;
  step("seek");
  gst_element_seek_simple(pipeline_, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                          random_.between(0, 5000) * GST_MSECOND);
}

/// Has a pad's probe do this once, and waits for it.
void Soak::run_once(GstPad *pad, GstPadProbeType type, std::function<void(GstPad *)> work) {
  struct Once {
    std::function<void(GstPad *)> work;
    std::atomic<bool> ran{false};
  };
  using Shared = std::shared_ptr<Once>;  // the probe may come when the driver no longer waits
  const Shared run_once = std::make_shared<Once>();
  run_once->work = std::move(work);
  const gulong probe = gst_pad_add_probe(
      pad, type,
      [](GstPad *pad, GstPadProbeInfo *, gpointer data) {
        const Shared run_once = *static_cast<Shared *>(data);
        run_once->work(pad);
        run_once->ran = true;
        return GST_PAD_PROBE_REMOVE;
      },
      new Shared(run_once), [](gpointer data) { delete static_cast<Shared *>(data); });
  while (!run_once->ran && !stopped()) std::this_thread::sleep_for(milliseconds(1));
  if (!run_once->ran) gst_pad_remove_probe(pad, probe);
}

/// FLUSH_START and FLUSH_STOP below a pad while no frame passes it, and the segment anew.
void Soak::flush() {
  if (sinks_.size() > 1) return;
  step("flush");
  GstElement *from = random_.chance(50) ? size_ : random_.of(tested_);
  GstPad *pad = gst_element_get_static_pad(from, "src");
  run_once(pad, GST_PAD_PROBE_TYPE_IDLE, flush_peer);
  gst_object_unref(pad);
}

/// Puts a fresh element into the place of an element under test, with its settings. Beside
/// GStreamer's own filters a stop of one costs too much (fuzz.cpp).
void Soak::swap() {
  for (const char *other : {"tee", "gleffects", "glcolorbalance", "glvideoflip"})
    if (description().find(other) != std::string::npos) return;
  settle();
  await_frame();
  swapped_ = true;
  replace(copy_settings);
}

void Soak::change_size() {
  settle();
  await_frame();
  const std::string text = size_caps(random_, gl_);
  step(text);
  renegotiated_ = true;
  // On the streaming thread, because a change during negotiation ends in not-negotiated.
  GstPad *pad = gst_element_get_static_pad(size_, "src");
  run_once(pad, GST_PAD_PROBE_TYPE_BUFFER, [text](GstPad *pad) {
    GstElement *size = gst_pad_get_parent_element(pad);
    GstCaps *caps = gst_caps_from_string(text.c_str());
    g_object_set(size, "caps", caps, nullptr);
    gst_caps_unref(caps);
    gst_object_unref(size);
  });
  gst_object_unref(pad);
}

/// Reads a frame on this thread; some are kept past the end of the states that made them.
void Soak::pull() {
  step("pull");
  GstSample *sample = nullptr;
  g_object_get(random_.of(sinks_), "last-sample", &sample, nullptr);
  if (!sample) return;
  GstVideoInfo info;
  GstVideoFrame frame;
  GstCaps *caps = gst_sample_get_caps(sample);
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  if (buffer && caps && gst_video_info_from_caps(&info, caps) &&
      gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ))
    gst_video_frame_unmap(&frame);
  if (random_.chance(30) && kept_buffers_.size() < 2)
    kept_buffers_.push_back(sample);
  else
    gst_sample_unref(sample);
}

void Soak::act() {
  switch (random_.below(14)) {
    case 0:
    case 1:
    case 2:
      return change_size();
    case 3:
    case 4:
      return seek();
    case 5:
      return flush();
    case 6:
      if (sinks_.size() > 1) return pull();
      set_state(GST_STATE_PAUSED);
      if (random_.chance(50)) seek();
      return set_state(GST_STATE_PLAYING);
    case 7:
      stop(random_.chance(70) ? GST_STATE_READY : GST_STATE_NULL);
      return set_state(GST_STATE_PLAYING);
    case 8:
      step("reconfigure");
      renegotiated_ = true;
      if (GstPad *pad = gst_element_get_static_pad(random_.of(tested_), "src")) {
        gst_pad_send_event(pad, gst_event_new_reconfigure());
        gst_object_unref(pad);
      }
      return settle();
    case 9:
      if (gl_ || sinks_.size() > 1) return;
      step("end of stream");
      await_state();
      gst_element_send_event(pipeline_, gst_event_new_eos());
      return seek();
    case 10:
    case 11:
      return swap();
    default:
      return pull();
  }
  await_state();
}

void Soak::await_frame() {
  const uint64_t before = frames_;
  mark_alive();
  while (frames_ == before && !stopped()) std::this_thread::sleep_for(milliseconds(1));
}

/// Waits until the caps set last have come to all sinks.
void Soak::settle() {
  step("settle");
  mark_alive();
  GstCaps *wanted_caps = nullptr;
  g_object_get(size_, "caps", &wanted_caps, nullptr);
  const auto arrived = [&](GstElement *sink) {
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    bool same = caps;
    for (const char *side : {"width", "height"}) {
      int actual = 0, expected = 0;
      if (caps) gst_structure_get_int(gst_caps_get_structure(caps, 0), side, &actual);
      gst_structure_get_int(gst_caps_get_structure(wanted_caps, 0), side, &expected);
      same = same && actual == expected;
    }
    gst_clear_caps(&caps);
    gst_object_unref(pad);
    return same;
  };
  while (!std::all_of(sinks_.begin(), sinks_.end(), arrived) && !stopped()) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  gst_caps_unref(wanted_caps);
}

/// Down to READY or NULL, when no caps are under negotiation any more.
void Soak::stop(GstState state) {
  settle();
  await_frame();
  if (renegotiated_ && sinks_.size() == 1) {
    set_state(GST_STATE_PAUSED);
    std::this_thread::sleep_for(milliseconds(20));
  } else if (renegotiated_) {
    for (int i = 0; i < 20; i++) await_frame();
  }
  renegotiated_ = false;
  set_state(state);
}

/// Lets the frames come as they do before a camera, with nothing changed.
void Soak::play() {
  step("play");
  done_ = true;  // the other thread's work
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.play);
  while (std::chrono::steady_clock::now() < end && !stopped())
    std::this_thread::sleep_for(milliseconds(1));
}

void Soak::drive() {
  std::thread settings_thread(&Soak::change_settings, this);
  set_state(GST_STATE_PLAYING);
  for (int actions = random_.between(0, 12); actions > 0 && !stopped(); actions--) {
    if (random_.chance(60)) await_frame();
    std::this_thread::sleep_for(milliseconds(random_.below(100)));
    act();
  }
  settle();
  if (options.play > 0) play();
  step("the last frame");
  await_frame();
  // Where others negotiate while a stop comes, GStreamer's own elements lose the GL context.
  if (broken_) std::this_thread::sleep_for(milliseconds(100));
  stop(GST_STATE_NULL);
  done_ = true;
  settings_thread.join();
}

void Soak::change_settings() {
  Random &random = settings_random_;
  while (!done_ && !failed) {
    std::this_thread::sleep_for(milliseconds(random.below(20)));
    GstElement *element = random_element(random), *other = random_element(random);
    const int what = random.below(12);
    if (what < 6)
      set_random(G_OBJECT(element), random);
    else if (what < 8)
      read_all(element);
    else if (what < 9)
      query_context(element, other, random.chance(30));
    else if (what < 10)
      all_signals += !emit_random(element, random).empty();
    else
      set_child(element, random);
    gst_object_unref(element);
    gst_object_unref(other);
  }
}
