// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "camera/align.h"
#include "camera/ransac.h"
#include "memory.h"
#include "regions.h"

namespace glcl::objects {

/// Finds what moves by itself in the frames of a stream, whatever the camera does: from block
/// vectors to the camera, to a frame laid onto what is remembered, to regions in front of it. Every
/// call enqueues; nothing waits.
class Objects {
 public:
  struct Settings {
    camera::Compensation compensation = camera::Compensation::none;
    double sensitivity = 0.5;  ///< 0 … 1
    int min_area = 0;          ///< px² of frames; 0: 1/1500 of the frame
    cl_uint seed = 0;
  };

  /// For frames of width × height px. Throws Error::failed where the device refuses kernels or
  /// memory.
  Objects(Context &context, int width, int height);

  /// Regions::set_mask.
  void set_mask(Queue &queue, const unsigned char *mask, int width, int height) {
    regions_.set_mask(queue, mask, width, height);
  }

  /// Enqueues it for the last frame of a search; `first`: it does not follow another.
  void next(Queue &queue, const Settings &settings, const motion::Motion &motion, bool first);

  /// Enqueues what of the last frame, in small, is in front and part of a region: bytes of 1, else
  /// 0, of frame().size, into `out` from `offset` on.
  void mask(Queue &queue, const cl::Buffer &out, size_t offset) {
    regions_.mask(queue, memory_.front(), out, offset);
  }

  /// A Result; overwritten by next().
  const cl::Buffer &result() const { return regions_.result(); }
  const camera::Frame &frame() const { return frame_; }
  const Memory &memory() const { return memory_; }
  /// The frame in small, float.
  const cl::Buffer &small() const { return align_.small(); }

  /// Px² of frames in front that make an object.
  static double least_area(const Settings &settings, int width, int height);

 private:
  int width_, height_;
  camera::Frame frame_;
  camera::BlockVectors vectors_;
  camera::Ransac ransac_;
  camera::Ransac::Settings usual_;
  camera::Align align_;
  Memory memory_;
  Regions regions_;
  cl::Buffer state_;
  cl_uint number_ = 0;  // of the frame since a first one
};

}  // namespace glcl::objects
