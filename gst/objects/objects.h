// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/align.h"
#include "camera/ransac.h"
#include "memory.h"
#include "regions.h"
#include "shadows.h"

namespace glcl::objects {

/// Finds moving objects in the frames of a stream, also under a moving camera: estimates the camera
/// motion from block vectors, aligns the frame with the background model, and finds regions of
/// foreground. Every call enqueues; nothing waits.
class Objects {
 public:
  struct Settings {
    camera::Compensation compensation = camera::Compensation::none;
    double sensitivity = 0.5;  ///< 0 … 1
    int min_area = 0;          ///< px² of frames; 0: 1/1500 of the frame
    cl_uint seed = 0;
    bool shadows = true;  ///< are no part of what moves
  };

  /// For frames of width × height px in pictures of a layout; `under_way`: as Shadows has it.
  /// Throws Error::failed where the device refuses kernels or memory.
  Objects(Context &context, int width, int height, Layout layout, int under_way = 1);

  /// Regions::set_mask.
  void set_mask(Queue &queue, const unsigned char *mask, int width, int height) {
    regions_.set_mask(queue, mask, width, height);
  }

  /// Enqueues what is needed of the colours of a frame, before next() has that frame.
  void look(Queue &queue, const Settings &settings, const Picture &in) {
    if (settings.shadows) shadows_.look(queue, in);
  }

  /// Enqueues it for the last frame of a search; `first`: it does not follow another.
  void next(Queue &queue, const Settings &settings, const motion::BlockMotion &motion, bool first);

  /// Enqueues what of the last frame, in small, is in front and part of a region: bytes of 1, of 2
  /// where a shadow falls, else 0, of frame().size, into `out` from `offset` on.
  void mask(Queue &queue, const cl::Buffer &out, size_t offset) {
    regions_.mask(queue, front(), out, offset);
  }

  /// A Result; overwritten by next().
  const cl::Buffer &result() const { return regions_.result(); }
  const camera::FrameGeometry &frame() const { return frame_; }
  const Memory &memory() const { return memory_; }
  /// Memory::front() of the last frame, with shadows where these are told apart.
  const cl::Buffer &front() const { return told_apart_ ? shadows_.front() : memory_.front(); }
  /// The frame in small, float.
  const cl::Buffer &small() const { return align_.small(); }

  /// Px² of frames in front that make an object.
  static double least_area(const Settings &settings, int width, int height);

 private:
  int width_, height_;
  camera::FrameGeometry frame_;
  camera::BlockVectors vectors_;
  camera::Ransac ransac_;
  camera::Ransac::Settings usual_;
  camera::Align align_;
  Memory memory_;
  Shadows shadows_;
  bool told_apart_ = false;  // shadows, in the last frame
  Regions regions_;
  cl::Buffer state_;
  cl_uint number_ = 0;  // of the frame since a first one
};

}  // namespace glcl::objects
