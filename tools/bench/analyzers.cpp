// SPDX-License-Identifier: LGPL-2.1-or-later
#include "analyzers.h"

#include <memory>
#include <utility>

#include "conversion/blender.h"
#include "histogram/histogram.h"
#include "hough/canny.h"
#include "klt/klt.h"
#include "motion/motion.h"
#include "opticalflow/flow.h"
#include "opticalflow/preset.h"
#include "reference/conversion/conversion.h"
#include "reference/transfer.h"
#include "scopes/renderer.h"

namespace glcl::bench {

namespace {

using glcl::histogram::Histogram;
using Bytes = std::vector<char>;

Bytes download(Queue &queue, const cl::Buffer &from, size_t bytes) {
  Bytes result(bytes);
  queue.cl().enqueueReadBuffer(from, CL_TRUE, 0, bytes, result.data());
  return result;
}

Analyzer histogram(Context &context, int width, int height, const FrameFormat &format) {
  Histogram::Format counted;
  counted.mode = Histogram::Mode::luma;
  const auto engine = std::make_shared<Histogram>(context, width, height, counted, format);
  const auto counts = std::make_shared<cl::Buffer>();
  return {[=](Queue &queue, const Picture &frame) {
            *counts = engine->run(queue, frame, {0, 0, width, height});
          },
          [=](Queue &queue) { return download(queue, *counts, engine->bytes()); }};
}

template <int range>
Analyzer block_motion(Context &context, int width, int height, const FrameFormat &format) {
  motion::BlockMotion::Settings settings;
  settings.range = range;
  settings.noise = -1;
  const auto engine = std::make_shared<motion::BlockMotion>(context, width, height, format);
  engine->prepare(settings);
  return {[=](Queue &queue, const Picture &frame) { engine->next(queue, settings, frame); },
          [=](Queue &queue) {
            const auto &field = engine->field();
            const size_t vectors = size_t(field.columns) * field.rows;
            return download(engine->results(queue), engine->vectors(),
                            vectors * sizeof(motion::Vector));
          }};
}

Analyzer flow(Context &context, int width, int height, const FrameFormat &format) {
  using opticalflow::Flow;
  const Flow::Settings settings = flow_settings(preset_values(opticalflow::Preset::balanced));
  const auto engine =
      std::make_shared<Flow>(context, width, height, format, Flow::Channels::census);
  engine->prepare(settings);
  return {[=](Queue &queue, const Picture &frame) { engine->run(queue, settings, frame); },
          [=](Queue &queue) {
            return download(queue, engine->field().vectors,
                            size_t(width) * height * 2 * sizeof(float));
          }};
}

Analyzer klt(Context &context, int width, int height, const FrameFormat &format) {
  const auto engine = std::make_shared<klt::Klt>(context, width, height, format);
  return {[=](Queue &queue, const Picture &frame) { engine->run(queue, {}, frame); },
          [=](Queue &queue) {
            using klt::Points;
            engine->report(queue);
            Points::PointSummary summary;
            const cl::Buffer &report = engine->points().report();
            queue.cl().enqueueReadBuffer(report, CL_TRUE, 0, sizeof summary, &summary);
            return download(queue, report,
                            sizeof summary + summary.count * sizeof(Points::PointRecord));
          }};
}

Analyzer edges(Context &context, int width, int height, const FrameFormat &format) {
  const auto engine = std::make_shared<hough::Canny>(context, width, height, format);
  return {[=](Queue &queue, const Picture &frame) { engine->run(queue, {}, frame); },
          [=](Queue &queue) {
            return download(queue, engine->edges(), size_t(width) * height * sizeof(cl_ushort));
          }};
}

/// The counts of a frame for a waveform and a vectorscope.
struct ScopeCounting {
  ScopeCounting(Context &context, int width, int height, const FrameFormat &format)
      : area{0, 0, width, height},
        counts(context, width, height, scopes::ScopeValues(format, scopes::ScopeMode::luma)) {}

  void run(Queue &queue, const Picture &frame) { counts.count(queue, frame, area); }
  Bytes columns(Queue &queue) const {
    return download(queue, counts.counts(),
                    sizeof(cl_uint) * counts.values().levels * counts.columns(area));
  }

  Rect area;
  scopes::ScopeCounts counts;
};

Analyzer scope_counts(Context &context, int width, int height, const FrameFormat &format) {
  const auto counting = std::make_shared<ScopeCounting>(context, width, height, format);
  return {[=](Queue &queue, const Picture &frame) { counting->run(queue, frame); },
          [=](Queue &queue) { return counting->columns(queue); }};
}

/// Draws a waveform and a vectorscope over a frame, which is counted once.
Analyzer scope_drawing(Context &context, int width, int height, const FrameFormat &format) {
  struct Drawing {
    ScopeCounting counting;
    scopes::ScopeRenderer renderer;
    scopes::ScopeSettings settings;
    Picture overlay, out;
    std::unique_ptr<conversion::Blender> blender;  // of frames in planes
    bool counted = false;
  };
  const auto drawing = std::make_shared<Drawing>(
      Drawing{{context, width, height, format}, {context, width, height, format}, {}, {}, {}, {}});
  drawing->settings.display = scopes::waveform | scopes::vectorscope;
  drawing->overlay = make_picture(context.cl(), width, height, format.layout);
  if (format.pixels->has_luma()) {
    drawing->blender = std::make_unique<conversion::Blender>(context, width, height, format);
    Queue queue(context.shared_from_this());
    drawing->out = reference::upload(queue, reference::PlanarFrame(*format.pixels, width, height),
                                     format.layout);
  }
  return {[=](Queue &queue, const Picture &frame) {
            if (!std::exchange(drawing->counted, true)) drawing->counting.run(queue, frame);
            const Rect &area = drawing->counting.area;
            const bool planes = drawing->blender != nullptr;
            drawing->renderer.run(queue, drawing->settings, frame,
                                  {planes ? drawing->overlay : frame, drawing->overlay, planes},
                                  drawing->counting.counts, area, scopes::ScopeTransfer::sdr);
            if (planes)
              drawing->blender->run(queue, frame, drawing->overlay,
                                    scopes::covered_by(drawing->settings, area.width, area.height),
                                    drawing->out);
          },
          [=](Queue &queue) { return drawing->counting.columns(queue); }};
}

}  // namespace

const std::vector<AnalyzerWork> &analyzer_works() {
  static const std::vector<AnalyzerWork> works{{"glclhistogram mode=luma", histogram},
                                               {"glclmotion", block_motion<0>},
                                               {"glclmotion range=16", block_motion<16>},
                                               {"glopenclflow", flow},
                                               {"glclklt", klt},
                                               {"glclhough, edges", edges},
                                               {"glclscope, counts", scope_counts},
                                               {"glclscope, drawing", scope_drawing}};
  return works;
}

}  // namespace glcl::bench
