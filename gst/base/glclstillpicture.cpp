// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclstillpicture.h"

#include <vector>

#include "glclpicturefile.h"
#include "opencl/error.h"
#include "opencl/queue.h"
#include "opencl/transfer.h"

namespace glcl {

namespace {

HostPicture read(const std::string &property, const std::string &path) {
  try {
    return read_picture_file(path, "RGBA");
  } catch (const Error &error) {
    throw Error(Error::Kind::not_found, property + "=" + path + " can't be read: " + error.what() +
                                            " Set " + property +
                                            " to a picture file that GStreamer decodes.");
  }
}

/// The brightness of each pixel, 0.30 R + 0.59 G + 0.11 B, times its opacity.
std::vector<unsigned char> levels_of(const HostPicture &picture) {
  std::vector<unsigned char> levels(picture.levels.size() / 4);
  for (size_t i = 0; i < levels.size(); i++) {
    const unsigned char *rgba = &picture.levels[4 * i];
    const int brightness = 30 * rgba[0] + 59 * rgba[1] + 11 * rgba[2];
    levels[i] = static_cast<unsigned char>((brightness * rgba[3] + 12750) / 25500);
  }
  return levels;
}

Picture upload(const std::shared_ptr<Context> &context, const HostPicture &host,
               const std::vector<unsigned char> &bytes, const PlaneFormat &format,
               const std::string &property, const std::string &path) {
  try {
    const Picture picture =
        make_picture(context->cl(), host.width, host.height, Layout::buffer, format);
    write_picture(Queue(context).cl(), picture, bytes.data(), 0, CL_TRUE);
    return picture;
  } catch (const cl::Error &error) {
    const Error cause("", error);
    throw Error(Error::Kind::settings,
                property + "=" + path + " of " + std::to_string(host.width) + "×" +
                    std::to_string(host.height) + " px does not fit into the memory of " +
                    context->device().name + ". Set " + property + " to a smaller picture.",
                cause.detail());
  }
}

}  // namespace

Picture load_colours(const std::shared_ptr<Context> &context, const std::string &property,
                     const std::string &path) {
  if (path.empty()) return {};
  const HostPicture host = read(property, path);
  return upload(context, host, host.levels, PlaneFormat::rgba8, property, path);
}

Picture load_levels(const std::shared_ptr<Context> &context, const std::string &property,
                    const std::string &path) {
  if (path.empty()) return {};
  const HostPicture host = read(property, path);
  return upload(context, host, levels_of(host), PlaneFormat::r8, property, path);
}

}  // namespace glcl
