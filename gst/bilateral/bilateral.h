// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "bilateral/interface.h"
#include "opencl/context.h"
#include "opencl/kernel.h"
#include "opencl/lazy.h"
#include "opencl/picture.h"
#include "opencl/queue.h"
#include "opencl/rect.h"
#include "opencl/tuning.h"
#include "spacetable.h"

namespace glcl::bilateral {

/// Brute-force bilateral filter of RGBA frames of 8 or 16 bits per channel (Tomasi and Manduchi,
/// "Bilateral filtering for gray and color images", ICCV 1998):
///
///   out(p) = Σ w(p, q) q / Σ w(p, q),  w = exp(-|p - q|² / (2 sigma_space²)) * range weight,
///
/// over the square of side 2 radius + 1 around p with the frame's edge repeated, rounded to the
/// nearest code (half up). Alpha is copied. With 8 bits every form is within one level of the same
/// sum in double precision, with 16 bits within 1/60 of a level.
///
/// Cost per pixel: (2 radius + 1)² taps of about 10 (tile) to 20 (vector) operations and one exp2;
/// three exp2 for Weight::per_channel.
class BilateralFilter {
 public:
  /// The range weight, with s = sigma_range and colours as 0..1.
  enum class Weight {
    intensity = INTENSITY,      ///< exp(-ΔI² / (2 s²)), I = 0.30 R + 0.59 G + 0.11 B
    color = COLOR,              ///< exp(-|ΔRGB|² / (2 s²)), Euclidean
    per_channel = PER_CHANNEL,  ///< each channel has its own weight
  };

  /// The implementation, parameter "form"; results agree within one level.
  enum class Form {
    tile,    ///< images, a tile in local memory
    direct,  ///< images, every tap read through the sampler
    vector,  ///< buffers, explicit vectors: CPU devices
  };

  struct Settings {
    double sigma_space = 3;    ///< px, > 0
    double sigma_range = 0.1;  ///< 0..1 of full scale; 0: only equal colours weigh
    int radius = 0;            ///< px, 0..128; 0: ⌈2 sigma_space⌉
    Weight weight = Weight::color;
    int iterations = 1;  ///< the filter applied n times, each time rounded to a code
    double split = 0;    ///< 0..1: columns left of round(split * width) show the input, that
                         ///< column is a white line unless it is an edge of the frame
    Rect region{};       ///< px, clipped to the frame: the pixels that are filtered; empty: all
  };

  static constexpr int max_radius = 128;

  /// The radius for these settings, 0..max_radius.
  static int radius(const Settings &settings);
  /// The first filtered column of a frame `width` px wide, 0..width.
  static int split_column(const Settings &settings, int width);

  /// The variants: form, group-x, group-y, rows (pixels of a column per work-item), columns (pixels
  /// of a row, only with fixed; see fixed_block()), unroll (taps of a row per loop iteration),
  /// fixed (1: a program per radius and weight, see prepare()). Problems: "radius-4" for radii up
  /// to 6, and "radius-10" for larger ones.
  static const Tunable &tunable();
  /// A variant of a form that every device can run.
  static Parameters variant(const Device &device, Form form);

  /// Builds the programs for frames of width × height px: the tuned variants, or the vector form if
  /// the device does not support images of this size. Throws Error::failed if the device refuses
  /// kernels or memory. `pixels` is PixelFormat::rgba or rgba64.
  BilateralFilter(Context &context, int width, int height,
                  const PixelFormat &pixels = PixelFormat::rgba);
  /// The same with one variant for all radii. Groups shrink if the device requires it. Throws
  /// Error::settings if the variant needs images and the device does not support this size.
  BilateralFilter(Context &context, int width, int height, const Parameters &variant,
                  const PixelFormat &pixels = PixelFormat::rgba);

  /// The layout of run()'s `in` and `out`.
  Layout layout() const { return layout_; }
  /// The variant that filters frames with these settings.
  const Parameters &variant_for(const Settings &settings) const;
  /// The approximate time for the region of a frame of 1920×1080, µs: measured by glcl-tune on this
  /// device before the engine was created, or the default for this class of device.
  double cost(const Settings &settings) const;

  /// Builds the program that "fixed" variants have for the radius and weight of these settings, and
  /// waits for it. Without this call run() builds it in the background and meanwhile uses the
  /// program for all radii, with the same results.
  void prepare(const Settings &settings);

  /// Enqueues the filter from `in` to `out`, two pictures of the engine's size and layout; never
  /// waits. Pixels in the region get the values that they have without a region; all others of
  /// `out` stay as they are. Any setting may change between calls: run() never waits for a
  /// compiler, and allocates memory only if settings need more than before. All calls of an engine
  /// use one queue (or queues that wait for each other). Throws Error::settings for other pictures,
  /// Error::failed if OpenCL refuses.
  void run(Queue &queue, const Settings &settings, const Picture &in, const Picture &out);

 private:
  /// The programs of one variant.
  struct VariantKernels {
    Form form;
    int rows;
    Parameters variant;
    Kernel by_weight[3];
    Kernel soft_color;  // Form::tile
    Kernel space;       // Form::vector
  };

  /// The key of a program of a "fixed" variant: radius, and kind as in tile.clh.
  using Fixed = std::pair<int, int>;

  /// One iteration: its input and output, the input of the first one, and the part of the frame
  /// that it writes.
  struct Iteration {
    const Picture &from, &original, &to;
    int split;
    Rect region;
  };

  bool deep() const { return pixels_.bits > 8; }
  std::string depth_option() const { return deep() ? " -DDEEP" : ""; }
  int kind_of(const Settings &settings) const;
  float range_exponent(const Settings &settings, double full_scale) const;
  double code_scale(Weight weight) const;
  VariantKernels build(const Parameters &variant);
  void set_up(std::vector<Parameters> variants);
  VariantKernels &kernels_for(int radius);
  Size fixed_block(const Parameters &variant, Fixed fixed) const;
  Kernel build_fixed(const Parameters &variant, Fixed fixed) const;
  Kernel *fixed_kernel(const VariantKernels &kernels, Fixed fixed);
  bool has_fixed(const VariantKernels &kernels, Fixed fixed) const;
  Picture &between(int iteration);
  void run(Queue &queue, const Settings &settings, const Iteration &now);
  void run_tile(Queue &queue, VariantKernels &kernels, const Settings &settings,
                const Iteration &now);
  void run_direct(Queue &queue, VariantKernels &kernels, const Settings &settings,
                  const Iteration &now);
  void run_vector(Queue &queue, VariantKernels &kernels, const Settings &settings,
                  const Iteration &now);

  std::shared_ptr<Context> context_;
  size_t local_memory_;  // limit of a work-group, bytes
  int width_, height_;   // px
  Layout layout_;
  const PixelFormat &pixels_;

  std::vector<VariantKernels> kernels_;  // by problem
  std::vector<double> microseconds_;     // by problem, of a frame of 1920×1080
  std::map<Fixed, Lazy<Kernel>> fixed_;  // no kernel if its group is too large for the device
  Picture intermediate_[2];              // results of all iterations except the last

  // Layout::buffer only
  int lanes_ = 0;  // pixels along x of a work-item
  Kernel planes_kernel_;
  cl::Buffer planes_;  // height rows of R, G, B, plane_pitch_ codes each
  int plane_pitch_ = 0;
  SpaceTable space_;
};

}  // namespace glcl::bilateral
