// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "flow.h"

namespace glcl {

/// Dense optical flow on one scale by Lucas and Kanade's method of 1981, for motion below about a
/// pixel per frame. Grey is (R + G + B) / 3 in levels 0..255, its derivatives are 2 × 2 kernels,
/// Ix and Iy of the previous frame; over a square window
///
///   (Σ [Ix², IxIy; IxIy, Iy²] + alpha I) v = -Σ [IxIt, IyIt].
///
/// The rim, where the window does not fit into the frame, gets a vector of 0.
class LucasKanade {
 public:
  /// How it is computed; results agree. The first five are the steps of Johansson and Winter's
  /// thesis (Chalmers, 2010), each with what the ones before it have.
  enum class Form {
    naive,      ///< five kernels: grey, difference, derivatives, sums over global memory
    local,      ///< sums over a tile in local memory
    constant,   ///< derivative coefficients in constant memory
    native,     ///< native division
    merged,     ///< difference and derivatives in one kernel
    separable,  ///< ours: running sums along y and along x, at a cost independent of the window
    fused,      ///< ours: the same in one kernel over local memory
  };

  /// The smaller eigenvalue of a window's mean structure tensor, levels²/px², that gives a
  /// confidence of a half.
  static constexpr float half_sure = 16;

  struct Settings {
    int window = 9;         ///< side in px, odd, 3..63
    double alpha = 0.001;   ///< levels²
    bool faithful = false;  ///< derivatives scaled by 1/4 as in the thesis, which gives twice the
                            ///< displacement, instead of 1/2, which gives the displacement
  };

  /// Throws Error::failed where the device refuses kernels or memory.
  LucasKanade(Context &context, int width, int height, Layout layout, Form form = Form::fused);

  /// As Flow::run. Where a window is too large for the tile of a form, Form::separable (or, before
  /// it, Form::naive's sums) takes its place.
  bool run(Queue &queue, const Settings &settings, const Picture &in);
  void reset() { has_previous_ = false; }
  const FlowField &field() const { return field_; }
  Layout layout() const { return layout_; }

 private:
  void derive(Queue &queue, float factor);
  void solve(Queue &queue, const Settings &settings);
  void solve_separable(Queue &queue, const Settings &settings);
  bool solve_fused(Queue &queue, const Settings &settings);
  float factor(const Settings &settings) const { return settings.faithful ? 0.25f : 0.5f; }

  Layout layout_;
  Form form_;
  cl_int2 size_;
  size_t local_memory_;

  Kernel grey_, add_, convolve_, merged_, solve_local_, solve_global_, columns_, rows_, fused_;
  cl::Buffer previous_, current_, difference_, ix_, iy_, it_, coefficients_, columns4_, columns1_;
  bool has_previous_ = false;
  FlowField field_;
};

}  // namespace glcl
