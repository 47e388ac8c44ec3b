// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclscopemessages.h"

#include "base/glclresult.h"

namespace glcl::scopes {

namespace {

void add_channels(GstStructure *message, const std::vector<ScopeNumbers::Channel> &channels) {
  FieldArray minimum, maximum, mean, below, above, columns;
  for (const ScopeNumbers::Channel &channel : channels) {
    minimum.add(channel.minimum);
    maximum.add(channel.maximum);
    mean.add(channel.mean);
    below.add(channel.below);
    above.add(channel.above);
    FieldArray means;
    for (const double one : channel.column_means) means.add(one);
    columns.add(means);
  }
  minimum.into(message, "minimum");
  maximum.into(message, "maximum");
  mean.into(message, "mean");
  below.into(message, "below");
  above.into(message, "above");
  columns.into(message, "column-mean");
}

}  // namespace

void post(GstGLCLAnalyzer *self, const FrameTimes &times, const ScopeValues &values,
          uint64_t pixels, const ScopeNumbers &numbers, const SurveyNumbers &survey) {
  GstStructure *message = gst_glcl_analyzer_structure("glclscope", times);
  gst_structure_set(message, "mode", G_TYPE_STRING, mode_name(values.mode), "bits", G_TYPE_UINT,
                    guint(values.bits), "pixels", G_TYPE_UINT64, guint64(pixels), "out-of-range",
                    G_TYPE_DOUBLE, survey.out_of_range, "out-of-gamut", G_TYPE_DOUBLE,
                    survey.out_of_gamut, "black", G_TYPE_DOUBLE, survey.black, nullptr);
  add_channels(message, numbers.channels);
  if (numbers.saturation) {
    const ScopeNumbers::Saturation &saturation = *numbers.saturation;
    gst_structure_set(message, "saturation-mean", G_TYPE_DOUBLE, saturation.mean,
                      "saturation-median", G_TYPE_DOUBLE, saturation.median, "saturation-p95",
                      G_TYPE_DOUBLE, saturation.p95, "saturation-maximum", G_TYPE_DOUBLE,
                      saturation.maximum, nullptr);
  }
  if (numbers.hue) {
    const ScopeNumbers::Hue &hue = *numbers.hue;
    gst_structure_set(message, "hue", G_TYPE_INT, hue.most_frequent, "hue-p5", G_TYPE_INT, hue.p5,
                      "hue-median", G_TYPE_INT, hue.median, "hue-p95", G_TYPE_INT, hue.p95,
                      "loudest-hue", G_TYPE_INT, hue.loudest, nullptr);
  }
  gst_glcl_analyzer_post(self, message);
}

}  // namespace glcl::scopes
