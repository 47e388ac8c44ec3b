// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "opticalflow/lucaskanade.h"

namespace glcl::research {

/// Lucas and Kanade's method by Johansson and Winter ("General purpose computing on graphics
/// processing units using OpenCL", Chalmers, 2010): from a frame in host memory to a picture of the
/// flow there. All forms find the vectors of opticalflow::LucasKanade. Frames and pictures are rows
/// of R, G and B bytes. Transfers need no copy if the caller's memory is pinned.
class LucasKanadeForms {
 public:
  struct Settings : opticalflow::LucasKanade::Settings {
    bool thesis_scale = false;  ///< derivatives scaled by 1/4 as in the thesis, which doubles the
                                ///< displacement, instead of 1/2, which gives the displacement
  };

  /// Each includes the ones before it.
  enum class Form {
    naive,      ///< grey, difference, three convolutions, least squares over global memory, colours
    local,      ///< least squares over a tile in local memory
    constant,   ///< coefficients in constant memory
    native,     ///< native reciprocals, roots and quotients, also for the colours
    merged,     ///< grey, difference and convolutions in one kernel
    coalesced,  ///< frames and pictures by aligned words of four bytes, with padded rows
    image,      ///< least squares over an image of the derivatives, by the sampler
  };

  /// The number of additional pixels, at least `halo`, that a group of `group` items loads per row
  /// so that its words fill whole segments. It is the smallest P with (group + P) 3/4 ≡ 0 (mod 16)
  /// and, for any group index i, (group + P) 3 i ≡ 0 (mod 64).
  static int padding(int group, int halo);

  /// Throws Error::failed if the device refuses kernels or memory.
  LucasKanadeForms(Context &context, int width, int height, Form form);

  /// Bytes between rows of frames and pictures: 3 per pixel, and up to 63 more.
  int pitch() const { return pitch_; }

  /// Enqueues the upload of the next frame, the flow from the previous frame, its colours (full at
  /// `gain` px per frame) and their download; never waits. Returns false for the first frame, which
  /// gives no picture. Queue::event has the transfers as "upload" and "download".
  bool run(Queue &queue, const Settings &settings, float gain, const void *frame, void *picture);
  const opticalflow::FlowField &field() const { return field_; }

 private:
  void derive(Queue &queue, const Settings &settings);
  void solve(Queue &queue, const Settings &settings);
  Size pixels() const { return {size_t(size_.s[0]), size_t(size_.s[1])}; }

  Form form_;
  cl_int2 size_;
  int pitch_;
  size_t local_memory_;

  Kernel grey_, add_, convolve_, merged_, solve_, solve_global_, visualize_;
  cl::Buffer before_, after_, picture_, coefficients_;  // frames in bytes
  cl::Buffer grey_before_, grey_after_, difference_, ix_, iy_, it_;
  cl::Image2D derivatives_;
  bool has_previous_ = false;
  opticalflow::FlowField field_;
};

}  // namespace glcl::research
