// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of template and mask: a decoded picture has the bytes of its size, which is bounded.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/glcllocaldecoder.h"
#include "base/glclpicturefile.h"
#include "opencl/error.h"
#include "parser.h"

namespace {

/// A file of this process.
struct File {
  File()
      : path((std::filesystem::temp_directory_path() / ("glcl-picture-" + std::to_string(getpid())))
                 .string()) {
    gst_init(nullptr, nullptr);
  }
  ~File() { std::filesystem::remove(path); }

  std::string path;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const File file;
  std::ofstream(file.path, std::ios::binary) << text_of(data, size);
  glcl::HostPicture picture;
  try {
    picture = glcl::read_picture_file(file.path, "RGBA");
  } catch (const glcl::Error &) {
    return 0;
  }
  check(picture.width > 0 && picture.height > 0 && picture.width <= glcl::most_pixels_a_side &&
            picture.height <= glcl::most_pixels_a_side &&
            gint64(picture.width) * picture.height <= glcl::most_pixels,
        "it has " + std::to_string(picture.width) + "×" + std::to_string(picture.height) + " px");
  check(picture.levels.size() == size_t(4) * picture.width * picture.height,
        "its bytes are others");
  return 0;
}
