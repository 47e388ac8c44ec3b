// SPDX-License-Identifier: LGPL-2.1-or-later
#include "fuzz.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "events.h"
#include "options.h"
#include "settings.h"
#include "signals.h"
#include "tests/support/result.h"

using std::chrono::milliseconds;

namespace {

constexpr size_t max_kept = 100;

/// Errors that our elements are right to post.
bool is_allowed(const std::string &text) {
  static const char *const causes[] = {
      "matches no OpenCL device",      // device=9:9
      "is not available with",         // sharing=gl without a driver for it
      "use a power of two",            // bins=33
      "is not inside the frame",       // roi=<0,0,4000,1>
      "was dropped because its caps",  // caps that changed while the pipeline restarted
      "The template ",                 // of a file without a picture
      "can't be read",                 // mask=/dev/zero
      "reads a picture",               // filters=overlay without one
      "there is no such file",         // location=no such device, of a chain
      "needs more than 64 steps",      // iterations=64 of several filters
      "there is no filter nonsense",
      "is outside its range",     // sigma=9e9
      "all rows of a list need",  // matrix=[1 2; 3]
      "has no centre",            // matrix=[1 2]
  };
  return std::any_of(std::begin(causes), std::end(causes),
                     [&](const char *cause) { return text.find(cause) != std::string::npos; });
}

void read_all(GstBuffer *buffer) {
  GstMapInfo info;
  if (!gst_buffer_map(buffer, &info, GST_MAP_READ)) return;
  volatile unsigned char sum = 0;
  for (gsize i = 0; i < info.size; i += 64) sum = static_cast<unsigned char>(sum + info.data[i]);
  gst_buffer_unmap(buffer, &info);
  all_maps++;
}

void read_metas(GstBuffer *buffer) {
  test::each_result(buffer, [](const char *, const GstStructure *result) {
    for (const std::string &name : test::result_arrays(result))
      read_all(gst_value_get_buffer(gst_structure_get_value(result, name.c_str())));
  });
}

}  // namespace

Fuzz::Fuzz(int seed, GstGLDisplay *display, bool faulty)
    : Session(seed, 0), faulty_(faulty), generated_(random_pipeline(random_)) {
  area_ = generated_.area;
  launch(generated_.text, display);
  bus_ = gst_element_get_bus(pipeline_);
  for (GstElement *element : tested_) set_up(element);
  if (!random_.chance(30)) return;
  const auto handler = [](GstBus *, GstMessage *message, gpointer self) {
    if (GST_MESSAGE_TYPE(message) & (GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING))
      static_cast<Fuzz *>(self)->on_message();
    return GST_BUS_PASS;
  };
  gst_bus_set_sync_handler(bus_, handler, this, nullptr);
}

/// Sets an element's properties, and watches its end and what it gives.
void Fuzz::set_up(GstElement *element) {
  ++*alive_;
  // The counter lives as long as the element, whatever becomes of this.
  g_object_weak_ref(
      G_OBJECT(element),
      [](gpointer data, GObject *) {
        auto *alive = static_cast<std::shared_ptr<std::atomic<int>> *>(data);
        --**alive;
        delete alive;
      },
      new std::shared_ptr<std::atomic<int>>(alive_));
  for (int settings = random_.below(8); settings > 0; settings--) {
    const std::string action = random_action(element, random_, area_, false);
    if (!action.empty()) step(action);
  }
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "attach-meta") &&
      random_.chance(60))
    g_object_set(element, "attach-meta", TRUE, "interval", guint64(0), nullptr);
  Pad &watched = pads_.emplace_back();
  watched.run = this;
  watched.watch = static_cast<Watch>(random_.below(5));
  GstPad *pad = gst_element_get_static_pad(element, "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        auto *pad = static_cast<Pad *>(data);
        pad->frames++;
        pad->run->on_buffer(GST_PAD_PROBE_INFO_BUFFER(info), pad->watch);
        return GST_PAD_PROBE_OK;
      },
      &watched, nullptr);
  gst_object_unref(pad);
}

void Fuzz::on_buffer(GstBuffer *buffer, Watch watch) {
  frames_++;
  all_frames++;
  if (watch == count) return;
  if (watch == map) return read_metas(buffer);
  {
    const std::lock_guard lock(mutex_);
    if (kept_buffers_.size() >= max_kept) return;
  }
  GstBuffer *kept = watch == keep        ? gst_buffer_ref(buffer)
                    : watch == keep_copy ? gst_buffer_copy(buffer)
                                         : gst_buffer_copy_deep(buffer);
  if (!kept) return;  // a fault kept the texture from being read
  const std::lock_guard lock(mutex_);
  kept_buffers_.push_back(kept);
  kept_changed_.notify_one();
}

void Fuzz::on_error(GstMessage *message) {
  all_errors++;
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  const std::string text = error->message, detail = debug ? debug : "";
  const std::string name = GST_OBJECT_NAME(GST_MESSAGE_SRC(message));
  if (options.verbose) std::fprintf(stderr, "  ERROR from %s: %s\n", name.c_str(), text.c_str());
  bool good = false;
  if (text.empty()) {
    report_failure("an error without a text from " + name + ": " + detail);
    good = true;
  } else if (faulty_ || is_allowed(text)) {
    good = expected_error_ = true;
  } else if (name.rfind("ours", 0) != 0) {
    // A source whose frames no element took: after an error of an element under test, and where
    // negotiation met a change of caps or a stop.
    good = expected_error_ || detail.find("not-negotiated") != std::string::npos;
  }
  if (!good) report_failure("ERROR from " + name + ": " + text + "\n" + detail);
  g_error_free(error);
  g_free(debug);
}

/// An application that asks and sets things wherever a message is posted.
void Fuzz::on_message() {
  on_sync([this](GstElement *element, Random &random) {
    all_syncs++;
    for (int n = 0; n < 2; n++) random_action(element, random, area_, true);
    query_element(element);
  });
}

void Fuzz::read_bus() {
  // Errors of the elements under test first: those of others follow from them.
  std::vector<GstMessage *> others;
  while (GstMessage *message = gst_bus_pop_filtered(bus_, GST_MESSAGE_ANY)) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      if (std::strncmp(GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), "ours", 4) == 0) {
        on_error(message);
      } else {
        others.push_back(message);
        continue;
      }
    }
    gst_message_unref(message);
  }
  for (GstMessage *message : others) {
    on_error(message);
    gst_message_unref(message);
  }
}

void Fuzz::seek() {
  // gltestsrc loses its segment at a second seek, and a tee can stop at one through both branches.
  if (generated_.draws || generated_.branches) return;
  const gint64 time = random_.below(3000) * GST_MSECOND;
  const int kind = random_.below(6);
  step("seek " + std::to_string(kind));
  const auto set = GST_SEEK_TYPE_SET;
  const gint64 none = GST_CLOCK_TIME_NONE;
  const auto go = [&](double rate, int flags, gint64 start, gint64 stop) {
    gst_element_seek(pipeline_, rate, GST_FORMAT_TIME,
                     static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | flags), set, start, set, stop);
  };
  switch (kind) {
    case 0:
      return go(-1, 0, 0, time + GST_SECOND);
    case 1:
      return go(4, GST_SEEK_FLAG_TRICKMODE, time, none);
    case 2:
      return go(1, GST_SEEK_FLAG_SEGMENT, time, time + GST_SECOND);
    case 3:
      return go(1, GST_SEEK_FLAG_ACCURATE, time, none);
    default:
      return go(1, 0, time, none);
  }
}

void Fuzz::change_size() {
  const Dimensions size = random_size(random_);
  GstCaps *caps = nullptr;
  g_object_get(size_, "caps", &caps, nullptr);
  caps = gst_caps_make_writable(caps);
  gst_caps_set_simple(caps, "width", G_TYPE_INT, std::max(2, size.width), "height", G_TYPE_INT,
                      std::max(2, size.height), nullptr);
  step("size " + std::to_string(size.width) + "×" + std::to_string(size.height));
  area_ = max_area(size);
  g_object_set(size_, "caps", caps, nullptr);
  gst_caps_unref(caps);
  settle();
}

void Fuzz::reconfigure() {
  step("reconfigure");
  GstPad *pad = gst_element_get_static_pad(random_.of(tested_), "sink");
  gst_pad_push_event(pad, gst_event_new_reconfigure());
  gst_object_unref(pad);
}

/// Flushes what is below an element when no frame passes it.
void Fuzz::flush() {
  if (generated_.branches) return;
  step("flush");
  GstPad *pad = gst_element_get_static_pad(random_.chance(50) ? size_ : random_.of(tested_), "src");
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_IDLE,
      [](GstPad *pad, GstPadProbeInfo *, gpointer) {
        flush_peer(pad);
        return GST_PAD_PROBE_REMOVE;
      },
      nullptr, nullptr);
  gst_object_unref(pad);
}

/// Waits for a frame for a while; a stream may have ended, too.
void Fuzz::await_frame() {
  const uint64_t before = frames_;
  for (int i = 0; i < 500 && frames_ == before; i++) {
    std::this_thread::sleep_for(milliseconds(2));
    if (i % 50 == 0) read_bus();
    if (expected_error_) return;
  }
}

/// Waits until caps have come through everywhere, where a stop before that is too much.
void Fuzz::settle() {
  if (!generated_.fragile) return;
  step("settle");
  std::vector<int> before;
  for (const Pad &pad : pads_) before.push_back(pad.frames);
  for (int i = 0; i < 1000; i++) {
    bool good = true;
    for (size_t n = 0; n < pads_.size(); n++) good = good && pads_[n].frames >= before[n] + 3;
    if (good || expected_error_) break;
    std::this_thread::sleep_for(milliseconds(2));
    if (i % 50 == 0) read_bus();
  }
  std::this_thread::sleep_for(milliseconds(20));
}

/// Puts a fresh element into the place of one under test while the pipeline plays.
void Fuzz::swap() {
  // Beside GStreamer's own filters a stop costs too much; a mixer has pads of its own kind.
  if (generated_.fragile || generated_.branches || expected_error_) return;
  await_frame();  // that a change of caps before this has come through
  replace([this](GstElement *, GstElement *fresh) { set_up(fresh); });
}

void Fuzz::act() {
  const auto cycle = [&](GstState state) {
    settle();
    step(std::string("to ") + gst_element_state_get_name(state));
    gst_element_set_state(pipeline_, state);
    if (random_.chance(30)) gst_element_get_state(pipeline_, nullptr, nullptr, GST_SECOND);
    step("to PLAYING");
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  };
  switch (random_.below(12)) {
    case 0:
    case 1:
      return seek();
    case 2:
      return cycle(GST_STATE_PAUSED);
    case 3:
      return cycle(GST_STATE_READY);
    case 4:
      return cycle(GST_STATE_NULL);
    case 5:
    case 6:
      return change_size();
    case 7:
      return reconfigure();
    case 8:
      return flush();
    case 9:
    case 10:
      return swap();
    default:
      return start_mapping();
  }
}

/// Changes properties while the pipeline plays.
void Fuzz::change_settings() {
  while (!stop_) {
    std::vector<GstElement *> all;
    {
      const std::lock_guard lock(tested_mutex_);
      for (GstElement *element : tested_) all.push_back(GST_ELEMENT(gst_object_ref(element)));
    }
    for (GstElement *element : all) {
      const std::string action = random_action(element, settings_random_, area_, true);
      if (options.verbose && !action.empty()) std::fprintf(stderr, "  (%s)\n", action.c_str());
      gst_object_unref(element);
    }
    std::this_thread::sleep_for(milliseconds(settings_random_.below(8)));
  }
}

void Fuzz::start_mapping() {
  if (mapping_.joinable()) return;
  step("map in another thread");
  mapping_ = std::thread(&Fuzz::map_kept, this);
}

/// Reads the metas of what was kept, and some of the frames, until the last one.
void Fuzz::map_kept() {
  std::unique_lock lock(mutex_);
  for (unsigned n = 0;; n++) {
    kept_changed_.wait(lock, [&] { return !kept_buffers_.empty() || all_kept_; });
    if (kept_buffers_.empty()) return;
    GstBuffer *buffer = kept_buffers_.front();
    kept_buffers_.pop_front();
    lock.unlock();
    read_metas(buffer);
    if (n % 8 == 0) read_all(buffer);
    gst_buffer_unref(buffer);
    lock.lock();
  }
}

void Fuzz::drive() {
  step("to PLAYING");
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  if (random_.chance(70)) settings_thread_ = std::thread(&Fuzz::change_settings, this);
  for (int actions = random_.below(9); actions > 0 && !failed; actions--) {
    if (random_.chance(50)) await_frame();
    std::this_thread::sleep_for(milliseconds(random_.below(60)));
    read_bus();
    act();
  }
  if (random_.chance(60)) await_frame();
  end();
}

/// Stops while properties change, or after that; then drops all references, those to buffers last.
void Fuzz::end() {
  settle();
  step("to NULL");
  const auto stop_settings = [&] {
    stop_ = true;
    if (settings_thread_.joinable()) settings_thread_.join();
  };
  if (random_.chance(50)) stop_settings();
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  stop_settings();
  read_bus();
  step("drop the pipeline");
  gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);
  gst_bus_set_flushing(bus_, TRUE);
  gst_object_unref(bus_);
  gst_object_unref(size_);
  for (GstElement *element : tested_) gst_object_unref(element);
  gst_object_unref(pipeline_);
  step("map what was kept");
  if (!mapping_.joinable()) mapping_ = std::thread(&Fuzz::map_kept, this);
  {
    const std::lock_guard lock(mutex_);
    all_kept_ = true;
  }
  kept_changed_.notify_one();
  mapping_.join();
  // A base transform that gets an allocation query while it stops keeps that, and what hangs on it:
  // beside GStreamer's own filters, that is the pipeline.
  // A bin that goes on to PLAYING after a stop has a thread of GStreamer's finish that.
  for (int i = 0; i < 1000 && *alive_; i++) std::this_thread::sleep_for(milliseconds(5));
  if (*alive_ && generated_.fragile)
    all_gstreamer_faults++;
  else if (*alive_)
    report_failure(std::to_string(*alive_) + " of our elements outlived their pipeline");
}
