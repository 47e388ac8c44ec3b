// SPDX-License-Identifier: LGPL-2.1-or-later
#include "framehistograms.h"

#include <algorithm>
#include <utility>

namespace glcl::histogram {

FrameHistograms::FormatCounts &FrameHistograms::counts_of(const Histogram::Format &format) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const FormatCounts &entry) {
    return entry.format == format;
  });
  if (known != entries_.end()) return *known;
  entries_.emplace_back();
  entries_.back().format = format;
  return entries_.back();
}

FrameHistograms::EnginePtr FrameHistograms::make(const Histogram::Format &format) const {
  return std::make_unique<Histogram>(
      context_, width_, height_, format,
      Histogram::reads_luma(format) ? frame_ : FrameFormat(frame_.layout));
}

void FrameHistograms::build(const Histogram::Format &format) {
  counts_of(format).engine.get([&] { return make(format); });
}

bool FrameHistograms::ready(const Histogram::Format &format) {
  return counts_of(format).engine.poll([this, format] { return make(format); });
}

void FrameHistograms::next_frame(const Picture &in, RgbaOf rgba) {
  in_ = &in;
  rgba_ = std::move(rgba);
  for (FormatCounts &entry : entries_) entry.counts = nullptr;
}

const cl::Buffer &FrameHistograms::count(Queue &queue, const Histogram::Format &format,
                                         const Rect &area) {
  FormatCounts &entry = counts_of(format);
  if (!entry.counts || !(entry.area == area)) {
    const Picture &frame = Histogram::reads_luma(format) ? *in_ : rgba_();
    entry.counts = &(*entry.engine.value())->run(queue, frame, area);
    entry.area = area;
  }
  return *entry.counts;
}

}  // namespace glcl::histogram
