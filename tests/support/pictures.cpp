// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/check/gstharness.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "reference/frames.h"

namespace reference {

Frame load_picture(const std::string &path) {
  const bool jpeg = path.size() > 4 && path.substr(path.size() - 4) == ".jpg";
  const char *decoder = jpeg ? "jpegdec" : "pngdec";
  const std::string pipeline = "filesrc location=\"" + path + "\" ! " + decoder +
                               " ! videoconvert ! capsfilter caps=video/x-raw,format=RGBA";
  for (const char *name : {"filesrc", decoder, "videoconvert"}) {
    GstElementFactory *factory = gst_element_factory_find(name);
    if (!factory) throw std::runtime_error(std::string("no element ") + name + " to read " + path);
    gst_object_unref(factory);
  }
  GstHarness *harness = gst_harness_new_parse(pipeline.c_str());
  gst_harness_play(harness);
  GstBuffer *buffer = gst_harness_pull(harness);
  GstCaps *caps = buffer ? gst_pad_get_current_caps(harness->sinkpad) : nullptr;
  Frame frame;
  if (caps) {
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    int width = 0, height = 0;
    gst_structure_get_int(structure, "width", &width);
    gst_structure_get_int(structure, "height", &height);
    frame = Frame(width, height);
    gst_buffer_extract(buffer, 0, frame.rgba.data(), frame.rgba.size());
    gst_caps_unref(caps);
  }
  if (buffer) gst_buffer_unref(buffer);
  gst_harness_teardown(harness);
  if (frame.rgba.empty()) throw std::runtime_error(path + " can't be decoded");
  return frame;
}

std::string data_folder(const char *name) {
  const char *data = std::getenv("GLCL_DATA");
  return std::filesystem::path(data ? data : "$GLCL_DATA") / name;
}

std::vector<Frame> pictures() {
  namespace fs = std::filesystem;
  const fs::path folder = data_folder("images");
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".png") files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  std::vector<Frame> frames;
  try {
    for (const fs::path &file : files) frames.push_back(load_picture(file.string()));
  } catch (const std::exception &error) {
    std::printf("SKIP: %s\n", error.what());
  }
  if (files.empty()) std::printf("SKIP: no pictures in %s\n", folder.c_str());
  return frames;
}

}  // namespace reference
