// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "backgroundmodel.h"
#include "camera/align.h"
#include "camera/ransac.h"
#include "motiongroups.h"
#include "overlay.h"
#include "regions.h"
#include "scene.h"
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
    bool shadows = true;   ///< separate shadows from objects
    bool scene = false;    ///< measure the picture for events of the scene
    bool colours = false;  ///< and its colours
    /// The sensitivity of BackgroundModel's cells, row by row; below 0: `sensitivity`. Null: none.
    std::shared_ptr<const std::vector<float>> zones{};
  };

  /// For frames of width × height px in pictures of a layout; `in_flight`: see ShadowDetector.
  /// Throws Error::failed if the device refuses kernels or memory.
  Objects(Context &context, int width, int height, const FrameFormat &format, int in_flight = 1);

  /// Sets another pixel format or colorimetry for the next frames. The state stays.
  void set_format(Context &context, const FrameFormat &format) {
    shadows_.set_format(context, format);
  }

  /// See Regions::set_mask().
  void set_mask(Queue &queue, const unsigned char *mask, int width, int height) {
    regions_.set_mask(queue, mask, width, height);
  }

  /// Enqueues the copy of a frame's colours, if something needs them, before next() for that frame.
  void sample_colours(Queue &queue, const Settings &settings, const Picture &in) {
    if (settings.shadows || settings.colours) shadows_.sample_colours(queue, in);
  }

  /// Enqueues the detection in the last frame of a search; `first`: it does not follow another.
  void next(Queue &queue, const Settings &settings, const motion::BlockMotion &motion, bool first);

  /// Enqueues the mask of the last frame, of frame().size, into `out` from `offset` on: see
  /// Regions::mask().
  void mask(Queue &queue, const cl::Buffer &out, size_t offset) {
    regions_.mask(queue, foreground(), out, offset);
  }

  /// Enqueues BackgroundModel::means() of the last frame.
  const cl::Buffer &means(Queue &queue) { return background_.means(queue); }

  /// A RegionList, and with Settings::scene SceneSums after it; overwritten by next().
  const cl::Buffer &regions() const { return regions_.list(); }
  const camera::FrameGeometry &frame() const { return frame_; }
  const BackgroundModel &background() const { return background_; }
  /// BackgroundModel::foreground() of the last frame, or ShadowDetector::foreground() if shadows
  /// are separated.
  const cl::Buffer &foreground() const {
    return separates_shadows_ ? shadows_.foreground() : background_.foreground();
  }
  /// The reduced frame, float.
  const cl::Buffer &small() const { return align_.small(); }

  /// The least foreground area of a new object, px² of frames.
  static double least_area(const Settings &settings, int width, int height);

 private:
  /// The camera motion by the vectors.
  struct VectorCamera {
    VectorCamera(Context &context, int width, int height);
    void run(Queue &queue, cl_uint seed, bool translation, const motion::BlockMotion &motion,
             const cl::Buffer &state);

    camera::BlockVectors vectors;
    camera::Ransac ransac;
    camera::Ransac::Settings settings;
  };

  void set_zones(Queue &queue, const std::shared_ptr<const std::vector<float>> &zones);

  cl_int2 size_;  // px
  camera::FrameGeometry frame_;
  VectorCamera vectors_;
  camera::Align align_;
  OverlayDetector overlay_;
  BackgroundModel background_;
  ShadowDetector shadows_;
  bool separates_shadows_ = false;  // in the last frame
  MotionGroups groups_;
  Regions regions_;
  SceneMeasurement scene_;
  cl::Buffer state_;
  std::shared_ptr<const std::vector<float>> zones_;  // of the last frame
  cl_uint number_ = 0;                               // number of frames since the first one
};

}  // namespace glcl::objects
