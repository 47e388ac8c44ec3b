// SPDX-License-Identifier: LGPL-2.1-or-later
// Random pipelines of our elements for a given time, with memory watched; tests/soak.sh sets the
// environment.
//
// The time is a row of rounds. A round runs one to three pipelines at once: each has a driver
// thread that seeks, flushes, changes caps and cycles states, and a second one that sets and reads
// properties. Between rounds, with every pipeline gone, memory, file descriptors and threads are
// counted. What round n makes and does follows from the seed and n alone, apart from the timing of
// threads: `--seed S --first-round N` repeats it.
//
// What GStreamer 1.22 does not survive by itself is left out, as `--elements gleffects` showed
// (pipelines without any element of ours):
//   gltestsrc loses its segment at a second seek;
//   leaving PAUSED during negotiation takes the GL context from under an allocation query;
//   gldownload that passes textures on, and so does nothing, loses its GL context;
//   appsink fails at seeks and flushes while somebody holds one of its samples;
//   a tee with a seek through both branches, or a pause during negotiation, can stop;
//   a state change or an end of stream before the last state change is done can stop;
//   pattern=ball of videotestsrc writes past frames that are smaller than the ball.
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Options {
  double minutes = 1;
  gint64 seed = 0;  // 0: of the clock
  int first_round = 0;
  int at_once = 3;
  int hang = 60;               // s
  int every = 60;              // s
  double limit = 48;           // MiB; the resident memory of two equal runs differs by half of it
  double heap_limit = 16;      // MiB of what is allocated, which says more
  double limit_a_minute = .5;  // MiB
  std::string elements = "glclinvert,glclbilateral";
  bool verbose = false;
  bool one_display = false;
} options;

/// Seconds of the whole run, of which the first are not judged: caches fill.
double run_time() { return options.minutes * 60; }
double warm_up() { return std::min(180.0, run_time() / 3); }

class Random {
 public:
  Random(int round, int pipeline, int thread) {
    std::seed_seq seed{static_cast<int>(options.seed), round, pipeline, thread};
    engine_.seed(seed);
  }
  /// 0 … n - 1
  int below(int n) { return static_cast<int>(engine_() % n); }
  int between(int from, int to) { return from + below(to - from + 1); }
  bool chance(int percent) { return below(100) < percent; }
  double real(double from, double to) { return from + (to - from) * (engine_() % 10001) / 10000; }
  template <class T>
  const T &of(const std::vector<T> &all) {
    return all[below(static_cast<int>(all.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// The stacks of all threads on stderr, where a debugger is at hand.
void print_stacks() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const std::string pid = std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("LD_PRELOAD");
    unsetenv("LD_LIBRARY_PATH");
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execlp("gdb", "gdb", "-p", pid.c_str(), "-batch", "-nx", "-ex", "set debuginfod enabled off",
           "-ex", "thread apply all backtrace 40", nullptr);
    execlp("eu-stack", "eu-stack", "-p", pid.c_str(), nullptr);
    _exit(127);
  }
  waitpid(child, nullptr, 0);
}

std::atomic<int> round_now{0};

// Building a pipeline --------------------------------------------------------------------------

std::string size_caps(Random &random, bool gl) {
  static const std::vector<std::pair<int, int>> odd = {{1, 1}, {7, 5}, {17, 240}, {319, 3}};
  auto [width, height] = std::pair(random.between(16, 320), random.between(16, 240));
  if (random.chance(10)) std::tie(width, height) = random.of(odd);
  return (gl ? "video/x-raw(memory:GLMemory),format=RGBA" : "video/x-raw") +
         (",width=" + std::to_string(width)) + ",height=" + std::to_string(height);
}

std::string source(Random &random, bool *gl) {
  *gl = random.chance(30);
  const std::string size = " ! capsfilter name=size caps=\"" + size_caps(random, *gl) + "\"";
  if (*gl) return "gltestsrc pattern=" + std::to_string(random.below(5)) + size;
  return "videotestsrc pattern=" + random.of<std::string>({"smpte", "snow", "gradient"}) + size +
         " ! glupload ! glcolorconvert";
}

/// One element under test, named so that the driver finds it.
std::string ours(Random &random) {
  const std::string name = random.of(split(options.elements));
  GstElementFactory *factory = gst_element_factory_find(name.c_str());
  if (!factory) g_error("no element %s", name.c_str());
  gst_object_unref(GST_OBJECT(factory));
  static std::atomic<int> count{0};
  std::string text = " ! " + name + " name=ours" + std::to_string(count++);
  const bool copy = random.chance(30), profile = random.chance(20);
  if (name.rfind("glcl", 0) != 0) return text;
  return text + (copy ? " sharing=copy" : "") + (profile ? " profile=true" : "") +
         (name == "glclbilateral" ? " radius=2 sigma-space=2" : "");
}

std::string between(Random &random) {
  static const std::vector<std::string> others = {
      " ! queue max-size-buffers=2",
      " ! queue max-size-buffers=2",
      " ! gleffects effect=identity",
      " ! glcolorbalance saturation=0.5",
      " ! glvideoflip method=horizontal-flip",
      " ! glcolorconvert",
      " ! gldownload ! video/x-raw ! glupload ! glcolorconvert",
      " ! identity"};
  return random.chance(50) ? random.of(others) : "";
}

std::string chain(Random &random, int length) {
  std::string text;
  for (int i = 0; i < length; i++) text += ours(random) + between(random);
  return text;
}

std::string sink(Random &random) {
  static const std::vector<std::string> sinks = {
      " ! fakesink sync=false", " ! gldownload ! video/x-raw ! fakesink sync=false"};
  return random.of(sinks);
}

std::string describe(Random &random, bool *gl) {
  std::string text = source(random, gl);
  if (!random.chance(25)) return text + chain(random, random.between(1, 4)) + sink(random);
  text += chain(random, random.below(2)) + " ! tee name=tee";
  for (int branch = 0; branch < 2; branch++)
    text += " tee. ! queue" + chain(random, random.between(1, 2)) + sink(random);
  return text;
}

// Running one ------------------------------------------------------------------------------------

std::atomic<uint64_t> all_frames{0};
std::atomic<bool> failed{false};

class Pipeline {
 public:
  Pipeline(int round, int index, GstGLDisplay *display);
  ~Pipeline();

  /// Where no frame came for this long, in seconds, though frames were due.
  double silence() const { return (now() - heard_) / 1e3; }
  const std::string &description() const { return description_; }
  /// What the driver has done so far.
  std::string history() const {
    std::string text;
    const int steps = steps_;
    for (int i = 0; i < steps; i++) text += (i ? ", " : "") + history_[i];
    return text;
  }

  void drive();
  void tinker();

 private:
  static int64_t now() {
    return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
  }
  void collect();
  void act();
  void set_state(GstState state);
  void seek();
  void flush();
  void change_size();
  void pull();
  void await_frame();
  void settle();
  void stop(GstState state);
  void step(const std::string &what);
  void set_random(GstElement *element, Random &random);

  Random random_, tinker_random_;
  bool gl_ = false, renegotiated_ = false;
  std::string description_;
  GstElement *pipeline_ = nullptr;
  GstElement *size_ = nullptr;
  std::vector<GstElement *> ours_, sinks_;
  std::vector<GstSample *> kept_;  // outlive the pipeline's states
  std::atomic<uint64_t> frames_{0};
  std::atomic<int64_t> heard_{now()};
  std::atomic<bool> done_{false};
  std::array<std::string, 128> history_;
  std::atomic<int> steps_{0};
};

GstBusSyncReply on_message(GstBus *, GstMessage *message, gpointer data) {
  auto *pipeline = static_cast<Pipeline *>(data);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError *error = nullptr;
    gchar *debug = nullptr;
    gst_message_parse_error(message, &error, &debug);
    std::fprintf(stderr, "soak: ERROR from %s: %s\n%s\nafter: %s\nin: %s\n",
                 GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message, debug ? debug : "",
                 pipeline->history().c_str(), pipeline->description().c_str());
    g_error_free(error);
    g_free(debug);
    failed = true;
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

Pipeline::Pipeline(int round, int index, GstGLDisplay *display)
    : random_(round, index, 0), tinker_random_(round, index, 1) {
  description_ = describe(random_, &gl_);
  if (options.verbose) std::fprintf(stderr, "%d.%d: %s\n", round, index, description_.c_str());
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(description_.c_str(), &error);
  if (error) g_error("%s: %s", description_.c_str(), error->message);
  collect();
  if (display) {
    GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
    gst_context_set_gl_display(context, display);
    gst_element_set_context(pipeline_, context);
    gst_context_unref(context);
  }
  GstBus *bus = gst_element_get_bus(pipeline_);
  gst_bus_set_sync_handler(bus, on_message, this, nullptr);
  gst_object_unref(bus);
}

void Pipeline::collect() {
  GstIterator *all = gst_bin_iterate_elements(GST_BIN(pipeline_));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all, &item) == GST_ITERATOR_OK) {
    auto *element = GST_ELEMENT(g_value_dup_object(&item));
    const std::string name = GST_OBJECT_NAME(element);
    if (name.rfind("ours", 0) == 0)
      ours_.push_back(element);
    else if (GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK))
      sinks_.push_back(element);
    else if (name == "size")
      size_ = element;
    else
      gst_object_unref(element);
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(all);
  for (GstElement *sink : sinks_) {
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *, gpointer data) {
          auto *self = static_cast<Pipeline *>(data);
          self->frames_++;
          self->heard_ = now();
          all_frames++;
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_object_unref(pad);
  }
}

Pipeline::~Pipeline() {
  for (GstElement *element : ours_) gst_object_unref(element);
  for (GstElement *element : sinks_) gst_object_unref(element);
  gst_object_unref(size_);
  gst_object_unref(pipeline_);
  for (GstSample *sample : kept_) gst_sample_unref(sample);
}

void Pipeline::step(const std::string &what) {
  if (steps_ == static_cast<int>(history_.size())) return;
  history_[steps_] = what;
  steps_++;
}

void Pipeline::set_state(GstState state) {
  step(std::string("to ") + gst_element_state_get_name(state));
  if (gst_element_set_state(pipeline_, state) == GST_STATE_CHANGE_FAILURE) {
    std::fprintf(stderr, "soak: no state %s in: %s\n", gst_element_state_get_name(state),
                 description_.c_str());
    failed = true;
  }
  gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE);
}

void Pipeline::seek() {
  if (gl_ || sinks_.size() > 1) return;
  step("seek");
  gst_element_seek_simple(pipeline_, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                          random_.between(0, 5000) * GST_MSECOND);
}

/// FLUSH_START and FLUSH_STOP below a pad while no frame passes it, and the segment anew.
void Pipeline::flush() {
  if (sinks_.size() > 1) return;
  step("flush");
  GstElement *from = random_.chance(50) ? size_ : random_.of(ours_);
  GstPad *pad = gst_element_get_static_pad(from, "src");
  std::atomic<bool> ran{false};
  const gulong probe = gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_IDLE,
      [](GstPad *pad, GstPadProbeInfo *, gpointer ran) {
        GstEvent *segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
        GstPad *peer = gst_pad_get_peer(pad);
        if (segment && peer) {
          gst_pad_send_event(peer, gst_event_new_flush_start());
          gst_pad_send_event(peer, gst_event_new_flush_stop(FALSE));
          gst_pad_send_event(peer, gst_event_ref(segment));
        }
        gst_clear_event(&segment);
        gst_clear_object(&peer);
        *static_cast<std::atomic<bool> *>(ran) = true;
        return GST_PAD_PROBE_REMOVE;
      },
      &ran, nullptr);
  while (!ran && !failed) std::this_thread::sleep_for(milliseconds(1));
  if (!ran) gst_pad_remove_probe(pad, probe);
  gst_object_unref(pad);
}

void Pipeline::change_size() {
  settle();
  await_frame();
  const std::string text = size_caps(random_, gl_);
  step(text);
  renegotiated_ = true;
  // On the streaming thread, because a change during negotiation ends in not-negotiated.
  GstPad *pad = gst_element_get_static_pad(size_, "src");
  std::atomic<bool> ran{false};
  const std::pair<std::string, std::atomic<bool> *> what{text, &ran};
  gst_pad_add_probe(
      pad, GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *pad, GstPadProbeInfo *, gpointer data) {
        const auto &[text, ran] = *static_cast<decltype(what) *>(data);
        GstElement *size = gst_pad_get_parent_element(pad);
        GstCaps *caps = gst_caps_from_string(text.c_str());
        g_object_set(size, "caps", caps, nullptr);
        gst_caps_unref(caps);
        gst_object_unref(size);
        *ran = true;
        return GST_PAD_PROBE_REMOVE;
      },
      const_cast<void *>(static_cast<const void *>(&what)), nullptr);
  while (!ran && !failed) std::this_thread::sleep_for(milliseconds(1));
  gst_object_unref(pad);
}

/// Reads a frame on this thread; some are kept past the end of the states that made them.
void Pipeline::pull() {
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
  if (random_.chance(30) && kept_.size() < 2)
    kept_.push_back(sample);
  else
    gst_sample_unref(sample);
}

void Pipeline::act() {
  switch (random_.below(12)) {
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
      if (GstPad *pad = gst_element_get_static_pad(random_.of(ours_), "src")) {
        gst_pad_send_event(pad, gst_event_new_reconfigure());
        gst_object_unref(pad);
      }
      return settle();
    case 9:
      if (gl_ || sinks_.size() > 1) return;
      step("end of stream");
      gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE);
      gst_element_send_event(pipeline_, gst_event_new_eos());
      return seek();
    default:
      return pull();
  }
  gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE);
}

void Pipeline::await_frame() {
  const uint64_t before = frames_;
  heard_ = now();
  while (frames_ == before && !failed) std::this_thread::sleep_for(milliseconds(1));
}

/// Waits until the caps set last have come to all sinks.
void Pipeline::settle() {
  step("settle");
  heard_ = now();
  GstCaps *wish = nullptr;
  g_object_get(size_, "caps", &wish, nullptr);
  const auto arrived = [&](GstElement *sink) {
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    bool same = caps;
    for (const char *side : {"width", "height"}) {
      int is = 0, due = 0;
      if (caps) gst_structure_get_int(gst_caps_get_structure(caps, 0), side, &is);
      gst_structure_get_int(gst_caps_get_structure(wish, 0), side, &due);
      same = same && is == due;
    }
    gst_clear_caps(&caps);
    gst_object_unref(pad);
    return same;
  };
  while (!std::all_of(sinks_.begin(), sinks_.end(), arrived) && !failed) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  gst_caps_unref(wish);
}

/// Down to READY or NULL, when no caps are under negotiation any more.
void Pipeline::stop(GstState state) {
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

void Pipeline::drive() {
  set_state(GST_STATE_PLAYING);
  for (int actions = random_.between(0, 12); actions > 0 && !failed; actions--) {
    if (random_.chance(60)) await_frame();
    std::this_thread::sleep_for(milliseconds(random_.below(100)));
    act();
  }
  settle();
  step("the last frame");
  await_frame();
  stop(GST_STATE_NULL);
  done_ = true;
}

/// Whatever may be set while playing, by its type: small numbers, because the cost of a frame grows
/// with them.
void Pipeline::set_random(GstElement *element, Random &random) {
  guint count = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  std::vector<GParamSpec *> playing;
  for (guint i = 0; i < count; i++)
    if (all[i]->flags & GST_PARAM_MUTABLE_PLAYING) playing.push_back(all[i]);
  if (!playing.empty()) {
    GParamSpec *spec = random.of(playing);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, spec->value_type);
    if (G_IS_PARAM_SPEC_DOUBLE(spec))
      g_value_set_double(&value, random.real(G_PARAM_SPEC_DOUBLE(spec)->minimum,
                                             std::min(3.0, G_PARAM_SPEC_DOUBLE(spec)->maximum)));
    else if (G_IS_PARAM_SPEC_INT(spec))
      g_value_set_int(&value, random.between(G_PARAM_SPEC_INT(spec)->minimum,
                                             std::min(3, G_PARAM_SPEC_INT(spec)->maximum)));
    else if (G_IS_PARAM_SPEC_BOOLEAN(spec))
      g_value_set_boolean(&value, random.chance(50));
    else if (G_IS_PARAM_SPEC_ENUM(spec))
      g_value_set_enum(&value, G_PARAM_SPEC_ENUM(spec)
                                   ->enum_class
                                   ->values[random.below(static_cast<int>(
                                       G_PARAM_SPEC_ENUM(spec)->enum_class->n_values))]
                                   .value);
    g_object_set_property(G_OBJECT(element), spec->name, &value);
    g_value_unset(&value);
  }
  g_free(all);
}

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
void ask_context(GstElement *element, GstElement *other, bool offer) {
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

void Pipeline::tinker() {
  Random &random = tinker_random_;
  while (!done_ && !failed) {
    std::this_thread::sleep_for(milliseconds(random.below(20)));
    GstElement *element = random.of(ours_);
    const int what = random.below(10);
    if (what < 6)
      set_random(element, random);
    else if (what < 9)
      read_all(element);
    else
      ask_context(element, random.of(ours_), random.chance(30));
  }
}

// Watching ---------------------------------------------------------------------------------------

struct Sample {
  double seconds = 0, rss = 0, heap = 0;  // s, MiB in memory, MiB allocated
  int fds = 0, threads = 0;
};

int entries(const char *folder) {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

Sample measure(Clock::time_point start) {
  malloc_trim(0);  // what the allocator keeps for later is no growth
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {std::chrono::duration<double>(Clock::now() - start).count(),
          static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20), entries("/proc/self/fd"),
          entries("/proc/self/task")};
}

/// What a straight line through the samples rises from the first to the last.
template <class Value>
double growth(const std::vector<Sample> &samples, Value value) {
  if (samples.size() < 3) return 0;
  double t = 0, v = 0, tt = 0, tv = 0;
  for (const Sample &s : samples) t += s.seconds, v += value(s);
  t /= static_cast<double>(samples.size()), v /= static_cast<double>(samples.size());
  for (const Sample &s : samples)
    tt += (s.seconds - t) * (s.seconds - t), tv += (s.seconds - t) * (value(s) - v);
  return tv / tt * (samples.back().seconds - samples.front().seconds);
}

std::mutex live_mutex;
std::list<Pipeline *> live;

[[noreturn]] void on_signal(int number) {
  std::signal(number, SIG_DFL);
  std::signal(SIGABRT, SIG_DFL);
  std::fprintf(stderr, "soak: signal %d in round %d, seed %lld\n", number, round_now.load(),
               static_cast<long long>(options.seed));
  for (Pipeline *pipeline : live)
    std::fprintf(stderr, "in: %s\nafter: %s\n", pipeline->description().c_str(),
                 pipeline->history().c_str());
  print_stacks();
  std::abort();
}

void watch(const std::atomic<bool> &over) {
  while (!over) {
    std::this_thread::sleep_for(milliseconds(500));
    const std::lock_guard lock(live_mutex);
    for (Pipeline *pipeline : live) {
      if (pipeline->silence() < options.hang) continue;
      std::fprintf(stderr, "soak: no frame for %d s\n", options.hang);
      std::raise(SIGABRT);
    }
  }
}

/// Runs the pipelines of one round to their end. Gives their number.
int run_round(int round, GstGLDisplay *display) {
  Random random(round, -1, 0);
  const int count = random.between(1, options.at_once);
  std::list<Pipeline> pipelines;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    Pipeline &pipeline = pipelines.emplace_back(
        round, i, random.chance(60) || options.one_display ? display : nullptr);
    const std::lock_guard lock(live_mutex);
    live.push_back(&pipeline);
  }
  for (Pipeline &pipeline : pipelines) {
    threads.emplace_back(&Pipeline::drive, &pipeline);
    threads.emplace_back(&Pipeline::tinker, &pipeline);
  }
  for (std::thread &thread : threads) thread.join();
  const std::lock_guard lock(live_mutex);
  live.clear();
  return count;
}

bool verdict(const std::vector<Sample> &samples, int pipelines) {
  std::vector<Sample> judged;
  for (const Sample &s : samples)
    if (s.seconds >= warm_up()) judged.push_back(s);
  const double rss = growth(judged, [](const Sample &s) { return s.rss; });
  const double heap = growth(judged, [](const Sample &s) { return s.heap; });
  const double fds = growth(judged, [](const Sample &s) { return double(s.fds); });
  const double threads = growth(judged, [](const Sample &s) { return double(s.threads); });
  const double minutes = judged.empty() ? 0 : (judged.back().seconds - judged.front().seconds) / 60;
  const double limit = options.limit + minutes * options.limit_a_minute;
  const bool good = !failed && all_frames > 0 && rss <= limit && heap <= options.heap_limit &&
                    fds <= 16 && threads <= 16;
  std::printf(
      "soak: seed %lld, %.1f min, %d pipelines, %llu frames; in %.1f min after the warm-up "
      "%+.1f MiB (bound %.1f; heap %+.1f, bound %.0f), %+.1f fds, %+.1f threads: %s\n",
      static_cast<long long>(options.seed), samples.empty() ? 0 : samples.back().seconds / 60,
      pipelines, static_cast<unsigned long long>(all_frames.load()), minutes, rss, limit, heap,
      options.heap_limit, fds, threads, good ? "passed" : "FAILED");
  return good;
}

bool parse(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const std::string name = argv[i];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (name == "--one-display") {
      options.one_display = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char *value = argv[++i];
    if (name == "--minutes")
      options.minutes = std::atof(value);
    else if (name == "--seed")
      options.seed = std::atoll(value);
    else if (name == "--first-round")
      options.first_round = std::atoi(value);
    else if (name == "--at-once")
      options.at_once = std::max(1, std::atoi(value));
    else if (name == "--hang")
      options.hang = std::atoi(value);
    else if (name == "--every")
      options.every = std::atoi(value);
    else if (name == "--limit")
      options.limit = std::atof(value);
    else if (name == "--elements")
      options.elements = value;
    else
      return false;
  }
  return options.minutes > 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (!parse(argc, argv)) {
    std::fprintf(stderr,
                 "soak [--minutes M] [--seed S] [--first-round N] [--at-once PIPELINES]\n"
                 "     [--hang SECONDS] [--every SECONDS] [--limit MIB] [--elements A,B] "
                 "[--one-display] [--verbose]\n");
    return 2;
  }
  if (!options.seed) options.seed = std::random_device()() % 1000000 + 1;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT})
    std::signal(number, on_signal);
  g_log_set_always_fatal(static_cast<GLogLevelFlags>(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
  gst_init(nullptr, nullptr);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("soak: seed %lld, %.2f min, warm-up %.0f s\n", static_cast<long long>(options.seed),
              options.minutes, warm_up());

  std::atomic<bool> over{false};
  std::thread watcher(watch, std::cref(over));
  const auto start = Clock::now();
  std::vector<Sample> samples;
  GstGLDisplay *display = gst_gl_display_new();
  int pipelines = 0;
  double told = 0;
  for (int round = options.first_round; !failed; round++) {
    round_now = round;
    pipelines += run_round(round, display);
    samples.push_back(measure(start));
    const Sample &now = samples.back();
    if (now.seconds - told >= options.every) {
      told = now.seconds;
      std::printf(
          "%6.1f min %6d pipelines %8llu frames %7.1f MiB, heap %6.1f MiB %4d fds %3d threads\n",
          now.seconds / 60, pipelines, static_cast<unsigned long long>(all_frames.load()), now.rss,
          now.heap, now.fds, now.threads);
    }
    if (now.seconds >= run_time()) break;
  }
  gst_object_unref(display);
  over = true;
  watcher.join();
  return verdict(samples, pipelines) ? 0 : 1;
}
