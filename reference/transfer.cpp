// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

#include "opencl/transfer.h"

namespace reference {

using glcl::Layout;
using glcl::Picture;

Picture upload(glcl::Queue &queue, const Frame &frame, Layout layout, int padding) {
  Picture picture =
      glcl::make_picture(queue.context().cl(), frame.width + padding, frame.height, layout);
  picture.width = frame.width;
  glcl::write_picture(queue.cl(), picture, frame.rgba.data(), 0, CL_TRUE);
  return picture;
}

Frame download(glcl::Queue &queue, const Picture &picture) {
  Frame frame(picture.width, picture.height);
  glcl::read_picture(queue.cl(), picture, frame.rgba.data(), 0, CL_TRUE);
  return frame;
}

}  // namespace reference
