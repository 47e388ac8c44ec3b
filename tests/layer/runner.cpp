// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the pipelines of a list again and again while OpenCL calls fail, many runs in a process, and
// compares each with a faultless run: a run that ends well must have given the same pixels, metas
// and messages, any other an error message that names the cause; a message or meta that is wrong is
// none the better for an error after it. No run may leave anything behind.
//
//   runner table [--all | --sample N --seed S | --plan PLAN] [--first] [--run FRAMES] LIST [NAME…]
//   runner soak --frames N [--run FRAMES] [--one-in N] [--seed S] LIST [NAME…]
//
// `table` makes the first, a middle and the last call of each OpenCL function fail, or everything
// from some call on; all of them, or a sample of N for each pipeline; with --first in the first run
// of a process, which no later one may suffer from. `soak` lets calls fail at random until so many
// frames have come through, and counts descriptors, threads and memory. Pipelines run in a child
// process, so that a crash or a hang costs one run.
#include <dlfcn.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <malloc.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "control.h"
#include "tests/result.h"

namespace {

struct Options {
  bool all = false, soak = false, first = false;
  int sample = 12, one_in = 5000, run = 7;
  long frames = 1000;
  unsigned seed = 1;
  std::string plan;
  std::vector<std::string> names;
};
Options options;

constexpr int patience = 30;  // s until a run counts as hanging

struct Change {
  int frame;
  std::string element, property, value;
};

struct Scenario {
  std::string name, elements;
  std::vector<Change> changes;
};

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<Scenario> read_list(const char *path) {
  std::vector<Scenario> scenarios;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Scenario scenario;
    scenario.name = line.substr(0, line.find(':'));
    std::istringstream parts(line.substr(line.find(':') + 1));
    std::string part;
    std::getline(parts, part, ';');
    scenario.elements = trimmed(part);
    while (std::getline(parts, part, ';')) {
      const size_t colon = part.find(':'), dot = part.find('.'), equals = part.find('=');
      scenario.changes.push_back({std::atoi(part.c_str()),
                                  trimmed(part.substr(colon + 1, dot - colon - 1)),
                                  part.substr(dot + 1, equals - dot - 1), part.substr(equals + 1)});
    }
    if (options.names.empty() ||
        std::count(options.names.begin(), options.names.end(), scenario.name))
      scenarios.push_back(scenario);
  }
  return scenarios;
}

/// The layer's functions.
struct Layer {
  template <class Function>
  static void find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    if (function) return;
    std::fprintf(stderr, "runner: LD_PRELOAD and OPENCL_LAYERS must name the layer\n");
    std::exit(2);
  }
  Layer() {
    find(plan, "glcl_layer_plan");
    find(counts, "glcl_layer_counts");
    find(injected, "glcl_layer_injected");
    find(objects, "glcl_layer_objects");
    find(violations, "glcl_layer_violations");
  }
  decltype(&glcl_layer_plan) plan;
  decltype(&glcl_layer_counts) counts;
  decltype(&glcl_layer_injected) injected;
  decltype(&glcl_layer_objects) objects;
  decltype(&glcl_layer_violations) violations;
};

const Layer &layer() {
  static const Layer the;
  return the;
}

/// What GLib and the result memories complain of.
struct Complaints {
  std::mutex mutex;
  std::string criticals, unmapped;
};
Complaints complaints;

GLogWriterOutput on_log(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer) {
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR)) {
    const std::lock_guard lock(complaints.mutex);
    for (gsize i = 0; i < count; i++)
      if (!std::strcmp(fields[i].key, "MESSAGE"))
        complaints.criticals += std::string(static_cast<const char *>(fields[i].value)) + "\n";
  }
  return g_log_writer_standard_streams(level, fields, count, nullptr);
}

void on_debug(GstDebugCategory *category, GstDebugLevel, const gchar *, const gchar *, gint,
              GObject *, GstDebugMessage *message, gpointer) {
  if (std::strcmp(gst_debug_category_get_name(category), "glclresult") != 0) return;
  const std::lock_guard lock(complaints.mutex);
  complaints.unmapped += std::string(gst_debug_message_get(message)) + "\n";
}

struct Result {
  bool eos = false, hangs = false;
  std::vector<std::string> frames;                           // digests of pixels and metas
  std::map<std::string, std::vector<std::string>> messages;  // by timestamp
  std::string errors, criticals;
  long kernels = 0;  // that live in NULL
};

std::string digest(const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001b3u;
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// Of all results that were attached to a frame.
std::string results_digest(GstBuffer *frame) {
  std::string text;
  test::each_result(frame, [&](const char *, const GstStructure *result) {
    for (const std::string &name : test::result_arrays(result)) {
      GstGLCLArray array;
      if (!gst_glcl_array_map(result, name.c_str(), &array)) {
        text += " unmapped";
        continue;
      }
      text += " " + digest(array.map.data, test::result_bytes(result, name, array));
      gst_glcl_array_unmap(&array);
    }
  });
  return text;
}

/// One run of a scenario.
class Run {
 public:
  /// Of the changes of e those whose bits are set in `changes`; with `at_once` they come
  /// before the first frame, so that nothing is built later.
  Run(const Scenario &scenario, GstGLDisplay *display, unsigned changes, bool at_once);
  ~Run() { gst_object_unref(pipeline_); }
  Result play();

 private:
  static GstPadProbeReturn arrives(GstPad *, GstPadProbeInfo *, gpointer self);
  static GstPadProbeReturn leaves(GstPad *, GstPadProbeInfo *info, gpointer self);
  void probe(const char *element, GstPadProbeCallback callback);
  void change(const Change &change);
  void hear(GstMessage *message);

  std::vector<Change> changes_;
  GstElement *pipeline_;
  int arrived_ = 0;
  std::mutex mutex_;
  Result result_;
};

Run::Run(const Scenario &scenario, GstGLDisplay *display, unsigned changes, bool at_once) {
  const std::string description =
      "videotestsrc name=src num-buffers=" + std::to_string(options.run) +
      " pattern=smpte horizontal-speed=3 ! "
      "video/x-raw,format=RGBA,width=64,height=48,framerate=25/1 ! glupload ! " +
      scenario.elements + " ! gldownload ! video/x-raw ! fakesink name=sink sync=false";
  GError *error = nullptr;
  pipeline_ = gst_parse_launch(description.c_str(), &error);
  if (error) {
    std::fprintf(stderr, "runner: %s: %s\n", description.c_str(), error->message);
    std::exit(2);
  }
  int bit = 0;
  for (const Change &one : scenario.changes) {
    const bool of_e = one.element == "e";
    if (of_e && !(changes >> bit++ & 1)) continue;
    if (of_e && at_once)
      change(one);
    else
      changes_.push_back(one);
  }
  GstContext *context = gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE);
  gst_context_set_gl_display(context, display);
  gst_element_set_context(pipeline_, context);
  gst_context_unref(context);
  probe("e", arrives);
  probe("sink", leaves);
}

void Run::probe(const char *element, GstPadProbeCallback callback) {
  GstElement *of = gst_bin_get_by_name(GST_BIN(pipeline_), element);
  GstPad *pad = gst_element_get_static_pad(of, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(of);
}

void Run::change(const Change &change) {
  GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline_), change.element.c_str());
  gst_util_set_object_arg(G_OBJECT(element), change.property.c_str(), change.value.c_str());
  gst_object_unref(element);
}

GstPadProbeReturn Run::arrives(GstPad *, GstPadProbeInfo *, gpointer data) {
  auto *self = static_cast<Run *>(data);
  for (const Change &change : self->changes_)
    if (change.frame == self->arrived_) self->change(change);
  self->arrived_++;
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn Run::leaves(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto *self = static_cast<Run *>(data);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  std::string text = "unmapped";
  if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    text = digest(map.data, map.size);
    gst_buffer_unmap(buffer, &map);
  }
  text += results_digest(buffer);
  const std::lock_guard lock(self->mutex_);
  self->result_.frames.push_back(text);
  return GST_PAD_PROBE_OK;
}

void Run::hear(GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) result_.eos = true;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) {
    const GstStructure *structure = gst_message_get_structure(message);
    GstClockTime time = 0;
    if (!gst_structure_get_clock_time(structure, "timestamp", &time)) return;
    gchar *text = gst_structure_to_string(structure);
    result_.messages[std::to_string(time)].push_back(text);
    g_free(text);
  }
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return;
  GError *error = nullptr;
  gchar *debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  result_.errors += std::string(GST_OBJECT_NAME(GST_MESSAGE_SRC(message))) + ": " + error->message +
                    " " + (debug ? debug : "") + "\n";
  g_error_free(error);
  g_free(debug);
}

Result Run::play() {
  {
    const std::lock_guard lock(complaints.mutex);
    complaints.criticals.clear();
    complaints.unmapped.clear();
  }
  GstBus *bus = gst_element_get_bus(pipeline_);
  constexpr auto heard =
      static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
  const bool started =
      gst_element_set_state(pipeline_, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  while (started && !result_.eos && result_.errors.empty()) {
    GstMessage *message = gst_bus_timed_pop_filtered(bus, patience * GST_SECOND, heard);
    result_.hangs = !message;
    if (!message) break;
    hear(message);
    gst_message_unref(message);
  }
  // What is posted on the way down is no less worth.
  gst_element_set_state(pipeline_, GST_STATE_READY);
  while (GstMessage *message = gst_bus_pop_filtered(bus, heard)) {
    hear(message);
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  result_.kernels = layer().objects("clCreateKernel");
  const std::lock_guard lock(complaints.mutex);
  result_.errors += complaints.unmapped;
  result_.criticals = complaints.criticals;
  return result_;
}

/// Objects of GStreamer that live, by type. The tracer's list is never freed: it owns references
/// that GStreamer 1.22 has not taken.
std::map<std::string, int> live_objects() {
  std::map<std::string, int> live;
  GList *tracers = gst_tracing_get_active_tracers();
  for (GList *tracer = tracers; tracer; tracer = tracer->next) {
    if (std::strcmp(G_OBJECT_TYPE_NAME(tracer->data), "GstLeaksTracer") != 0) continue;
    GstStructure *all = nullptr;
    g_signal_emit_by_name(tracer->data, "get-live-objects", &all);
    const GValue *list = all ? gst_structure_get_value(all, "live-objects-list") : nullptr;
    for (guint i = 0; list && i < gst_value_list_get_size(list); i++)
      live[G_VALUE_TYPE_NAME(gst_structure_get_value(
          gst_value_get_structure(gst_value_list_get_value(list, i)), "object"))]++;
  }
  g_list_free_full(tracers, gst_object_unref);
  return live;
}

/// What a run may leave behind: what the faultless ones did.
struct Remains {
  long opencl = layer().objects(nullptr);
  std::map<std::string, int> gstreamer = live_objects();

  std::string beyond(const Remains &allowed) const {
    std::string left;
    if (opencl > allowed.opencl)
      left += " " + std::to_string(opencl - allowed.opencl) + " OpenCL objects";
    for (const auto &[type, count] : gstreamer) {
      const auto known = allowed.gstreamer.find(type);
      const int before = known != allowed.gstreamer.end() ? known->second : 0;
      if (count > before) left += " " + std::to_string(count - before) + " " + type;
    }
    return left;
  }
};

/// Some go on threads of their own.
std::string left_behind(const Remains &allowed) {
  std::string left;
  for (int i = 0; i < 200; i++) {
    left = Remains().beyond(allowed);
    if (left.empty()) break;
    g_usleep(5000);
  }
  return left;
}

/// Races of GStreamer 1.22 with a pipeline that an error stops while it negotiates. GstGLFilter
/// proposes a pool of a GL context that no neighbour has any more: such a run is repeated.
/// GstBaseTransform keeps the query that it gets after it was stopped, and never frees it, nor what
/// hangs on it: leaks beside such a query are not ours.
bool is_shutdown_race(const Result &result) {
  return result.criticals.find("gst_gl_buffer_pool_set_config: assertion") != std::string::npos;
}
bool is_lost_query(const std::string &left) { return left.find(" GstQuery") != std::string::npos; }

using Counts = std::map<std::string, long>;

Counts counts() {
  Counts all;
  layer().counts([](const char *function, long calls,
                    void *data) { (*static_cast<Counts *>(data))[function] = calls; },
                 &all);
  return all;
}

class Worker {
 public:
  Worker(const Scenario &scenario, GstGLDisplay *display);
  /// Runs without faults, to compare with.
  void prepare();
  /// One word for a good end, else BAD and the reason.
  std::string outcome(const std::string &plan);
  /// The same of a run ahead of prepare().
  std::string first_outcome(const std::string &plan);
  /// Calls of a run.
  const Counts &calls() const { return calls_; }
  /// What lives now may live.
  void settle() { allowed_ = Remains(); }
  uint64_t frames() const { return frames_; }
  uint64_t faults() const { return faults_; }

 private:
  Result run(unsigned changes, bool at_once = false);
  std::string judge(const Result &result, const std::string &injected) const;
  std::string wrong(const Result &result) const;

  const Scenario &scenario_;
  GstGLDisplay *display_;
  unsigned changes_ = 0;  // all of them
  std::vector<Result> expected_;
  Counts calls_;
  Remains allowed_;
  uint64_t frames_ = 0, faults_ = 0;
};

Result Worker::run(unsigned changes, bool at_once) {
  Run run(scenario_, display_, changes, at_once);
  Result result = run.play();
  frames_ += result.frames.size();
  return result;
}

Worker::Worker(const Scenario &scenario, GstGLDisplay *display)
    : scenario_(scenario), display_(display) {
  // Each of them may take its time.
  for (const Change &change : scenario.changes)
    if (change.element == "e") changes_ = 2 * changes_ + 1;
}

void Worker::prepare() {
  layer().plan(nullptr);
  run(changes_);  // fills caches
  for (unsigned n = 0; n <= changes_; n++) expected_.push_back(run(n, true));
  layer().plan(nullptr);
  const Result whole = run(changes_);
  calls_ = counts();
  for (Result &one : expected_) one.kernels = whole.kernels;
  allowed_ = Remains();
  const std::string bad = judge(whole, "");
  if (bad != "unreached") {
    std::printf("BAD %s without faults: %s\n", scenario_.name.c_str(), bad.c_str());
    std::fflush(stdout);
    _exit(1);
  }
}

/// What was told that isn't so.
std::string Worker::wrong(const Result &result) const {
  std::string frames;
  for (size_t i = 0; i < result.frames.size(); i++) {
    const std::string &frame = result.frames[i];
    if (!result.errors.empty() && frame.find("unmapped") != std::string::npos) continue;
    if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
          return i < one.frames.size() && one.frames[i] == frame;
        }))
      frames += " " + std::to_string(i);
  }
  if (!frames.empty()) return "frames are wrong:" + frames;
  for (const auto &told : result.messages)
    for (const std::string &message : told.second)
      if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
            const auto known = one.messages.find(told.first);
            return known != one.messages.end() &&
                   std::count(known->second.begin(), known->second.end(), message);
          }))
        return "a message is wrong: " + message;
  return "";
}

std::string Worker::judge(const Result &result, const std::string &injected) const {
  if (result.hangs) return "BAD hangs";
  if (!result.criticals.empty()) return "BAD " + result.criticals.substr(0, 200);
  const std::string is_wrong = wrong(result);
  // On the ways without copies a frame may go on before it is known that it failed.
  const bool late =
      is_wrong.rfind("frame", 0) == 0 && g_getenv("GLCL_TEST_SHARING");  // gl, external
  if (!is_wrong.empty() && (result.errors.empty() || !late))
    return "BAD " + is_wrong +
           (result.errors.empty() ? ", no error" : " ahead of " + result.errors);
  if (result.kernels > expected_[0].kernels) return "BAD kernels live in NULL";
  if (result.errors.empty()) {
    if (!result.eos) return "BAD ends without an error message";
    if (result.frames.size() != expected_[0].frames.size()) return "BAD frames are missing";
    const auto as_many = [](const auto &a, const auto &b) {
      return a.first == b.first && a.second.size() == b.second.size();
    };
    if (std::none_of(expected_.begin(), expected_.end(), [&](const Result &one) {
          return std::equal(one.messages.begin(), one.messages.end(), result.messages.begin(),
                            result.messages.end(), as_many);
        }))
      return "BAD messages are missing";
    return injected.empty() ? "unreached" : "right results";
  }
  std::istringstream lines(injected);
  std::string function, error;
  while (lines >> function >> error)
    if (result.errors.find(error) != std::string::npos) return "error";
  return "BAD error message without its cause: " + result.errors.substr(0, 1000);
}

std::string Worker::outcome(const std::string &plan) {
  std::string verdict;
  for (int i = 0; i < 5; i++) {
    const int violations = layer().violations();
    layer().plan(plan.c_str());
    const Result result = run(changes_);
    const std::string injected = layer().injected();
    faults_ += std::count(injected.begin(), injected.end(), '\n');
    layer().plan(nullptr);
    verdict = judge(result, injected);
    if (layer().violations() != violations) verdict = "BAD the contract is violated";
    if (verdict.rfind("BAD", 0) != 0) {
      const std::string left = left_behind(allowed_);
      if (!left.empty()) {
        if (!is_lost_query(left)) verdict = "BAD leaves" + left;
        allowed_ = Remains();  // not the next one's fault
      }
    }
    if (!is_shutdown_race(result)) break;
  }
  std::replace(verdict.begin(), verdict.end(), '\n', ' ');
  return verdict;
}

std::string Worker::first_outcome(const std::string &plan) {
  layer().plan(plan.c_str());
  const Result result = run(changes_);
  const std::string injected = layer().injected();
  const int violations = layer().violations();
  prepare();
  std::string verdict = violations ? "BAD the contract is violated" : judge(result, injected);
  if (is_shutdown_race(result)) verdict = "a race of GStreamer's";
  std::replace(verdict.begin(), verdict.end(), '\n', ' ');
  return verdict;
}

/// The faults to try.
std::vector<std::string> table(const Counts &calls) {
  if (!options.plan.empty()) return {options.plan};
  std::vector<std::string> plans;
  for (const auto &[function, count] : calls) {
    if (function.rfind("clRetain", 0) == 0 || function.rfind("clRelease", 0) == 0) continue;
    for (long call : std::set<long>{1, count / 2 + 1, count})
      plans.push_back(function + ":" + std::to_string(call));
  }
  // The device is lost: from some call on nothing works any more.
  for (int call : {1, 4, 9, 20, 40}) plans.push_back("clEnqueue*:" + std::to_string(call) + "+");
  if (options.all) return plans;
  std::mt19937 random(options.seed);
  for (size_t i = plans.size(); i > 1; i--) std::swap(plans[i - 1], plans[random() % i]);
  plans.resize(std::min<size_t>(plans.size(), options.sample));
  return plans;
}

/// In the child, before all else.
GstGLDisplay *start_gstreamer() {
  gst_init(nullptr, nullptr);
  g_log_set_writer_func(on_log, nullptr, nullptr);
  gst_debug_set_threshold_for_name("glclresult", GST_LEVEL_ERROR);
  gst_debug_add_log_function(on_debug, nullptr, nullptr);
  return gst_gl_display_new();
}

/// In the child: a line "begin PLAN" before each run and "end VERDICT" after it.
void work(const Scenario &scenario, size_t from) {
  g_setenv("GST_TRACERS", "leaks", TRUE);
  Worker worker(scenario, start_gstreamer());
  worker.prepare();
  const std::vector<std::string> plans = table(worker.calls());
  for (size_t i = from; i < plans.size(); i++) {
    std::printf("begin %s\n", plans[i].c_str());
    std::fflush(stdout);
    std::printf("end %s\n", worker.outcome(plans[i]).c_str());
    std::fflush(stdout);
  }
}

/// In a child for each run.
void work_first(const Scenario &scenario, const std::string &plan) {
  Worker worker(scenario, start_gstreamer());
  std::printf("begin %s\n", plan.c_str());
  std::fflush(stdout);
  std::printf("end %s\n", worker.first_outcome(plan).c_str());
}

struct Sample {
  double rss = 0, heap = 0;  // MiB
  int fds = 0, threads = 0;
};

Sample measure() {
  const auto entries = [](const char *folder) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
  };
  malloc_trim(0);
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20),
          static_cast<double>(mallinfo2().uordblks) / (1 << 20), entries("/proc/self/fd"),
          entries("/proc/self/task")};
}

/// In the child: rounds through all scenarios until enough frames have come through.
void soak(const std::vector<Scenario> &scenarios, size_t from) {
  GstGLDisplay *display = start_gstreamer();
  std::vector<Worker> workers;
  for (const Scenario &scenario : scenarios) workers.emplace_back(scenario, display);
  for (Worker &worker : workers) {
    worker.prepare();
    std::printf("alive\n");
    std::fflush(stdout);
  }
  for (Worker &worker : workers) worker.settle();
  Sample first = measure();
  uint64_t frames = 0;
  for (size_t i = from; frames < static_cast<uint64_t>(options.frames); i++) {
    Worker &worker = workers[i % workers.size()];
    const std::string plan =
        "random:" + std::to_string(options.seed + i) + ":" + std::to_string(options.one_in);
    std::printf("begin %s: %s\n", scenarios[i % workers.size()].name.c_str(), plan.c_str());
    std::fflush(stdout);
    std::printf("end %s\n", worker.outcome(plan).c_str());
    if (i - from == 10 * workers.size()) first = measure();  // what is made once has been made
    uint64_t faults = frames = 0;
    for (const Worker &one : workers) frames += one.frames(), faults += one.faults();
    if ((i - from) % 50 == 0 || frames >= static_cast<uint64_t>(options.frames)) {
      const Sample now = measure();
      std::printf("told %llu frames, %llu faults, %+.1f MiB (heap %+.1f), %+d fds, %+d threads\n",
                  static_cast<unsigned long long>(frames), static_cast<unsigned long long>(faults),
                  now.rss - first.rss, now.heap - first.heap, now.fds - first.fds,
                  now.threads - first.threads);
    }
    std::fflush(stdout);
  }
}

/// The lines of a child process.
class Child {
 public:
  explicit Child(const std::function<void()> &main) {
    int ends[2];
    if (pipe(ends) != 0) std::exit(2);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      main();
      std::fflush(nullptr);
      _exit(0);  // what lost queries hold is known
    }
    close(ends[1]);
    from_ = ends[0];
  }
  ~Child() { close(from_); }
  Child(const Child &) = delete;

  /// False at the end, with the last line as it is, and where nothing came for long; such a child
  /// is ended.
  bool next(std::string &line) {
    for (;;) {
      const size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      pollfd ready{from_, POLLIN, 0};
      if (poll(&ready, 1, 4 * patience * 1000) <= 0) {
        hangs_ = true;
        kill(pid_, SIGABRT);
        return false;
      }
      char bytes[4096];
      const ssize_t count = read(from_, bytes, sizeof bytes);
      if (count <= 0) return false;
      buffer_.append(bytes, count);
    }
  }

  /// How it ended; empty for well.
  std::string end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    if (hangs_) return "hangs";
    if (WIFSIGNALED(status)) return std::string("dies: ") + strsignal(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
  }

 private:
  pid_t pid_;
  int from_;
  bool hangs_ = false;
  std::string buffer_;
};

/// The faults to try in first runs.
std::vector<std::string> first_table(const Scenario &scenario) {
  Child child([&] {
    Run(scenario, start_gstreamer(), ~0u, false).play();
    for (const std::string &plan : table(counts())) std::printf("%s\n", plan.c_str());
  });
  std::vector<std::string> plans;
  for (std::string plan; child.next(plan);) plans.push_back(plan);
  child.end();
  return plans;
}

/// Runs `main (from)` in children, each from where the last one left, until one comes to the end,
/// or that many runs have been made. Gives the number of bad ones.
int supervise(const std::string &name, const std::function<void(size_t from)> &main,
              size_t runs = 0) {
  std::map<std::string, int> ends;
  int bad = 0, repeated = 0;
  size_t done = 0;
  while (!runs || done < runs) {
    const size_t before = done;
    Child child([&] { main(before); });
    std::string line, plan;
    while (child.next(line)) {
      if (line.rfind("begin ", 0) == 0) {
        plan = line.substr(6);
      } else if (line.rfind("end ", 0) == 0) {
        const std::string verdict = line.substr(4);
        done++;
        if (verdict.rfind("BAD", 0) == 0) {
          bad++;
          std::printf("%s: %s: %s\n", name.c_str(), plan.c_str(), verdict.c_str());
        } else {
          ends[verdict]++;
        }
        plan.clear();
      } else if (line != "alive" && line.rfind("Bail out!", 0) != 0) {
        std::printf("%s: %s\n", name.c_str(), line.c_str());
      }
    }
    const std::string end = child.end();
    if (end.empty() && !runs) break;
    if (end.empty()) continue;
    // GStreamer aborts in the race that the worker knows, or complains of it.
    if (line.find("gst_gl_buffer_pool_set_config") != std::string::npos && repeated++ < 5) continue;
    repeated = 0;
    bad++;
    std::printf("%s: %s: BAD %s\n", name.c_str(), plan.c_str(), end.c_str());
    std::fflush(stdout);
    if (plan.empty()) break;  // not by a fault
    done++;
  }
  std::string text;
  for (const auto &[verdict, count] : ends) text += ", " + std::to_string(count) + " " + verdict;
  std::printf("%s: %zu runs%s%s\n", name.c_str(), done, text.c_str(),
              bad ? (", " + std::to_string(bad) + " BAD").c_str() : "");
  std::fflush(stdout);
  return bad;
}

int try_first(const Scenario &scenario) {
  const std::vector<std::string> plans = first_table(scenario);
  if (plans.empty()) return 1;
  return supervise(
      scenario.name + " at first", [&](size_t from) { work_first(scenario, plans[from]); },
      plans.size());
}

bool parse(int argc, char **argv, const char **list) {
  if (argc < 3) return false;
  options.soak = !std::strcmp(argv[1], "soak");
  if (options.soak) options.run = 100;
  for (int i = 2; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--all") {
      options.all = true;
    } else if (word == "--first") {
      options.first = true;
    } else if (word.rfind("--", 0) != 0) {
      if (*list)
        options.names.push_back(word);
      else
        *list = argv[i];
    } else if (i + 1 == argc) {  // NOLINT(bugprone-branch-clone): it guards what follows
      return false;
    } else if (word == "--sample") {
      options.sample = std::atoi(argv[++i]);
    } else if (word == "--seed") {
      options.seed = static_cast<unsigned>(std::atol(argv[++i]));
    } else if (word == "--frames") {
      options.frames = std::atol(argv[++i]);
    } else if (word == "--plan") {
      options.plan = argv[++i];
    } else if (word == "--run") {
      options.run = std::atoi(argv[++i]);
    } else if (word == "--one-in") {
      options.one_in = std::atoi(argv[++i]);
    } else {
      return false;
    }
  }
  return *list;
}

}  // namespace

int main(int argc, char **argv) {
  const char *list = nullptr;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (!parse(argc, argv, &list)) {
    std::fprintf(
        stderr,
        "runner table [--all | --sample N --seed S | --plan PLAN] [--first] [--run FRAMES]\n"
        "             LIST [NAME…]\n"
        "runner soak --frames N [--run FRAMES] [--one-in N] [--seed S] LIST [NAME…]\n");
    return 2;
  }
  const std::vector<Scenario> scenarios = read_list(list);
  if (scenarios.empty()) {
    std::fprintf(stderr, "runner: %s has no such pipeline\n", list);
    return 2;
  }
  int bad = 0;
  if (options.soak)
    bad = supervise("soak", [&](size_t from) { soak(scenarios, from); });
  else
    for (const Scenario &scenario : scenarios)
      bad += options.first ? try_first(scenario)
                           : supervise(scenario.name, [&](size_t from) { work(scenario, from); });
  return bad ? 1 : 0;
}
