// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>
#include <vector>

#include "hough.h"

namespace glcl::hough {

/// The templates of a list of files separated by commas, without spaces around them, named by their
/// files without folder and suffix. What is transparent in them is mid-grey. Waits. Throws
/// Error::not_found, naming file and reason, and what make_shape() does.
std::vector<std::shared_ptr<const Shape>> load_shapes(Queue &queue, const std::string &files,
                                                      const Canny::Settings &settings,
                                                      Layout layout);

/// The template of a sample whose caps are video/x-raw, in the same way.
std::shared_ptr<const Shape> shape_of_sample(Queue &queue, const std::string &name,
                                             GstSample *sample, const Canny::Settings &settings,
                                             Layout layout);

}  // namespace glcl::hough
