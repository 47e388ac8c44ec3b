// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-glclscope
 * @title: glclscope
 *
 * Draws the scopes by which people judge pictures over the video, or in its place: waveform,
 * parade, vectorscope and histogram. It marks pixels in the picture: false colours by exposure,
 * edges in focus, illegal colours, zebra. It publishes numbers in messages and metas, and posts
 * when a picture is black or frozen. Values are counted exactly, as code values of the frames: luma
 * and chroma are read from the planes of YUV frames.
 *
 * Message `glclscope`, at most one per `interval`:
 *
 * * `timestamp`, `stream-time`, `running-time`, `duration` (GstClockTime): of the frame
 * * `mode` (string): the counted channels; `luma` for grey frames
 * * `bits` (guint): 8 or 10, of the code values; of 16 bits the upper 10 count
 * * `pixels` (guint64): number of counted pixels
 * * `minimum`, `maximum`: arrays of int, a code value per channel
 * * `mean`, `below`, `above`: arrays of double per channel: mean code value, and the fractions of
 * the samples below and above the legal range
 * * `column-mean`: an array per channel of the mean code value of each column; up to 640 columns
 * * `saturation-mean`, `saturation-median`, `saturation-p95`, `saturation-maximum` (double):
 * distance of the chroma samples from grey, in steps of 8 bits; not for grey frames
 * * `hue` (int): the most frequent hue in degrees, counter-clockwise from +Cb. Samples with a
 *   saturation below 8 do not count; without others the fields of hues are absent
 * * `hue-p5`, `hue-median`, `hue-p95` (int): percentiles of the hues along the circle, which begins
 *   opposite to `hue`
 * * `loudest-hue` (int): hue of the most saturated sample
 * * `out-of-range` (double): fraction of the pixels with a code value outside of the legal range
 * * `out-of-gamut` (double): fraction of the pixels whose R, G or B exceeds `gamut-tolerance`
 * * `black` (double): fraction of the pixels that are black by `black-threshold`
 *
 * Messages `black-begin`, `black-end`, `freeze-begin` and `freeze-end` with the property `events`,
 * whatever `interval` is. They have the times of the first frame that is black or frozen, or no
 * longer so. Those of the end also have `black-duration` or `freeze-duration` (guint64, ns).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! glupload ! glcolorconvert ! glclscope display=waveform+vectorscope !
 * glimagesink
 * ]|
 * Shows a camera with its waveform and its vectorscope.
 * |[
 * gst-launch-1.0 filesrc location=in.mp4 ! decodebin ! glupload ! glcolorconvert ! glclscope
 * display=parade mode=rgb layout=replace ! glimagesink
 * ]|
 * Shows the parade of a film in a window of its own.
 *
 * Since: 0.1
 */
#include "gstglclscope.h"

#include <atomic>
#include <memory>
#include <utility>

#include "base/glclelement.h"
#include "base/glclengineswap.h"
#include "base/glclerrorreporter.h"
#include "base/glclresult.h"
#include "config.h"
#include "gstglclscopeevents.h"
#include "gstglclscopemessages.h"
#include "gstglclscopeproperties.h"
#include "scopes/counts.h"
#include "scopes/renderer.h"
#include "scopes/survey.h"

GST_DEBUG_CATEGORY_STATIC(glcl_scope_debug);
#define GST_CAT_DEFAULT glcl_scope_debug

namespace {

namespace scopes = glcl::scopes;
using glcl::Rect;
using scopes::ScopeMode;
using scopes::ScopeTransfer;
using scopes::ScopeUnits;

constexpr char kind[] = "glclscope";
constexpr char unchanged[] = "The scopes keep their mode.";
constexpr size_t most_bytes =
    sizeof(cl_uint) * (scopes::MOST_CHANNELS * scopes::COLUMN_VALUES * scopes::MOST_COLUMNS +
                       scopes::COLOUR_NUMBERS) +
    scopes::survey_bytes;

using CountsPtr = std::unique_ptr<scopes::ScopeCounts>;

struct ScopeState {
  glcl::Guarded<scopes::ScopeProperties> settings;
  scopes::ScopeProperties frame_settings;  // of the current frame

  glcl::Context *context = nullptr;
  int width = 0, height = 0;
  glcl::FrameFormat frame;
  ScopeTransfer transfer = ScopeTransfer::sdr;
  glcl::Lazy<CountsPtr> counts[3];   // of each mode
  ScopeMode mode = ScopeMode::luma;  // in use
  std::unique_ptr<scopes::ScopeSurvey> survey;
  scopes::ScopeEvents events;
  bool surveyed = false;            // the previous frame was read for events
  std::atomic<bool> ended = false;  // the next frame is compared with none, because events ended
  std::unique_ptr<scopes::ScopeRenderer> renderer;
  struct {
    bool roi = false, grey = false, nits = false;
  } warned;  // warnings that were posted
};

}  // namespace

struct _GstGLCLScope {
  GstGLCLAnalyzer parent;
  ScopeState *state;
};

G_DEFINE_TYPE(GstGLCLScope, gst_glcl_scope, GST_TYPE_GLCL_ANALYZER)
GST_ELEMENT_REGISTER_DEFINE(glclscope, "glclscope", GST_RANK_NONE, gst_glcl_scope_get_type())

/// The matrix of RGB frames is that of their primaries, which relates them to YCbCr.
static glcl::Colorimetry gst_glcl_scope_colorimetry(const GstVideoInfo &info,
                                                    const glcl::FrameFormat &frame) {
  glcl::Colorimetry colorimetry = frame.colorimetry;
  if (frame.pixels->has_luma()) return colorimetry;
  GstVideoColorMatrix matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  if (info.colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_BT709)
    matrix = GST_VIDEO_COLOR_MATRIX_BT709;
  else if (info.colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020)
    matrix = GST_VIDEO_COLOR_MATRIX_BT2020;
  gst_video_color_matrix_get_Kr_Kb(matrix, &colorimetry.kr, &colorimetry.kb);
  colorimetry.full_range = info.colorimetry.range != GST_VIDEO_COLOR_RANGE_16_235;
  return colorimetry;
}

static ScopeTransfer gst_glcl_scope_transfer(const GstVideoInfo &info) {
  switch (info.colorimetry.transfer) {
    case GST_VIDEO_TRANSFER_SMPTE2084:
      return ScopeTransfer::pq;
    case GST_VIDEO_TRANSFER_ARIB_STD_B67:
      return ScopeTransfer::hlg;
    default:
      return ScopeTransfer::sdr;
  }
}

static glcl::Lazy<CountsPtr> &gst_glcl_scope_counts(ScopeState *state, ScopeMode mode) {
  return state->counts[static_cast<int>(mode)];
}

static CountsPtr gst_glcl_scope_make_counts(const ScopeState *state, ScopeMode mode) {
  return std::make_unique<scopes::ScopeCounts>(*state->context, state->width, state->height,
                                               scopes::ScopeValues(state->frame, mode),
                                               scopes::survey_bytes);
}

/// The mode that frames of the current format can have.
static ScopeMode gst_glcl_scope_mode(const ScopeState *state, ScopeMode mode) {
  return scopes::ScopeValues(state->frame, mode).mode;
}

static glcl::Layout gst_glcl_scope_prepare(GstGLCLFilter *filter, glcl::Context &context, int width,
                                           int height) {
  ScopeState *state = GST_GLCL_SCOPE(filter)->state;
  const scopes::ScopeProperties settings = state->settings.get();
  const GstVideoInfo &info = GST_GL_FILTER(filter)->in_info;
  state->context = &context;
  state->width = width, state->height = height;
  state->frame = gst_glcl_filter_frame_format(filter, glcl::layout_for(context.device()));
  state->frame.colorimetry = gst_glcl_scope_colorimetry(info, state->frame);
  state->transfer = gst_glcl_scope_transfer(info);
  for (auto &counts : state->counts) counts = {};
  state->mode = gst_glcl_scope_mode(state, settings.mode);
  gst_glcl_scope_counts(state, state->mode).get([=] {
    return gst_glcl_scope_make_counts(state, state->mode);
  });
  state->survey = std::make_unique<scopes::ScopeSurvey>(context, width, height, state->frame);
  state->renderer = std::make_unique<scopes::ScopeRenderer>(context, width, height, state->frame);
  state->warned = {};
  gst_glcl_analyzer_prepare(GST_GLCL_ANALYZER(filter), context, most_bytes);
  // Without colorimetry in the caps GStreamer assumes one by size.
  gchar *colorimetry = gst_video_colorimetry_to_string(&info.colorimetry);
  GST_INFO_OBJECT(filter, "frames of %d×%d px in %s, at first %s", width, height,
                  colorimetry ? colorimetry : "an unnamed colorimetry",
                  scopes::mode_name(state->mode));
  g_free(colorimetry);
  return state->frame.layout;
}

/// Warns once of settings that the frames do not allow.
static void gst_glcl_scope_warn(GstGLCLScope *self) {
  ScopeState *state = self->state;
  const scopes::ScopeProperties &settings = state->frame_settings;
  const bool grey = state->frame.pixels->model == glcl::PixelFormat::Model::grey &&
                    (settings.mode != ScopeMode::luma || settings.display & scopes::vectorscope);
  if (!std::exchange(state->warned.grey, grey) && grey)
    glcl::warn(GST_ELEMENT(self), GST_RESOURCE_ERROR_SETTINGS,
               std::string("Frames in ") + state->frame.pixels->name +
                   " have no colour: the scopes count luma, and the vectorscope stays empty. Use "
                   "display=waveform mode=luma.");
  const bool nits = settings.levels == ScopeUnits::nits && state->transfer == ScopeTransfer::sdr;
  if (!std::exchange(state->warned.nits, nits) && nits)
    glcl::warn(GST_ELEMENT(self), GST_RESOURCE_ERROR_SETTINGS,
               "levels=nits needs frames with the transfer function PQ or HLG in their caps; per "
               "cent are shown instead. Use levels=percent.");
}

/// The counts of the mode of the settings, or until they can be made those of the last one.
static scopes::ScopeCounts &gst_glcl_scope_ready_counts(GstGLCLScope *self, ScopeMode wish) {
  ScopeState *state = self->state;
  const ScopeMode mode = gst_glcl_scope_mode(state, wish);
  if (mode != state->mode &&
      glcl::optional_engine(
          GST_ELEMENT(self), gst_glcl_scope_counts(state, mode),
          [=] { return gst_glcl_scope_make_counts(state, mode); }, unchanged)) {
    state->mode = mode;
    GST_DEBUG_OBJECT(self, "%s from now on", scopes::mode_name(mode));
  }
  return **gst_glcl_scope_counts(state, state->mode).value();
}

/// A meta with a copy of the numbers.
static void gst_glcl_scope_attach(GstGLCLScope *self, glcl::Queue &queue,
                                  scopes::ScopeCounts &counts, const cl::Buffer &numbers,
                                  const glcl::Picture &in, const Rect &area, GstBuffer *outbuf) {
  const scopes::ScopeValues &values = counts.values();
  std::vector<glcl::ResultArray> arrays{
      {"columns", "uint32", {values.channels, scopes::COLUMN_VALUES, counts.columns(area)}, 0}};
  if (values.has_chroma()) {
    arrays.push_back({"saturations", "uint32", {scopes::SATURATIONS}, arrays[0].bytes()});
    arrays.push_back({"hues", "uint32", {scopes::HUES}, arrays[1].offset + arrays[1].bytes()});
  }
  const size_t of_numbers = sizeof(cl_uint) * counts.number_count(area);
  arrays.push_back(
      {"lines", "uint32", {values.channels, scopes::COLUMN_VALUES, area.height}, of_numbers});
  const size_t bytes = of_numbers + arrays.back().bytes();
  const glcl::AttachedResult result =
      gst_glcl_analyzer_attach(GST_GLCL_ANALYZER(self), outbuf, kind, bytes, arrays);
  gst_structure_set(result.fields, "mode", G_TYPE_STRING, scopes::mode_name(values.mode), "bits",
                    G_TYPE_UINT, guint(values.bits), "x", G_TYPE_INT, area.x, "y", G_TYPE_INT,
                    area.y, "width", G_TYPE_INT, area.width, "height", G_TYPE_INT, area.height,
                    nullptr);
  const cl::Buffer &memory = glcl::result_memory(result.buffer);
  queue.cl().enqueueCopyBuffer(numbers, memory, 0, 0, of_numbers);
  counts.lines(queue, in, area, memory, static_cast<int>(counts.number_count(area)));
  glcl::result_written(result.buffer, queue);
}

/// Reads the numbers of a frame for its message, with the survey behind them.
static void gst_glcl_scope_read(GstGLCLScope *self, glcl::Queue &queue,
                                const scopes::ScopeCounts &counts, const cl::Buffer &numbers,
                                const cl::Buffer &survey, const Rect &area,
                                const glcl::FrameTimes &times, bool continues) {
  auto *analyzer = GST_GLCL_ANALYZER(self);
  const size_t of_numbers = sizeof(cl_uint) * counts.number_count(area);
  queue.cl().enqueueCopyBuffer(survey, numbers, 0, of_numbers, scopes::survey_bytes);
  gst_glcl_analyzer_read(
      analyzer, queue, numbers, of_numbers + scopes::survey_bytes,
      [=, values = counts.values(), columns = counts.columns(area),
       settings = scopes::ScopeEventSettings(self->state->frame_settings)](const void *bytes) {
        const auto *first = static_cast<const uint8_t *>(bytes);
        const scopes::ScopeNumbers of_frame(values, area, columns,
                                            static_cast<const uint32_t *>(bytes));
        const scopes::SurveyNumbers surveyed(area, first + of_numbers);
        scopes::post(analyzer, times, values, uint64_t(area.width) * area.height, of_frame,
                     surveyed);
        self->state->events.add(analyzer, settings, times, surveyed, continues);
      });
}

/// Reads the survey of a frame for events alone.
static void gst_glcl_scope_read_survey(GstGLCLScope *self, glcl::Queue &queue,
                                       const cl::Buffer &survey, const Rect &area,
                                       const glcl::FrameTimes &times, bool continues) {
  auto *analyzer = GST_GLCL_ANALYZER(self);
  gst_glcl_analyzer_read(
      analyzer, queue, survey, scopes::survey_bytes,
      [=, settings = scopes::ScopeEventSettings(self->state->frame_settings)](const void *bytes) {
        self->state->events.add(analyzer, settings, times, scopes::SurveyNumbers(area, bytes),
                                continues);
      });
}

/// Publishes what is wanted of a frame, whose counts have been enqueued.
static void gst_glcl_scope_publish(GstGLCLScope *self, glcl::Queue &queue,
                                   scopes::ScopeCounts &counts, const glcl::FrameRequest &wanted,
                                   const glcl::Picture &in, const Rect &area, GstBuffer *outbuf) {
  const scopes::ScopeProperties &settings = self->state->frame_settings;
  const bool watched = settings.events && gst_glcl_analyzer_posts(GST_GLCL_ANALYZER(self));
  const cl::Buffer *numbers =
      wanted.message || wanted.meta ? &counts.numbers(queue, area) : nullptr;
  if (wanted.meta) gst_glcl_scope_attach(self, queue, counts, *numbers, in, area, outbuf);
  const bool continues = std::exchange(self->state->surveyed, wanted.message || watched);
  if (!wanted.message && !watched) return self->state->survey->reset();
  const cl::Buffer &survey = self->state->survey->run(
      queue, in, area,
      {settings.gamut_tolerance, settings.black_threshold, settings.freeze_threshold},
      watched && settings.events & scopes::freeze_events);
  if (wanted.message)
    gst_glcl_scope_read(self, queue, counts, *numbers, survey, area, wanted.times, continues);
  else
    gst_glcl_scope_read_survey(self, queue, survey, area, wanted.times, continues);
}

static void gst_glcl_scope_process(GstGLCLFilter *filter, glcl::Queue &queue,
                                   const glcl::Picture &in, const glcl::Picture &out,
                                   GstBuffer *inbuf, GstBuffer *outbuf) {
  GstGLCLScope *self = GST_GLCL_SCOPE(filter);
  ScopeState *state = self->state;
  auto *analyzer = GST_GLCL_ANALYZER(filter);
  const scopes::ScopeProperties &settings = state->frame_settings;
  const glcl::FrameRequest wanted = gst_glcl_analyzer_request(analyzer, inbuf);
  const Rect area = glcl::clipped(settings.roi, in.width, in.height);
  glcl::warn_of_region(GST_ELEMENT(filter), settings.roi, in.width, in.height, area,
                       state->warned.roi);
  gst_glcl_scope_warn(self);
  scopes::ScopeCounts &counts = gst_glcl_scope_ready_counts(self, settings.mode);
  const bool published = wanted.message || wanted.meta;
  int parts = published || settings.display & scopes::column_kinds ? scopes::COUNT_COLUMNS : 0;
  if (published || settings.display & scopes::vectorscope) parts |= scopes::COUNT_CHROMA;
  if (parts) counts.count(queue, in, area, parts);
  if (!settings.peaks()) state->renderer->reset();
  gst_glcl_scope_publish(self, queue, counts, wanted, in, area, outbuf);
  gst_glcl_analyzer_draw(
      analyzer, queue, in, out, outbuf,
      settings.display ? std::optional(scopes::covered_by(settings, in.width, in.height))
                       : std::nullopt,
      [&](const glcl::drawing::Canvas &canvas) {
        state->renderer->run(queue, settings, in, canvas, counts, area, state->transfer);
      });
}

static bool gst_glcl_scope_passes_on(GstGLCLFilter *filter) {
  return !GST_GLCL_SCOPE(filter)->state->frame_settings.display ||
         gst_glcl_analyzer_attaches_overlay(GST_GLCL_ANALYZER(filter));
}

/// The next frame does not follow the last one. A frozen picture and the noise of the camera last
/// over a break, because some sources mark every frame DISCONT.
static void gst_glcl_scope_reset(GstGLCLFilter *filter) {
  ScopeState *state = GST_GLCL_SCOPE(filter)->state;
  if (!state->ended.exchange(false)) return;
  if (state->survey) state->survey->reset();
  if (state->renderer) state->renderer->reset();
}

static void gst_glcl_scope_unprepare(GstGLCLFilter *filter) {
  ScopeState *state = GST_GLCL_SCOPE(filter)->state;
  for (auto &counts : state->counts) counts = {};
  state->survey.reset();
  state->renderer.reset();
}

static gboolean gst_glcl_scope_start(GstBaseTransform *trans) {
  GST_GLCL_SCOPE(trans)->state->events.drop();
  return GST_BASE_TRANSFORM_CLASS(gst_glcl_scope_parent_class)->start(trans);
}

static gboolean gst_glcl_scope_sink_event(GstBaseTransform *trans, GstEvent *event) {
  ScopeState *state = GST_GLCL_SCOPE(trans)->state;
  const bool flushed = GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP;
  const gboolean done =
      GST_BASE_TRANSFORM_CLASS(gst_glcl_scope_parent_class)->sink_event(trans, event);
  if (flushed) {
    state->events.drop();  // no results are pending now
    state->ended = true;
  }
  return done;
}

static void gst_glcl_scope_finish(GstGLCLAnalyzer *analyzer) {
  ScopeState *state = GST_GLCL_SCOPE(analyzer)->state;
  state->events.finish(analyzer);
  state->ended = true;
}

static void gst_glcl_scope_init(GstGLCLScope *self) { self->state = new ScopeState; }

static void gst_glcl_scope_class_init(GstGLCLScopeClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_scope_debug, "glclscope", 0, "OpenCL scopes");
  glcl::init_element_class<GstGLCLScope>(
      klass, {"OpenCL scopes", "Filter/Analyzer/Video",
              "Draws waveform, parade, vectorscope and histogram of video in OpenGL textures with "
              "OpenCL, marks exposure, focus and illegal colours, and publishes their numbers",
              DOCS_PAGE("glclscope")});
  auto properties = glcl::install_properties<GstGLCLScope>(klass);
  scopes::add_properties(properties);

  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = GST_DEBUG_FUNCPTR(gst_glcl_scope_start);
  transform_class->sink_event = GST_DEBUG_FUNCPTR(gst_glcl_scope_sink_event);
  GST_GLCL_ANALYZER_CLASS(klass)->finish = gst_glcl_scope_finish;
  auto *filter_class = GST_GLCL_FILTER_CLASS(klass);
  filter_class->prepare = gst_glcl_scope_prepare;
  filter_class->process = gst_glcl_scope_process;
  filter_class->takes_planes = true;
  filter_class->passes_on = gst_glcl_scope_passes_on;
  filter_class->reset = gst_glcl_scope_reset;
  filter_class->unprepare = gst_glcl_scope_unprepare;
  // Peaking compares adjacent lines.
  filter_class->takes_fields = [](GstGLCLFilter *filter) {
    return !GST_GLCL_SCOPE(filter)->state->frame_settings.peaks();
  };
}
