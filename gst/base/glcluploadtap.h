// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "glclmetaboxes.h"

namespace glcl {

/// Boxes of frames before glupload, because glupload of GStreamer 1.22 drops regions of interest.
/// It finds the frames again by their timestamps.
class UploadTap {
 public:
  ~UploadTap() { close(); }

  /// Listens at the glupload that feeds a sink pad now. Call it for each frame, because pipelines
  /// may be linked anew. Between both there are only elements that keep the size of frames: those
  /// of gst-glcl, glcolorconvert, queue, identity and capsfilter.
  void follow(GstPad *sink);
  void close();
  /// The boxes that the frame of this timestamp had.
  std::vector<MetaBox> boxes(GstClockTime timestamp) const;

 private:
  struct Kept;

  GstPad *pad_ = nullptr;
  gulong probe_ = 0;
  std::shared_ptr<Kept> kept_;
};

}  // namespace glcl
