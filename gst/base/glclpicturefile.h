// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures from files and samples, for properties.
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

/// Decodes the first picture of a file with GStreamer's elements; `format` is GRAY8 or RGBA. Waits
/// up to 20 s. Throws Error::not_found with the reason, for example "there is no such file.".
HostPicture read_picture_file(const std::string &path, const char *format);

/// Returns the picture of a sample with caps video/x-raw, converted to `format`. Waits up to 20 s.
/// Throws Error::not_found with the reason.
HostPicture read_picture_sample(GstSample *sample, const char *format);

/// A write-only property of a GstSample. Its default is an empty sample, which counts as unset:
/// editors serialise defaults, and gst_value_serialize() does not accept NULL.
GParamSpec *sample_spec(const char *name, const char *nick, const char *blurb);

}  // namespace glcl
