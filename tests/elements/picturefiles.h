// SPDX-License-Identifier: LGPL-2.1-or-later
// Picture files for properties of elements.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "pipeline.h"

namespace test {

/// A PNG file of a frame, which is removed with the object.
class PictureFile {
 public:
  PictureFile(const Frame &frame, const std::string &name)
      : path((std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name + ".png"))
                 .string()) {
    GstHarness *encode = gst_harness_new_parse("videoconvert ! pngenc");
    gst_harness_set_src_caps_str(
        encode, ("video/x-raw,format=RGBA,framerate=1/1,width=" + std::to_string(frame.width) +
                 ",height=" + std::to_string(frame.height))
                    .c_str());
    gst_harness_push(encode, gst_buffer_new_memdup(frame.rgba.data(), frame.rgba.size()));
    GstBuffer *png = gst_harness_pull(encode);
    GstMapInfo map;
    gst_buffer_map(png, &map, GST_MAP_READ);
    std::FILE *file = std::fopen(path.c_str(), "wb");
    expect(file && std::fwrite(map.data, 1, map.size, file) == map.size, "written");
    std::fclose(file);
    gst_buffer_unmap(png, &map);
    gst_buffer_unref(png);
    gst_harness_teardown(encode);
  }
  ~PictureFile() { std::filesystem::remove(path); }
  PictureFile(const PictureFile &) = delete;

  const std::string path;
};

}  // namespace test
