// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "histogram.h"
#include "opencl/lazy.h"

namespace glcl::histogram {

/// The histograms of each frame in several formats. It builds an engine per format in the
/// background, and counts no area of a frame twice.
class FrameHistograms {
 public:
  FrameHistograms(Context &context, int width, int height, const FrameFormat &frame)
      : context_(context), width_(width), height_(height), frame_(frame) {}

  /// Builds the engine of a format. Throws as Histogram.
  void build(const Histogram::Format &format);
  /// True if the engine of a format is ready; else builds it in the background. Throws as
  /// Histogram, once per format.
  bool ready(const Histogram::Format &format);

  /// Starts the next frame. `rgba` gives it as RGBA, for formats that do not read luma. Both must
  /// be there for the calls of count().
  using RgbaOf = std::function<const Picture &()>;
  void next_frame(const Picture &in, RgbaOf rgba);
  /// Enqueues the histogram of an area of the frame, in a format that is ready; see Histogram::run.
  const cl::Buffer &count(Queue &queue, const Histogram::Format &format, const Rect &area);

 private:
  using EnginePtr = std::unique_ptr<Histogram>;
  /// A wanted format with its engine, and the counts of the current frame.
  struct FormatCounts {
    Histogram::Format format;
    Lazy<EnginePtr> engine;
    Rect area;                           // area of the counts
    const cl::Buffer *counts = nullptr;  // of the current frame, or null
  };

  FormatCounts &counts_of(const Histogram::Format &format);
  EnginePtr make(const Histogram::Format &format) const;

  Context &context_;
  int width_, height_;
  FrameFormat frame_;
  std::list<FormatCounts> entries_;
  const Picture *in_ = nullptr;  // the frame
  RgbaOf rgba_;
};

}  // namespace glcl::histogram
