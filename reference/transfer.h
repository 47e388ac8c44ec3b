// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames to a device and back, waiting.
#pragma once

#include "conversion/conversion.h"
#include "frames.h"
#include "opencl/picture.h"
#include "opencl/queue.h"

namespace reference {

/// A picture of the frame; the rows of a buffer are `padding` px further apart than they are wide.
glcl::Picture upload(glcl::Queue &queue, const Frame &frame, glcl::Layout layout, int padding = 0);
Frame download(glcl::Queue &queue, const glcl::Picture &picture);

/// Pictures of all planes, with the frame's values. With `padding`, rows of plane i are
/// `padding` + i px further apart than they are wide.
glcl::Picture upload(glcl::Queue &queue, const PlanarFrame &frame, glcl::Layout layout,
                     int padding = 0);
PlanarFrame download(glcl::Queue &queue, const glcl::Picture &picture,
                     const glcl::PixelFormat &format);

}  // namespace reference
