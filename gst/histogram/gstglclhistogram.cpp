// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclhistogram
 * @title: glclhistogram
 *
 * Counts the levels of every frame, exactly, and tells them in messages and metas, draws them over
 * the video, equalises the video by them, and finds where a shot begins. The frames stay in OpenGL
 * textures and are computed by OpenCL; what is counted leaves the device without a wait, so that a
 * message may come a frame later than its frame, with that frame's times.
 *
 * Message `glclhistogram`, at most one per `interval`:
 *
 * * `timestamp`, `stream-time`, `running-time`, `duration` (GstClockTime): of the frame
 * * `mode` (string), `bins` (guint), `pixels` (guint64): what was counted
 * * `counts`: an array per channel (luma; R, G, B; or one for the joint modes) of guint
 * * `mean`, `stddev`, `p5`, `median`, `p95`: arrays of double with a level, 0 to 255, per channel
 *   (R, G and B for the joint modes)
 * * `clipped-low`, `clipped-high`: arrays of double, the part of the pixels in the first and in the
 *   last bin
 *
 * Message `shot`, with `shot-detection`: the times of the first frame of the new shot, `frame`
 * (guint64, its number since the start), `kind` (string: cut, fade-in, fade-out, dissolve) and
 * `score` (double, 0 to 1: how different the shots are). It comes 8 frames after a cut and up to 45
 * after a gradual transition, when that is certain.
 *
 * Luma is (77 R + 150 G + 29 B + 128) / 256. All of it is of the frame as it comes in.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclhistogram mode=rgb display=overlay !
 * glimagesink
 * ]|
 * A camera with its histogram.
 * |[
 * gst-launch-1.0 -m filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert !
 * glclhistogram shot-detection=true post-messages=false ! fakesink
 * ]|
 * Where the shots of a film begin.
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclhistogram equalize=luma ! glimagesink
 * ]|
 * A dark room made visible.
 *
 * Since: 0.1
 */
#include "gstglclhistogram.h"

#include <deque>
#include <memory>
#include <mutex>

#include "base/glclproperties.h"
#include "gstglclhistogrammeta.h"
#include "opencl/error.h"
#include "present.h"
#include "shots.h"
#include "statistics.h"

namespace {

using glcl::Area;
using glcl::Histogram;
using glcl::Present;
using glcl::Shots;

enum { mode_luma, mode_rgb, mode_color_8, mode_color_16 };
constexpr const char *mode_names[] = {"luma", "rgb", "color-8", "color-16"};
constexpr const char *shot_names[] = {"cut", "fade-in", "fade-out", "dissolve"};
constexpr Histogram::Format shot_format{Histogram::Mode::rgb, 256};
constexpr size_t most_bytes = 4096 * sizeof(cl_uint);
constexpr size_t remembered_times = 256;  // of frames that a shot may begin at

GType mode_type() {
  return glcl::enum_type<int>(
      "GstGLCLHistogramMode",
      {{mode_luma, "The luma, by itself", mode_names[0]},
       {mode_rgb, "R, G and B, each by itself", mode_names[1]},
       {mode_color_8, "Colours, of 8 levels of R, G and B each: 512 bins", mode_names[2]},
       {mode_color_16, "Colours, of 16 levels of R, G and B each: 4096 bins", mode_names[3]}});
}

GType display_type() {
  using Display = Present::Display;
  return glcl::enum_type<Display>("GstGLCLHistogramDisplay",
                                  {{Display::none, "Nothing is drawn", "none"},
                                   {Display::overlay, "All channels in one plot", "overlay"},
                                   {Display::parade, "The channels side by side", "parade"},
                                   {Display::stack, "The channels one above the other", "stack"}});
}

GType scale_type() {
  return glcl::enum_type<bool>("GstGLCLHistogramScale",
                               {{false, "Height as the count", "linear"},
                                {true, "Height as the logarithm of the count", "log"}});
}

GType equalize_type() {
  using Equalize = Present::Equalize;
  return glcl::enum_type<Equalize>(
      "GstGLCLHistogramEqualize",
      {{Equalize::none, "The frame stays as it is", "none"},
       {Equalize::luma, "The luma is equalised, colours keep their differences", "luma"},
       {Equalize::rgb, "Each channel is equalised by itself", "rgb"}});
}

const GstMetaInfo *meta_info() {
  static const GstMetaInfo *info =
      glcl::register_result_meta<GstGLCLHistogramMeta>("GstGLCLHistogramMeta");
  return info;
}

struct Settings : Present::Settings {
  int mode = mode_luma, bins = 256;
  std::vector<int> roi;
  bool shot_detection = false;
  double shot_threshold = Shots::default_threshold;

  Histogram::Format format() const {
    constexpr Histogram::Mode modes[] = {Histogram::Mode::luma, Histogram::Mode::rgb,
                                         Histogram::Mode::color_8, Histogram::Mode::color_16};
    return {modes[mode], bins};
  }

  Area area() const {
    if (roi.empty()) return {};
    std::string text;
    for (int value : roi) text += (text.empty() ? "" : ",") + std::to_string(value);
    if (roi.size() != 4 || roi[2] <= 0 || roi[3] <= 0)
      throw glcl::Error(glcl::Error::Kind::settings,
                        "roi=<" + text +
                            "> is no area; give x, y, width and height in px, or nothing for the "
                            "whole frame.");
    return {roi[0], roi[1], roi[2], roi[3]};
  }
};

void set_roi(Settings &settings, const GValue *value) {
  settings.roi.clear();
  for (guint i = 0; i < gst_value_array_get_size(value); i++)
    settings.roi.push_back(g_value_get_int(gst_value_array_get_value(value, i)));
}

void get_roi(const Settings &settings, GValue *value) {
  for (int number : settings.roi) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_INT);
    g_value_set_int(&item, number);
    gst_value_array_append_and_take_value(value, &item);
  }
}

/// An engine with the counts of the last frame.
struct Counter {
  std::unique_ptr<Histogram> engine;
  cl::Buffer counts;

  void prepare(glcl::Context &context, int width, int height, const Histogram::Format &format,
               glcl::Layout layout) {
    if (engine && engine->format() == format) return;
    engine = std::make_unique<Histogram>(context, width, height, format, layout);
    counts = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, engine->bytes());
  }
};

struct State {
  glcl::Guarded<Settings> settings;

  // GL thread
  glcl::Layout layout = glcl::Layout::image;
  Counter measured, of_shots, of_equalizing;
  std::unique_ptr<Present> present;
  uint64_t frames = 0;
  void drop_counters() {
    for (Counter *counter : {&measured, &of_shots, &of_equalizing}) *counter = {};
  }
  bool followed = false;  // the detector has seen the frame before

  std::mutex shots_mutex;
  Shots shots;
  std::deque<std::pair<uint64_t, glcl::FrameTimes>> times;  // of the frames the detector has seen
};

/// Arrays of GstValueArrays or numbers.
class Array {
 public:
  Array() { gst_value_array_init(&value_, 0); }
  ~Array() {
    if (G_IS_VALUE(&value_)) g_value_unset(&value_);
  }
  Array(const Array &) = delete;

  void add(double number) {
    GValue item = G_VALUE_INIT;
    g_value_init(&item, G_TYPE_DOUBLE);
    g_value_set_double(&item, number);
    gst_value_array_append_and_take_value(&value_, &item);
  }
  void add(const uint32_t *counts, size_t count) {
    GValue list = G_VALUE_INIT, item = G_VALUE_INIT;
    gst_value_array_init(&list, static_cast<guint>(count));
    g_value_init(&item, G_TYPE_UINT);
    for (size_t i = 0; i < count; i++) {
      g_value_set_uint(&item, counts[i]);
      gst_value_array_append_value(&list, &item);
    }
    gst_value_array_append_and_take_value(&value_, &list);
  }
  void into(GstStructure *structure, const char *field) {
    gst_structure_take_value(structure, field, &value_);
    value_ = G_VALUE_INIT;
  }

 private:
  GValue value_ = G_VALUE_INIT;
};

void post_histogram(GstGLCLAnalyzer *self, const glcl::FrameTimes &times, int mode,
                    const Histogram::Format &format, guint64 pixels, const uint32_t *counts) {
  const int channels = format.channels(), bins = format.counters() / channels;
  GstStructure *message = gst_glcl_analyzer_structure("glclhistogram", times);
  gst_structure_set(message, "mode", G_TYPE_STRING, mode_names[mode], "bins", G_TYPE_UINT,
                    guint(bins), "pixels", G_TYPE_UINT64, pixels, nullptr);
  Array of_counts;
  for (int i = 0; i < channels; i++) of_counts.add(counts + i * bins, bins);
  of_counts.into(message, "counts");
  std::vector<glcl::Statistics> all;
  for (const auto &channel : glcl::channel_counts(format, counts))
    all.push_back(glcl::statistics(channel));
  using Field = double glcl::Statistics::*;
  constexpr std::pair<const char *, Field> fields[] = {
      {"mean", &glcl::Statistics::mean},
      {"stddev", &glcl::Statistics::stddev},
      {"p5", &glcl::Statistics::p5},
      {"median", &glcl::Statistics::median},
      {"p95", &glcl::Statistics::p95},
      {"clipped-low", &glcl::Statistics::clipped_low},
      {"clipped-high", &glcl::Statistics::clipped_high}};
  for (const auto &[name, field] : fields) {
    Array values;
    for (const glcl::Statistics &one : all) values.add(one.*field);
    values.into(message, name);
  }
  gst_glcl_analyzer_post(self, message);
}

void post_shots(GstGLCLAnalyzer *self, State *state, const std::vector<Shots::Shot> &shots) {
  for (const Shots::Shot &shot : shots)
    for (const auto &[frame, times] : state->times) {
      if (frame != shot.frame) continue;
      GstStructure *message = gst_glcl_analyzer_structure("shot", times);
      gst_structure_set(message, "frame", G_TYPE_UINT64, guint64(shot.frame), "kind", G_TYPE_STRING,
                        shot_names[static_cast<int>(shot.kind)], "score", G_TYPE_DOUBLE, shot.score,
                        nullptr);
      gst_glcl_analyzer_post(self, message);
      break;
    }
}

/// What the detector has not decided on is decided now: no frame follows.
void finish_shots(GstGLCLAnalyzer *self, State *state) {
  const std::lock_guard lock(state->shots_mutex);
  post_shots(self, state, state->shots.finish());
  state->times.clear();
}

void follow_shots(GstGLCLAnalyzer *self, State *state, uint64_t frame, bool first, double threshold,
                  const glcl::FrameTimes &times, const uint32_t *counts) {
  if (first) finish_shots(self, state);
  const std::lock_guard lock(state->shots_mutex);
  state->shots.set_threshold(threshold);
  state->times.emplace_back(frame, times);
  if (state->times.size() > remembered_times) state->times.pop_front();
  post_shots(self, state, state->shots.add(frame, counts));
}

}  // namespace

struct _GstGLCLHistogram {
  GstGLCLAnalyzer parent;
  State *state;
};

G_DEFINE_TYPE(GstGLCLHistogram, gst_glcl_histogram, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclhistogram, "glclhistogram", GST_RANK_NONE,
                            gst_glcl_histogram_get_type())

static glcl::Layout gst_glcl_histogram_prepare(GstGLCLFilter *filter, glcl::Context &context,
                                               int width, int height) {
  State *state = GST_GLCL_HISTOGRAM(filter)->state;
  const Settings settings = state->settings.get();
  state->drop_counters();
  state->layout = glcl::layout_for(context.device());
  state->present = std::make_unique<Present>(context, width, height, state->layout);
  state->measured.prepare(context, width, height, settings.format(), state->layout);
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_bytes);
  state->followed = false;
  return state->layout;
}

/// A meta whose buffer the counts are to be written to.
static GstGLCLHistogramMeta *gst_glcl_histogram_attach(GstGLCLHistogram *self,
                                                       const Settings &settings, const Area &area,
                                                       const glcl::Picture &in, GstBuffer *outbuf) {
  const Histogram::Format format = settings.format();
  auto *meta = gst_glcl_analyzer_attach<GstGLCLHistogramMeta>(
      GST_GLCL_ANALYZER(self), outbuf, meta_info(), self->state->measured.engine->bytes());
  meta->mode = settings.mode;
  meta->channels = format.channels();
  meta->bins = format.counters() / format.channels();
  meta->x = area.x;
  meta->y = area.y;
  meta->width = area.empty() ? in.width : area.width;
  meta->height = area.empty() ? in.height : area.height;
  return meta;
}

static void gst_glcl_histogram_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                       const glcl::Picture &in, const glcl::Picture &out,
                                       GstBuffer *inbuf, GstBuffer *outbuf) {
  State *state = GST_GLCL_HISTOGRAM(filter)->state;
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  const Settings settings = state->settings.get();
  const glcl::Wanted wanted = gst_glcl_analyzer_wanted(analyzer, inbuf);
  const Histogram::Format format = settings.format();
  const Area area = settings.area();
  const uint64_t frame = state->frames++;

  // Another mode builds another program, once.
  Counter &measured = state->measured;
  measured.prepare(queue.context(), in.width, in.height, format, state->layout);
  cl::Buffer counts = measured.counts;
  const bool displayed = settings.display != Present::Display::none;
  if (wanted.message || wanted.meta || displayed) {
    GstBuffer *result = wanted.meta ? gst_glcl_histogram_attach(GST_GLCL_HISTOGRAM(filter),
                                                                settings, area, in, outbuf)
                                          ->buffer
                                    : nullptr;
    if (result) counts = glcl::result_memory(result);
    measured.engine->run(queue, in, area, counts);
    if (result) glcl::result_written(result, queue);
  }
  if (wanted.message) {
    const guint64 pixels =
        area.empty() ? guint64(in.width) * in.height : guint64(area.width) * area.height;
    gst_glcl_analyzer_read(
        analyzer, queue, counts, measured.engine->bytes(),
        [analyzer, times = wanted.times, mode = settings.mode, format, pixels](const void *bytes) {
          post_histogram(analyzer, times, mode, format, pixels,
                         static_cast<const uint32_t *>(bytes));
        });
  }

  if (settings.shot_detection) {
    Counter &counter = state->of_shots;
    counter.prepare(queue.context(), in.width, in.height, shot_format, state->layout);
    counter.engine->run(queue, in, {}, counter.counts);
    gst_glcl_analyzer_read(analyzer, queue, counter.counts, counter.engine->bytes(),
                           [=, first = !state->followed, threshold = settings.shot_threshold,
                            times = wanted.times](const void *bytes) {
                             follow_shots(analyzer, state, frame, first, threshold, times,
                                          static_cast<const uint32_t *>(bytes));
                           });
  }
  state->followed = settings.shot_detection;

  const Present::Equalize equalize = settings.equalize;
  if (equalize != Present::Equalize::none) {
    Counter &counter = state->of_equalizing;
    counter.prepare(queue.context(), in.width, in.height, Present::format_for(equalize),
                    state->layout);
    counter.engine->run(queue, in, {}, counter.counts);
  }
  state->present->run(queue, settings, in, out, format, counts,
                      state->of_equalizing.counts() ? state->of_equalizing.counts : counts);
}

/// What comes does not follow what came.
static void gst_glcl_histogram_reset(GstGLCLFilter *filter) {
  GST_GLCL_HISTOGRAM(filter)->state->followed = false;
}

static void gst_glcl_histogram_unprepare(GstGLCLFilter *filter) {
  State *state = GST_GLCL_HISTOGRAM(filter)->state;
  state->drop_counters();
  state->present.reset();
}

static gboolean gst_glcl_histogram_start(GstBaseTransform *trans) {
  State *state = GST_GLCL_HISTOGRAM(trans)->state;
  state->frames = 0;
  const std::lock_guard lock(state->shots_mutex);
  state->shots = Shots();
  state->times.clear();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->start(trans);
}

static gboolean gst_glcl_histogram_sink_event(GstBaseTransform *trans, GstEvent *event) {
  State *state = GST_GLCL_HISTOGRAM(trans)->state;
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
    gst_glcl_analyzer_drain(GST_GLCL_ANALYZER(trans));
    finish_shots(GST_GLCL_ANALYZER(trans), state);
  } else if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
    const std::lock_guard lock(state->shots_mutex);
    state->shots = Shots();
    state->times.clear();
  }
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_histogram_parent_class)->sink_event(trans, event);
}

static void gst_glcl_histogram_init(GstGLCLHistogram *self) { self->state = new State; }

static void gst_glcl_histogram_finalize(GObject *object) {
  delete GST_GLCL_HISTOGRAM(object)->state;
  G_OBJECT_CLASS(gst_glcl_histogram_parent_class)->finalize(object);
}

static void gst_glcl_histogram_class_init(GstGLCLHistogramClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = gst_glcl_histogram_finalize;
  const auto settings_of = [](GObject *object) -> glcl::Guarded<Settings> & {
    return GST_GLCL_HISTOGRAM(object)->state->settings;
  };
  glcl::Properties<Settings>(object_class, settings_of)
      .choice("mode", "Mode", "What is counted", &Settings::mode, mode_type())
      .number("bins", "Bins", "Bins of a channel for luma and rgb: 32, 64, 128 or 256",
              &Settings::bins, 32, 256)
      .choice("display", "Display", "How the histogram is drawn over the frame", &Settings::display,
              display_type())
      .choice("scale", "Scale", "What the height of a bar stands for", &Settings::logarithmic,
              scale_type())
      .number("x", "X", "Left edge of the drawing, as a part of the width", &Settings::x, 0, 1)
      .number("y", "Y", "Upper edge of the drawing, as a part of the height", &Settings::y, 0, 1)
      .number("width", "Width", "Width of the drawing, as a part of the frame's", &Settings::width,
              0, 1)
      .number("height", "Height", "Height of the drawing, as a part of the frame's",
              &Settings::height, 0, 1)
      .number("opacity", "Opacity", "Of the drawing, from 0 (invisible) to 1", &Settings::opacity,
              0, 1)
      .choice("equalize", "Equalize", "Spread the levels of the frame evenly, by its own histogram",
              &Settings::equalize, equalize_type())
      .other(gst_param_spec_array(
                 "roi", "Region of interest",
                 "What is counted for messages, meta and display: <x, y, width, height> in px; "
                 "empty for the whole frame",
                 g_param_spec_int(
                     "value", "Value", "px", 0, G_MAXINT, 0,
                     static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)),
                 glcl::while_playing),
             set_roi, get_roi)
      .flag("shot-detection", "Shot detection", "Post a message `shot` where a shot begins",
            &Settings::shot_detection)
      .number("shot-threshold", "Shot threshold",
              "The least distance of the histograms at a cut, from 0 to 1",
              &Settings::shot_threshold, 0, 1);

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "OpenCL histogram", "Filter/Analyzer/Video",
      "Counts, draws and equalises the levels of OpenGL textures and finds shots, with OpenCL",
      "The gst-glcl developers");

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = GST_DEBUG_FUNCPTR(gst_glcl_histogram_start);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_histogram_sink_event);
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_histogram_prepare;
  filter_class->process = gst_glcl_histogram_process;
  filter_class->reset = gst_glcl_histogram_reset;
  filter_class->unprepare = gst_glcl_histogram_unprepare;
}
