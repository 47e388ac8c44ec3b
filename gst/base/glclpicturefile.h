// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures that properties name.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

namespace glcl {

/// A picture in host memory, rows without gaps.
struct HostPicture {
  int width = 0, height = 0;  ///< px
  std::vector<unsigned char> levels;
};

/// Decodes the first picture of a file with what elements GStreamer has; `format` is GRAY8 or RGBA.
/// Waits, for 20 s at most. Throws Error::not_found with the reason, "there is no such file.".
HostPicture read_picture_file(const std::string &path, const char *format);

/// The picture of a sample, its caps video/x-raw: what is not of `format` is converted. Waits, for
/// 20 s at most. Throws Error::not_found with the reason.
HostPicture read_picture_sample(GstSample *sample, const char *format);

/// A property of a GstSample that can only be set. Its default is an empty sample, which is none:
/// editors serialise defaults, and gst_value_serialize() takes no NULL.
GParamSpec *sample_spec(const char *name, const char *nick, const char *blurb);

}  // namespace glcl
