// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

namespace glcl {

namespace {

constexpr std::array<size_t, 3> origin{0, 0, 0};

std::array<size_t, 3> size_of(const Picture &picture) {
  return {size_t(picture.width), size_t(picture.height), 1};
}

}  // namespace

void read_picture(const cl::CommandQueue &queue, const Picture &picture, void *rows,
                  size_t row_bytes, cl_bool wait, const std::vector<cl::Event> *after) {
  if (picture.layout == Layout::image)
    queue.enqueueReadImage(picture.image, wait, origin, size_of(picture), row_bytes, 0, rows,
                           after);
  else
    queue.enqueueReadBufferRect(picture.buffer, wait, origin, origin, picture.region(),
                                picture.row_bytes(), 0, row_bytes, 0, rows, after);
}

void write_picture(const cl::CommandQueue &queue, const Picture &picture, const void *rows,
                   size_t row_bytes, cl_bool wait, const std::vector<cl::Event> *after,
                   cl::Event *sent) {
  if (picture.layout == Layout::image)
    queue.enqueueWriteImage(picture.image, wait, origin, size_of(picture), row_bytes, 0, rows,
                            after, sent);
  else
    queue.enqueueWriteBufferRect(picture.buffer, wait, origin, origin, picture.region(),
                                 picture.row_bytes(), 0, row_bytes, 0, rows, after, sent);
}

}  // namespace glcl
