// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

namespace reference {

using glcl::Layout;
using glcl::Picture;

namespace {

std::array<cl::size_type, 3> region(const Frame &frame) {
  return {size_t(frame.width), size_t(frame.height), 1};
}

}  // namespace

Picture upload(glcl::Queue &queue, const Frame &frame, Layout layout, int padding) {
  Picture picture =
      glcl::make_picture(queue.context().cl(), frame.width + padding, frame.height, layout);
  picture.width = frame.width;
  if (layout == Layout::image)
    queue.cl().enqueueWriteImage(picture.image, CL_TRUE, {0, 0, 0}, region(frame), 0, 0,
                                 frame.rgba.data());
  else
    queue.cl().enqueueWriteBufferRect(picture.buffer, CL_TRUE, {0, 0, 0}, {0, 0, 0},
                                      picture.region(), picture.row_bytes(), 0, 0, 0,
                                      frame.rgba.data());
  return picture;
}

Frame download(glcl::Queue &queue, const Picture &picture) {
  Frame frame(picture.width, picture.height);
  if (picture.layout == Layout::image)
    queue.cl().enqueueReadImage(picture.image, CL_TRUE, {0, 0, 0}, region(frame), 0, 0,
                                frame.rgba.data());
  else
    queue.cl().enqueueReadBufferRect(picture.buffer, CL_TRUE, {0, 0, 0}, {0, 0, 0},
                                     picture.region(), picture.row_bytes(), 0, 0, 0,
                                     frame.rgba.data());
  return frame;
}

}  // namespace reference
