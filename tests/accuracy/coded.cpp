// SPDX-License-Identifier: LGPL-2.1-or-later
#include "coded.h"

#include <gst/gst.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "film.h"

namespace clips {

using reference::Frame;

namespace {

struct Codec {
  const char *name, *encoder, *settings, *decoder;
  int bits;  // a second, in the unit of `settings`, for a kbit
};
// Not openh264enc: at these rates its pictures are far worse than what cameras send. With one
// thread and without assembler x264 gives the same pictures in each run. Its assembler for AVX-512
// reads uninitialized memory.
constexpr char x264_settings[] =
    "speed-preset=veryfast threads=1 option-string=asm=0 key-int-max=250 bitrate=";
constexpr Codec known[] = {
    {"H.264", "x264enc", x264_settings, "avdec_h264", 1},
    {"H.264", "x264enc", x264_settings, "openh264dec", 1},
    {"MPEG-4", "avenc_mpeg4", "gop-size=100 bitrate=", "avdec_mpeg4", 1000},
};

bool there(const char *element) {
  GstElementFactory *factory = gst_element_factory_find(element);
  if (factory) gst_object_unref(factory);
  return factory;
}

const Codec *find(const std::string &name) {
  for (const Codec &codec : known)
    if (name == codec.name && there(codec.encoder) && there(codec.decoder)) return &codec;
  return nullptr;
}

void play(const std::string &line) {
  GError *error = nullptr;
  const std::unique_ptr<GstElement, void (*)(GstElement *)> pipeline(
      gst_parse_launch(line.c_str(), &error), [](GstElement *p) {
        if (p) gst_element_set_state(p, GST_STATE_NULL), gst_object_unref(p);
      });
  if (error) {
    const std::string text = error->message;
    g_error_free(error);
    throw std::runtime_error(text);
  }
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline.get());
  GstMessage *end = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND,
                                               GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool good = end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS;
  if (end) gst_message_unref(end);
  gst_object_unref(bus);
  if (!good) throw std::runtime_error("This fails or takes over a minute: " + line);
}

}  // namespace

std::vector<std::string> codecs() {
  std::vector<std::string> list;
  for (const char *name : {"H.264", "MPEG-4"})
    if (find(name)) list.emplace_back(name);
  static bool left_out = false;
  if (list.empty() && !std::exchange(left_out, true))
    film::leave_out("no encoder and decoder of H.264 (x264enc) or MPEG-4 in GStreamer");
  return list;
}

std::vector<Frame> coded(const std::function<Frame(int)> &frame, int count,
                         const std::string &codec) {
  std::vector<Frame> list;
  for (int i = 0; i < count; i++) list.push_back(frame(i));
  return coded(list, codec, list[0].width * list[0].height / 4 * 25 / 1000);
}

std::vector<Frame> coded(const std::vector<Frame> &frames, const std::string &name, int kbits) {
  const Codec &codec = *find(name);
  const int width = frames[0].width, height = frames[0].height;
  char folder[] = "/tmp/glcl-coded-XXXXXX";
  if (!mkdtemp(folder)) throw std::runtime_error("No folder can be made in /tmp.");
  const std::string in = std::string(folder) + "/in", out = std::string(folder) + "/out";
  std::ofstream raw(in, std::ios::binary);
  for (const Frame &frame : frames)
    raw.write(reinterpret_cast<const char *>(frame.rgba.data()),
              std::streamsize(frame.rgba.size()));
  raw.close();
  const auto cleaned = [&] { std::filesystem::remove_all(folder); };
  try {
    play("filesrc location=" + in + " ! rawvideoparse format=rgba width=" + std::to_string(width) +
         " height=" + std::to_string(height) +
         " framerate=25/1 ! videoconvert ! video/x-raw,format=I420 ! " + codec.encoder + " " +
         codec.settings + std::to_string(kbits * codec.bits) + " ! " + codec.decoder +
         " ! videoconvert ! video/x-raw,format=RGBA ! filesink location=" + out);
  } catch (...) {
    cleaned();
    throw;
  }
  std::vector<Frame> list;
  std::ifstream decoded(out, std::ios::binary);
  for (Frame frame(width, height); decoded.read(reinterpret_cast<char *>(frame.rgba.data()),
                                                std::streamsize(frame.rgba.size()));)
    list.push_back(frame);
  cleaned();
  if (list.size() != frames.size())
    throw std::runtime_error(name + ": " + std::to_string(list.size()) + " frames come back.");
  return list;
}

}  // namespace clips
