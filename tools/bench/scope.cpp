// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "opencl/buffer.h"
#include "reference/scopes/scopes.h"
#include "reference/transfer.h"
#include "scopes/renderer.h"
#include "scopes/survey.h"
#include "subject.h"

namespace glcl::bench {

namespace {

using scopes::ScopeCounts;
using scopes::ScopeMode;
using scopes::ScopeRenderer;
using scopes::ScopeSettings;
using scopes::ScopeSurvey;
using scopes::ScopeValues;

/// Frames in RGBA, as the device reads them.
ScopeValues values_of(Context &context, ScopeMode mode) {
  return {FrameFormat(layout_for(context.device())), mode};
}

/// A frame and the engine that counts it.
struct ScopeWork {
  ScopeWork(Context &context, const Scene &scene, ScopeMode mode)
      : frame(scene.frame()),
        area{0, 0, frame.width, frame.height},
        values(values_of(context, mode)),
        counts(std::make_shared<ScopeCounts>(context, frame.width, frame.height, values)) {
    Queue upload_queue(context.shared_from_this());
    in = reference::upload(upload_queue, frame, values.frame.layout);
    out = make_picture(context.cl(), frame.width, frame.height, values.frame.layout);
  }

  reference::Frame frame;
  Rect area;
  ScopeValues values;
  std::shared_ptr<ScopeCounts> counts;
  Picture in, out;
};

Run count_run(Context &context, const Scene &scene, ScopeMode mode) {
  const ScopeWork work(context, scene, mode);
  Run run;
  run.enqueue = [=](Queue &queue) {
    work.counts->count(queue, work.in, work.area, scopes::COUNT_COLUMNS);
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    return compare_equal(queue, work.counts->counts(),
                         reference::scope_counts(reference::ScopeFrame(work.frame, work.values),
                                                 work.area, work.counts->columns(work.area)),
                         "counts");
  };
  run.least.bytes = 4.0 * scene.width * scene.height;
  return run;
}

Run chroma_run(Context &context, const Scene &scene) {
  const ScopeWork work(context, scene, ScopeMode::luma);
  Run run;
  run.enqueue = [=](Queue &queue) {
    work.counts->count(queue, work.in, work.area, scopes::COUNT_CHROMA);
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    return compare_equal(
        queue, work.counts->cells(),
        reference::scope_cells(reference::ScopeFrame(work.frame, work.values), work.area),
        "counts");
  };
  run.least.bytes = 4.0 * scene.width * scene.height;
  return run;
}

/// Counts illegal and black pixels, and compares luma with the kept frame.
Run survey_run(Context &context, const Scene &scene) {
  const ScopeWork work(context, scene, ScopeMode::luma);
  const auto survey =
      std::make_shared<ScopeSurvey>(context, scene.width, scene.height, work.values.frame);
  Run run;
  run.enqueue = [=](Queue &queue) { survey->run(queue, work.in, work.area, {}, true); };
  run.compare = [=](Queue &queue) {
    const reference::ScopeFrame frame(work.frame, work.values);
    const auto expected = reference::scope_survey(frame, &frame, work.area, {});
    survey->run(queue, work.in, work.area, {}, true);
    return compare_equal(queue, survey->run(queue, work.in, work.area, {}, true),
                         std::vector<uint64_t>(expected.begin(), expected.end()), "numbers");
  };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

Run lines_run(Context &context, const Scene &scene, ScopeMode mode) {
  const ScopeWork work(context, scene, mode);
  const cl::Buffer numbers = make_buffer(
      context.cl(), sizeof(cl_uint) * work.values.channels * scopes::COLUMN_VALUES * scene.height);
  Run run;
  run.enqueue = [=](Queue &queue) { work.counts->lines(queue, work.in, work.area, numbers, 0); };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    return compare_equal(
        queue, numbers,
        reference::scope_lines(reference::ScopeFrame(work.frame, work.values), work.area),
        "numbers");
  };
  run.least.bytes = 4.0 * scene.width * scene.height;
  return run;
}

/// Good if at most a thousandth of the values differ by more than one level: the device's logarithm
/// may move the end of a bar.
Agreement compare_scopes(const reference::Frame &result, const reference::Frame &expected) {
  size_t off = 0;
  for (size_t i = 0; i < expected.rgba.size(); i++)
    off += std::abs(int(result.rgba[i]) - int(expected.rgba[i])) > 1;
  return {off * 1000 <= expected.rgba.size(),
          std::to_string(off) + " of " + std::to_string(expected.rgba.size()) + " off"};
}

/// Draws existing counts.
Run draw_run(Context &context, const Scene &scene, unsigned display, ScopeMode mode) {
  const ScopeWork work(context, scene, mode);
  Queue first_queue(context.shared_from_this());
  work.counts->count(first_queue, work.in, work.area);
  first_queue.cl().finish();
  const auto renderer =
      std::make_shared<ScopeRenderer>(context, scene.width, scene.height, work.values.frame);
  ScopeSettings settings;
  settings.display = display;
  settings.mode = mode;
  Run run;
  run.enqueue = [=](Queue &queue) {
    renderer->run(queue, settings, work.in, {work.in, work.out}, *work.counts, work.area,
                  scopes::ScopeTransfer::sdr);
  };
  run.compare = [=, enqueue = run.enqueue](Queue &queue) {
    enqueue(queue);
    return compare_scopes(
        reference::download(queue, work.out),
        reference::draw_scopes(work.frame, reference::ScopeFrame(work.frame, work.values), settings,
                               scopes::ScopeTransfer::sdr, work.area,
                               work.counts->columns(work.area)));
  };
  run.least.bytes = 8.0 * scene.width * scene.height;
  return run;
}

template <class Make>
void add(Subject &subject, const std::string &name, const Make &make) {
  subject.tasks.push_back(
      {name, nullptr, "", [make](Context &context, const Parameters &, const Scene &scene) {
         return make(context, scene);
       }});
}

const Registration registration("glclscope", [](Subject &subject) {
  for (const ScopeMode mode : {ScopeMode::luma, ScopeMode::rgb, ScopeMode::ycbcr})
    add(subject, std::string("columns, mode=") + mode_name(mode),
        [mode](Context &context, const Scene &scene) { return count_run(context, scene, mode); });
  add(subject, "chroma samples", chroma_run);
  add(subject, "survey", survey_run);
  add(subject, "lines, mode=rgb", [](Context &context, const Scene &scene) {
    return lines_run(context, scene, ScopeMode::rgb);
  });
  const std::tuple<const char *, unsigned, ScopeMode> drawings[] = {
      {"waveform", scopes::waveform, ScopeMode::luma},
      {"waveform mode=rgb", scopes::waveform, ScopeMode::rgb},
      {"parade mode=rgb", scopes::parade, ScopeMode::rgb},
      {"vectorscope", scopes::vectorscope, ScopeMode::luma},
      {"histogram mode=rgb", scopes::histogram, ScopeMode::rgb},
      {"zebra", scopes::zebra, ScopeMode::luma},
      {"false-color", scopes::false_color, ScopeMode::luma},
      {"peaking", scopes::peaking, ScopeMode::luma},
      {"gamut", scopes::gamut, ScopeMode::luma},
      {"waveform+vectorscope", scopes::waveform | scopes::vectorscope, ScopeMode::luma}};
  for (const auto &[name, display, mode] : drawings)
    add(subject, std::string("drawing, display=") + name,
        [display = display, mode = mode](Context &context, const Scene &scene) {
          return draw_run(context, scene, display, mode);
        });
});

}  // namespace

}  // namespace glcl::bench
