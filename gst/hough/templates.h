// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hough.h"

namespace glcl::hough {

/// A picture in host memory, RGBA, rows without gaps.
struct HostPicture {
  int width = 0, height = 0;  ///< px
  std::vector<uint8_t> rgba;
};

/// Decodes a file with what elements GStreamer has; what is transparent becomes mid-grey. Waits.
/// Throws Error::not_found, naming file and reason.
HostPicture load_picture(const std::string &path);

/// A copy on the device. Waits.
Picture upload_picture(Queue &queue, const HostPicture &picture, Layout layout);

/// The files of a list separated by commas, without spaces around them.
std::vector<std::string> split_files(const std::string &list);

/// The templates of such a list, named by their files without folder and suffix. Waits. Throws what
/// load_picture() and make_shape() do.
std::vector<std::shared_ptr<const Shape>> load_shapes(Queue &queue, const std::string &files,
                                                      const Canny::Settings &settings,
                                                      Layout layout);

}  // namespace glcl::hough
