// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gstglclhoughloader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/glclpicturefile.h"
#include "hough/maketemplate.h"
#include "opencl/error.h"
#include "opencl/transfer.h"

namespace glcl::hough {

namespace {

/// Reads pixels by `read` and blends them over mid-grey.
template <class Read>
HostPicture load_picture(const std::string &name, const char *remedy, const Read &read) {
  HostPicture picture;
  try {
    picture = read();
  } catch (const Error &error) {
    throw Error(Error::Kind::not_found,
                "The template " + name + " can't be read: " + error.what() + " " + remedy);
  }
  for (size_t i = 0; i < picture.levels.size(); i += 4) {
    const int alpha = picture.levels[i + 3];
    for (size_t c = i; c < i + 3; c++)
      picture.levels[c] =
          static_cast<unsigned char>((picture.levels[c] * alpha + 128 * (255 - alpha)) / 255);
    picture.levels[i + 3] = 255;
  }
  return picture;
}

Picture upload_picture(Queue &queue, const HostPicture &host, Layout layout) {
  Picture picture = make_picture(queue.context().cl(), host.width, host.height, layout);
  write_picture(queue.cl(), picture, host.levels.data(), 0, CL_TRUE);
  return picture;
}

std::vector<std::string> split_files(const std::string &list) {
  std::vector<std::string> files;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const size_t first = list.find_first_not_of(" \t\n", at);
    if (first < end)
      files.push_back(list.substr(first, list.find_last_not_of(" \t\n", end - 1) + 1 - first));
    at = end + 1;
  }
  return files;
}

}  // namespace

std::vector<std::shared_ptr<const Template>> load_templates(Queue &queue, const std::string &files,
                                                            const Canny::Settings &settings,
                                                            Layout layout, const Accept &accept) {
  std::vector<std::pair<std::string, HostPicture>> pictures;
  for (const std::string &file : split_files(files)) {
    HostPicture picture =
        load_picture(file, "Give files of pictures that GStreamer decodes, separated by commas.",
                     [&] { return read_picture_file(file, "RGBA"); });
    const std::string name = std::filesystem::path(file).stem().string();
    if (accept(name, picture.width, picture.height))
      pictures.emplace_back(name, std::move(picture));
  }
  std::vector<std::shared_ptr<const Template>> templates;
  for (const auto &[name, picture] : pictures)
    templates.push_back(
        make_template(queue, name, settings, upload_picture(queue, picture, layout)));
  return templates;
}

std::vector<std::shared_ptr<const Template>> template_of_sample(
    Queue &queue, const std::string &name, GstSample *sample, const Canny::Settings &settings,
    Layout layout, const Accept &accept) {
  const HostPicture picture = load_picture(name, "Give a sample of one frame of video/x-raw.",
                                           [&] { return read_picture_sample(sample, "RGBA"); });
  if (!accept(name, picture.width, picture.height)) return {};
  return {make_template(queue, name, settings, upload_picture(queue, picture, layout))};
}

}  // namespace glcl::hough
