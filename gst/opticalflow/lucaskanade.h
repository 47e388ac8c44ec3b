// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "flow.h"
#include "opencl/lazy.h"

namespace glcl::opticalflow {

/// Dense optical flow on one scale by Lucas and Kanade's method of 1981, for motion below about a
/// pixel per frame. Grey is (R + G + B) / 3 in levels 0..255, its derivatives are 2 × 2 kernels,
/// Ix and Iy of the previous frame; over a square window
///
///   (Σ [Ix², IxIy; IxIy, Iy²] + alpha I) v = -Σ [IxIt, IyIt].
///
/// The rim, where the window does not fit into the frame, gets a vector of 0. Sums run, so that the
/// cost hardly depends on the window.
class LucasKanade {
 public:
  /// How it is computed, parameter "form"; results agree.
  enum class Form {
    tile,     ///< over local memory: in one kernel for windows up to tile_window, above in strips:
              ///< GPUs
    columns,  ///< greys, then sums along y, then along x, by way of global memory
  };
  static constexpr int tile_window = 21;  ///< px; above, local memory does not do, nor 32 bits

  struct Settings {
    int window = 9;        ///< side in px, odd, 3..63
    double alpha = 0.001;  ///< levels²/px²
  };

  /// The smaller eigenvalue of a window's mean structure tensor, levels²/px², that gives a
  /// confidence of a half.
  static constexpr float half_sure = 16;

  /// The variants: form; of tiles lanes (items of a group) and blocks (of rows as high as the
  /// window that a group goes down).
  static const Tunable &tunable();

  /// Builds the programs for frames of width × height px, in the tuned variant. Throws
  /// Error::failed where the device refuses kernels or memory.
  LucasKanade(Context &context, int width, int height, Layout layout);
  LucasKanade(Context &context, int width, int height, Layout layout, const Parameters &variant);

  /// Builds the program that Form::tile has for this window, and waits for it. Without this call
  /// run() has it built in the background and takes Form::columns meanwhile, to the same results.
  void prepare(const Settings &settings);

  /// As Flow::run: any setting may differ from the last call's; nothing is compiled or waited for.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  void reset() { has_previous_ = false; }
  const FlowField &field() const { return field_; }
  Layout layout() const { return layout_; }

 private:
  bool has_tile(int radius) const;
  int strip_rows(int radius) const;
  bool has_own(int radius) const;
  Kernel build_own(int radius) const;
  Kernel *own_kernel(int radius);
  void take_strips(Queue &queue, Kernel &strip, int radius, const Picture &in, cl_float alpha,
                   cl_float sure, cl_float scale);
  void take(Queue &queue, const Settings &settings, const Picture &in);

  std::shared_ptr<Context> context_;
  Layout layout_;
  Parameters variant_;
  cl_int2 size_;

  Kernel grey_, greys_, columns_, rows_;
  std::map<int, Lazy<Kernel>> own_;        // of tiles or strips, by radius
  cl::Buffer previous_, current_;          // R + G + B, ushort
  cl::Buffer both_, columns4_, columns1_;  // made where they are first needed
  bool has_previous_ = false;
  FlowField field_;
};

}  // namespace glcl::opticalflow
