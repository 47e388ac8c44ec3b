// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture.h"

#include <algorithm>

#include "error.h"
#include "queue.h"

namespace glcl {

Layout layout_for(const Device &device) {
  return device.prefers_buffers() ? Layout::buffer : Layout::image;
}

Picture make_picture(const cl::Context &context, int width, int height, Layout layout,
                     const PlaneFormat &format) {
  Picture picture;
  picture.format = &format;
  picture.width = width;
  picture.height = height;
  picture.layout = layout;
  if (layout == Layout::buffer) {
    picture.pitch = width;
    picture.buffer = cl::Buffer(context, CL_MEM_READ_WRITE, picture.bytes());
    return picture;
  }
  const cl::Device device = context.getInfo<CL_CONTEXT_DEVICES>().front();
  const size_t max_width = device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
  const size_t max_height = device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  if (size_t(width) > max_width || size_t(height) > max_height)
    throw Error(Error::Kind::settings,
                "A frame of " + std::to_string(width) + "×" + std::to_string(height) +
                    " px exceeds the maximum image size of " + device.getInfo<CL_DEVICE_NAME>() +
                    " (" + std::to_string(max_width) + "×" + std::to_string(max_height) +
                    "). Scale the video down or choose another device.");
  picture.image =
      Image({context, CL_MEM_READ_WRITE, picture.format->image(), size_t(width), size_t(height)});
  return picture;
}

Picture make_frame_like(const cl::Context &context, const Picture &frame) {
  Picture made = make_picture(context, frame.width, frame.height, frame.layout, *frame.format);
  for (const Picture &plane : frame.chroma) made.chroma.push_back(make_frame_like(context, plane));
  return made;
}

bool supports_images(const cl::Context &context, const PixelFormat &format) {
  if (format.is_rgba()) return true;  // every device with images supports it
  std::vector<cl::ImageFormat> known;
  context.getSupportedImageFormats(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &known);
  const auto is_known = [&](const PlaneFormat *plane) {
    return std::any_of(known.begin(), known.end(), [&](const cl::ImageFormat &one) {
      return one.image_channel_order == plane->order && one.image_channel_data_type == plane->type;
    });
  };
  return std::all_of(format.planes, format.planes + format.plane_count, is_known);
}

void copy_picture(Queue &queue, const Picture &from, const Picture &to) {
  if (from.layout == Layout::image)
    queue.cl().enqueueCopyImage(from.image, to.image, {0, 0, 0}, {0, 0, 0},
                                {size_t(from.width), size_t(from.height), 1});
  else
    queue.cl().enqueueCopyBufferRect(from.buffer, to.buffer, {0, 0, 0}, {0, 0, 0}, from.region(),
                                     from.row_bytes(), 0, to.row_bytes(), 0);
  for (size_t i = 0; i < from.chroma.size(); i++) copy_picture(queue, from.chroma[i], to.chroma[i]);
}

}  // namespace glcl
