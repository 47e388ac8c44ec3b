// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "flow.h"
#include "opencl/lazy.h"
#include "windowsums.h"

namespace glcl::opticalflow {

/// Dense optical flow on one scale by Lucas and Kanade's method of 1981, for motion below about a
/// pixel per frame. Grey is (R + G + B) / 3 in levels 0..255. Its derivatives are 2 × 2 kernels, Ix
/// and Iy of the previous frame. The vector v solves, with sums over a square window,
///
///   (Σ [Ix², IxIy; IxIy, Iy²] + alpha I) v = -Σ [IxIt, IyIt].
///
/// At the edge, where the window exceeds the frame, the vector is 0. Running sums make the cost
/// nearly independent of the window.
class LucasKanade {
 public:
  /// The implementation, parameter "form"; results agree.
  enum class Form {
    tile,     ///< for GPUs, in local memory: tiles for windows up to tile_window, strips for
              ///< larger windows
    columns,  ///< in global memory: grey, then sums along y, then sums along x
  };
  /// The largest window of tiles, px; larger ones exceed local memory and 32-bit sums.
  static constexpr int tile_window = 21;

  struct Settings {
    int window = 9;        ///< side in px, odd, 3..63
    double alpha = 0.001;  ///< levels²/px²
  };

  /// The confidence is a half if the smaller eigenvalue of the window's mean structure tensor is
  /// this, levels²/px².
  static constexpr float half_confidence = 16;

  /// The variants: form; for tiles also lanes (items per group) and blocks (rows per group, as a
  /// multiple of the window).
  static const Tunable &tunable();

  /// Builds the programs for frames of width × height px, in the tuned variant. Throws
  /// Error::failed if the device refuses kernels or memory.
  LucasKanade(Context &context, int width, int height, const FrameFormat &frame);
  LucasKanade(Context &context, int width, int height, const FrameFormat &frame,
              const Parameters &variant);

  /// Builds the program of Form::tile for this window, and waits for it. Without this call run()
  /// builds it in the background and uses Form::columns in the meantime, with the same results.
  void prepare(const Settings &settings);

  /// Changes the pixel format of the next frames for run(), as Flow::set_format().
  void set_format(const FrameFormat &frame);

  /// As Flow::run(). Any setting may change between calls; no call waits, not even for a compiler.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  void reset() { has_previous_ = false; }
  const FlowField &field() const { return field_; }
  Layout layout() const { return frame_.layout; }

 private:
  bool has_tile(int radius) const;
  int strip_rows(int radius) const;
  bool has_window_kernel(int radius) const;
  Kernel build_window_kernel(int radius) const;
  Kernel *window_kernel(int radius);
  static LeastSquares least_squares(const Settings &settings);
  void process_strips(Queue &queue, Kernel &strip, int radius, const Picture &in,
                      const LeastSquares &solution);
  void process(Queue &queue, const Settings &settings, const Picture &in);

  std::shared_ptr<Context> context_;
  FrameFormat frame_;
  Parameters variant_;
  cl_int2 size_;

  Kernel grey_, greys_;
  std::map<int, Lazy<Kernel>> window_kernels_;  // tiles or strips, by radius
  WindowSums window_sums_;
  cl::Buffer previous_, current_;  // R + G + B, ushort
  cl::Buffer grey_pairs_;          // allocated when first needed
  bool has_previous_ = false;
  FlowField field_;
};

}  // namespace glcl::opticalflow
