// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of glclhistogram: they read its messages and results.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "histogram/statistics.h"
#include "pipeline.h"
#include "tests/support/result.h"

using Format = glcl::histogram::Histogram::Format;
using Mode = glcl::histogram::Histogram::Mode;
using Counts = std::vector<uint32_t>;

inline const GValue *item(const GstStructure *structure, const char *field, guint index) {
  const GValue *array = gst_structure_get_value(structure, field);
  test::expect(array && G_VALUE_HOLDS(array, test::field_array()),
               std::string(field) + " is an array");
  test::expect(index < test::values(array)->n_values, std::string(field) + " has the channel");
  return test::values(array)->values + index;
}

inline double number(const GstStructure *structure, const char *field, guint channel) {
  return g_value_get_double(item(structure, field, channel));
}

inline void check_message(const GstStructure *message, const Format &format, const char *mode,
                          const Counts &expected, guint64 pixels) {
  const guint channels = format.channels(), bins = format.counters() / channels;
  guint64 of_pixels = 0;
  guint of_bins = 0;
  gst_structure_get(message, "pixels", G_TYPE_UINT64, &of_pixels, "bins", G_TYPE_UINT, &of_bins,
                    nullptr);
  fail_unless(of_pixels == pixels && of_bins == bins);
  fail_unless_equals_string(gst_structure_get_string(message, "mode"), mode);
  fail_unless(test::values(gst_structure_get_value(message, "counts"))->n_values == channels);
  for (guint channel = 0; channel < channels; channel++) {
    const GValueArray *counts = test::values(item(message, "counts", channel));
    fail_unless(counts->n_values == bins);
    for (guint bin = 0; bin < bins; bin++)
      fail_unless(g_value_get_uint(counts->values + bin) == expected[channel * bins + bin],
                  "%s: bin %u of channel %u", mode, bin, channel);
  }
  const auto by_channel = glcl::histogram::channel_counts(format, expected.data());
  for (guint channel = 0; channel < by_channel.size(); channel++) {
    const glcl::histogram::Statistics wanted = glcl::histogram::statistics(by_channel[channel]);
    const std::pair<const char *, double> fields[] = {{"mean", wanted.mean},
                                                      {"stddev", wanted.stddev},
                                                      {"p5", wanted.p5},
                                                      {"median", wanted.median},
                                                      {"p95", wanted.p95},
                                                      {"clipped-low", wanted.clipped_low},
                                                      {"clipped-high", wanted.clipped_high}};
    for (const auto &[field, value] : fields)
      fail_unless(number(message, field, channel) == value, "%s of channel %u", field, channel);
  }
}

inline const GstStructure *result_of(GstBuffer *frame) {
  return gst_buffer_get_glcl_result(frame, "glclhistogram");
}

/// Its counts, borrowed.
inline GstBuffer *counts_of(GstBuffer *frame) {
  return gst_value_get_buffer(gst_structure_get_value(result_of(frame), "counts"));
}

inline Counts mapped(GstBuffer *buffer) {
  GstMapInfo map;
  test::expect(gst_buffer_map(buffer, &map, GST_MAP_READ), "the counts can be mapped");
  Counts counts(map.size / sizeof(uint32_t));
  std::memcpy(counts.data(), map.data, map.size);
  gst_buffer_unmap(buffer, &map);
  return counts;
}
