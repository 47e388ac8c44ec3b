// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhistogrammessages.h"

#include "base/glclresult.h"
#include "histogram/statistics.h"

namespace glcl::histogram {

int mode_of(const Histogram::Format &format) {
  using Mode = Histogram::Mode;
  return format.mode == Mode::luma      ? 0
         : format.mode == Mode::rgb     ? 1
         : format.mode == Mode::color_8 ? 2
                                        : 3;
}

const char *mode_name(int mode) {
  static const char *const names[] = {"luma", "rgb", "color-8", "color-16"};
  return names[mode];
}

const char *levels_name(Histogram::Levels values) {
  return values == Histogram::Levels::code ? "code" : "display";
}

const char *levels_of(const Histogram::Format &format, const FrameFormat &frame) {
  return levels_name(Histogram::counts_code(format, frame) ? Histogram::Levels::code
                                                           : Histogram::Levels::display);
}

namespace {

/// Adds the fractions of pixels with illegal values. `counts` follow the counts of the bins.
void add_illegal(GstStructure *message, double pixels, const uint32_t *counts) {
  const char *const names[] = {"below-black", "above-white"};
  for (int i = 0; i < 2; i++) {
    FieldArray of_channels;
    of_channels.add(counts[i] / pixels);
    of_channels.into(message, names[i]);
  }
}

}  // namespace

void post(GstGLCLAnalyzer *self, const FrameTimes &times, const Histogram::Format &format,
          const FrameFormat &frame, guint64 pixels, const uint32_t *counts) {
  const int channels = format.channels(), bins = format.counters() / channels;
  GstStructure *message = gst_glcl_analyzer_structure("glclhistogram", times);
  gst_structure_set(message, "mode", G_TYPE_STRING, mode_name(mode_of(format)), "levels",
                    G_TYPE_STRING, levels_of(format, frame), "bins", G_TYPE_UINT, guint(bins),
                    "pixels", G_TYPE_UINT64, pixels, nullptr);
  FieldArray of_channels;
  for (int i = 0; i < channels; i++) {
    FieldArray of_bins;
    for (int bin = 0; bin < bins; bin++) of_bins.add(guint{counts[i * bins + bin]});
    of_channels.add(of_bins);
  }
  of_channels.into(message, "counts");
  std::vector<Statistics> all;
  for (const auto &channel : channel_counts(format, counts))
    all.push_back(statistics(channel, LevelRange::of(format, frame)));
  using Field = double Statistics::*;
  constexpr std::pair<const char *, Field> fields[] = {{"mean", &Statistics::mean},
                                                       {"stddev", &Statistics::stddev},
                                                       {"p5", &Statistics::p5},
                                                       {"median", &Statistics::median},
                                                       {"p95", &Statistics::p95},
                                                       {"clipped-low", &Statistics::clipped_low},
                                                       {"clipped-high", &Statistics::clipped_high}};
  for (const auto &[name, field] : fields) {
    FieldArray values;
    for (const Statistics &one : all) values.add(one.*field);
    values.into(message, name);
  }
  if (Histogram::counts_illegal(format, frame))
    add_illegal(message, static_cast<double>(pixels), counts + format.counters());
  gst_glcl_analyzer_post(self, message);
}

}  // namespace glcl::histogram
