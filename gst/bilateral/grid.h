// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "gridmemory.h"

namespace glcl::bilateral {

/// The bilateral filter by a bilateral grid (Chen, Paris and Durand 2007), for frames of RGBA, 8
/// or 16 bits per channel. docs/methods/bilateral.md has the steps, the variances and what each
/// weight can distinguish. Settings::radius is not used: the grid covers the whole Gaussian. Edge
/// pixels repeat, and alpha is copied.
///
/// On images, for GPUs, cells are half floats between the passes: about one value in a hundred
/// differs by one level.
///
/// Cost: one pass over the pixels, one over the cells, and another over the pixels. It does not
/// depend on sigma_space. On GPUs it grows with the number of planes, 1 / sigma_range.
class Grid {
 public:
  using Settings = BilateralFilter::Settings;
  using Weight = BilateralFilter::Weight;

  /// Smallest sigma_space, px; for smaller windows the grid is not faster.
  static constexpr double min_sigma_space = 2;
  /// Largest sigma_space, px; above it integers of 16 bits are too coarse on images.
  static constexpr double max_sigma_space = 64;
  /// The most planes along the range axis.
  static constexpr int max_planes = 128;

  /// The variants: buffers (1: pictures are buffers, 0: images), group-x and group-y (work-group of
  /// the kernels over pixels and cells); on images lanes (work-group of the splat) and rows (pixels
  /// per work-item of the look-up). Problem: "intensity".
  static const Tunable &tunable();
  /// Defaults for untuned devices.
  static Parameters variant(Layout layout);

  /// For frames of width × height px; the tuned variant for pictures of a layout. `pixels` is
  /// PixelFormat::rgba or rgba64.
  Grid(Context &context, int width, int height, Layout layout,
       const PixelFormat &pixels = PixelFormat::rgba);
  Grid(Context &context, int width, int height, const Parameters &variant,
       const PixelFormat &pixels = PixelFormat::rgba);

  /// The layout of run()'s `in` and `out`.
  Layout layout() const { return geometry_.layout(); }
  /// The approximate time for a frame of 1920×1080, µs; see BilateralFilter::cost().
  double cost(const Settings &settings) const;

  /// True if run() accepts these settings: sigma_space is within these bounds, at most max_planes
  /// planes are needed (sigma_range down to 0.008, 0.014 for color), and at most 3 cells of 16
  /// bytes per pixel (or 65536 in total). The device must also allow an allocation of that size.
  bool suits(const Settings &settings) const { return geometry_.suits(settings); }

  /// True if the program for these settings is built; otherwise starts to build it in the
  /// background. There is one program for per_channel and one for the other weights. Throws
  /// Error::failed, once, if the device refuses it.
  bool ready(const Settings &settings);
  /// Builds that program and waits for it. Throws Error::failed.
  void prepare(const Settings &settings);

  /// Enqueues the filter from `in` to `out`, two pictures of the engine's size and layout; never
  /// waits after ready() returned true or prepare() returned. Memory is allocated only if settings
  /// need more than before. All calls of an engine use one queue (or queues that wait for each
  /// other). Throws Error::settings for other pictures and unsuitable settings, Error::failed if
  /// OpenCL refuses.
  void run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out);

 private:
  /// The kernels of a program: a grid of RGB, or a grid per channel.
  struct GridKernels {
    Kernel splat, blur, slice;
  };

  Grid(Context &context, int width, int height, const Tuning &tuning, const PixelFormat &pixels);
  static Tuning tuning(const Device &device, Layout layout);
  GridKernels build(int channels) const;
  double levels_per_code() const;
  Lazy<GridKernels> &program(int channels) { return channels == 1 ? joint_ : separate_; }
  GridKernels &kernels(const GridShape &shape);
  void pass(Queue &queue, const Settings &settings, const Picture &from, const Picture &original,
            const Picture &to, int split);
  void splat(Queue &queue, const GridShape &shape, float cell, const Picture &from);
  void blur(Queue &queue, const GridShape &shape, float cell);

  std::shared_ptr<Context> context_;
  GridGeometry geometry_;
  const PixelFormat &pixels_;
  Parameters variant_;
  double microseconds_;  // of a frame of 1920×1080
  Lazy<GridKernels> joint_, separate_;
  GridMemory memory_;
  Picture intermediate_[2];  // results of all iterations except the last
};

}  // namespace glcl::bilateral
