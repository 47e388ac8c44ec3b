// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

#include "opencl/transfer.h"

namespace reference {

using glcl::Layout;
using glcl::Picture;

namespace {

/// Bytes of a value of a plane.
size_t value_bytes(const glcl::PlaneFormat &format) {
  return format.type == CL_UNORM_INT16 ? 2 : 1;
}

Picture upload_plane(glcl::Queue &queue, const PlanarFrame::Plane &from,
                     const glcl::PlaneFormat &format, Layout layout, int padding) {
  const size_t wide = value_bytes(format);
  std::vector<uint8_t> bytes(from.values.size() * wide);
  for (size_t i = 0; i < from.values.size(); i++) {
    bytes[i * wide] = static_cast<uint8_t>(from.values[i] & 255);
    if (wide == 2) bytes[i * 2 + 1] = static_cast<uint8_t>(from.values[i] >> 8);
  }
  Picture plane =
      glcl::make_picture(queue.context().cl(), from.width + padding, from.height, layout, format);
  plane.width = from.width;
  glcl::write_picture(queue.cl(), plane, bytes.data(), bytes.size() / from.height, CL_TRUE);
  return plane;
}

void download_plane(glcl::Queue &queue, const Picture &from, const glcl::PlaneFormat &format,
                    PlanarFrame::Plane *to) {
  const size_t wide = value_bytes(format);
  std::vector<uint8_t> bytes(to->values.size() * wide);
  glcl::read_picture(queue.cl(), from, bytes.data(), bytes.size() / from.height, CL_TRUE);
  for (size_t i = 0; i < to->values.size(); i++)
    to->values[i] =
        static_cast<uint16_t>(wide == 2 ? bytes[2 * i] + 256 * bytes[2 * i + 1] : bytes[i]);
}

}  // namespace

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

Picture upload(glcl::Queue &queue, const PlanarFrame &frame, Layout layout, int padding) {
  const glcl::PixelFormat &format = *frame.format;
  Picture first;
  for (int i = 0; i < format.plane_count; i++) {
    const Picture plane =
        upload_plane(queue, frame.planes[i], *format.planes[i], layout, padding ? padding + i : 0);
    if (i == 0)
      first = plane;
    else
      first.chroma.push_back(plane);
  }
  return first;
}

PlanarFrame download(glcl::Queue &queue, const Picture &picture, const glcl::PixelFormat &format) {
  PlanarFrame frame(format, picture.width, picture.height);
  for (int i = 0; i < format.plane_count; i++)
    download_plane(queue, i ? picture.chroma[i - 1] : picture, *format.planes[i], &frame.planes[i]);
  return frame;
}

}  // namespace reference
