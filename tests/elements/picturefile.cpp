// SPDX-License-Identifier: LGPL-2.1-or-later
// Picture files for templates and masks: local, of a known and limited size. The program is built
// with the base classes and doesn't load the plugin.
#include "base/glclpicturefile.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/glcllocaldecoder.h"
#include "film.h"
#include "opencl/error.h"
#include "pipeline.h"

using test::expect;

namespace {

const test::Setup setup(test::hide_plugin);

/// A folder that is removed after the case.
class Files {
 public:
  Files() {
    gchar *path = g_dir_make_tmp("glcl-XXXXXX", nullptr);
    folder_ = path;
    g_free(path);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files &) = delete;

  std::string path(const std::string &name) const { return folder_ + "/" + name; }
  std::string add(const std::string &name, const std::string &content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  /// A pipeline's version of a test picture of 64×48 px.
  std::string encode(const std::string &name, const std::string &elements) const {
    test::Pipeline pipeline(
        "videotestsrc num-buffers=1 ! video/x-raw,format=I420,width=64,height=48 ! " + elements +
        " ! filesink location=" + path(name));
    expect(pipeline.run(), name + " is written");
    return path(name);
  }
  std::string read(const std::string &name) const {
    std::ostringstream content;
    content << std::ifstream(path(name), std::ios::binary).rdbuf();
    return content.str();
  }

 private:
  std::string folder_;
};

/// A server that counts connections.
class Server {
 public:
  Server() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto *general = reinterpret_cast<sockaddr *>(&address);
    socklen_t size = sizeof address;
    expect(fd_ >= 0 && !bind(fd_, general, size) && !listen(fd_, 5) &&
               !getsockname(fd_, general, &size),
           "a server");
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~Server() { close(fd_); }
  Server(const Server &) = delete;

  const std::string &address() const { return address_; }
  bool was_called() const {
    pollfd waiting{fd_, POLLIN, 0};
    return poll(&waiting, 1, 0) > 0;
  }

 private:
  int fd_;
  std::string address_;
};

std::string big_endian(unsigned value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

/// A box of QuickTime.
std::string box(const std::string &name, const std::string &content) {
  return big_endian(static_cast<unsigned>(8 + content.size())) + name + content;
}

/// A chunk of PNG, with its checksum.
std::string chunk(const std::string &name, const std::string &content) {
  unsigned sum = ~0U;
  for (const char c : name + content) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320U : 0);
  }
  return big_endian(static_cast<unsigned>(content.size())) + name + content + big_endian(~sum);
}

/// A PNG file that claims a size and has no pixels.
std::string png(unsigned width, unsigned height) {
  const std::string head =
      big_endian(width) + big_endian(height) + std::string("\x08\x06\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", head) + chunk("IDAT", "") + chunk("IEND", "");
}

/// A lossless WebP file that claims a size and has no pixels.
std::string webp(unsigned width, unsigned height) {
  const unsigned size = (width - 1) | (height - 1) << 14;
  std::string data = "\x2f";
  for (int shift = 0; shift < 32; shift += 8) data += static_cast<char>(size >> shift);
  data += std::string(27, '\0');
  return "RIFF" + std::string("\x2c\0\0\0", 4) + "WEBPVP8L" + std::string("\x20\0\0\0", 4) + data;
}

/// A JPEG file, or a container of one, that claims 20000×20000 px.
std::string enlarged(std::string jpeg) {
  const size_t frame = jpeg.find(std::string("\xff\xc0\x00\x11\x08", 5));
  expect(frame != std::string::npos, "a JPEG frame");
  jpeg.replace(frame + 5, 4, "\x4e\x20\x4e\x20");
  return jpeg;
}

/// The size that an AVI file's description of a stream claims.
std::string enlarged_header(std::string avi) {
  const size_t format = avi.find("strf");
  expect(format != std::string::npos, "a description");
  avi.replace(format + 12, 8, std::string("\x20\x4e\0\0\x20\x4e\0\0", 8));
  return avi;
}

bool has_element(const char *name) {
  GstElementFactory *factory = gst_element_factory_find(name);
  if (factory) gst_object_unref(factory);
  return factory;
}

void expect_refused(const std::string &path, const std::string &words) {
  std::string why = "nothing";
  try {
    glcl::read_picture_file(path, "RGBA");
  } catch (const glcl::Error &error) {
    why = error.what();
  }
  expect(why.find(words) != std::string::npos, path + ": " + why + " does not say " + words);
}

}  // namespace

TEST(pictures) {
  const Files files;
  for (const auto &[name, encoder] : {std::pair{"a.png", "pngenc"},
                                      {"a.jpg", "jpegenc"},
                                      {"a", "pnmenc"},
                                      {"a.webp", "webpenc"}}) {
    if (!has_element(encoder)) {
      film::leave_out(std::string("GStreamer has no element ") + encoder);
      continue;
    }
    const std::string path = files.encode(name, std::string("videoconvert ! ") + encoder);
    const glcl::HostPicture picture = glcl::read_picture_file(path, "RGBA");
    expect(picture.width == 64 && picture.height == 48 && picture.levels.size() == 4 * 64 * 48,
           path + " has its size");
  }
}

// A file that refers to others is refused under any name, and no connection is opened.
TEST(playlists) {
  const Files files;
  const Server server;
  const std::string at = "http://" + server.address() + "/film";
  const std::string manifest =
      R"(<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" )"
      R"(mediaPresentationDuration="PT9S" profiles="urn:mpeg:dash:profile:isoff-main:2011">)"
      "<BaseURL>" +
      at +
      R"(</BaseURL><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" )"
      R"(bandwidth="9"/></AdaptationSet></Period></MPD>)";
  const std::string smooth =
      R"(<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2" Duration="9"/>)";
  const std::string session =
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\n"
      "m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n";
  const std::string drawing =
      R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" )"
      R"(width="60" height="40"><image xlink:href=")" +
      at + R"(" width="9" height="9"/></svg>)";
  for (const std::string &text : {"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n" + at + "\n",
                                  manifest, smooth, session, at + "\n", drawing})
    expect_refused(files.add("picture.png", text), "other files or addresses");
  const std::string reference =
      box("rdrf", big_endian(0) + "url " + big_endian(static_cast<unsigned>(at.size() + 1)) + at +
                      std::string(1, '\0'));
  expect_refused(files.add("film.mov", box("ftyp", "qt  " + big_endian(0) + "qt  ") +
                                           box("moov", box("rmra", box("rmda", reference)))),
                 "a reference movie");
  expect(!server.was_called(), "an address was opened");
}

// Memory for a picture is allocated only after its size was checked, because a small file may claim
// any size.
TEST(sizes) {
  const Files files;
  expect_refused(files.add("wide.png", png(16385, 1)),
                 "16385×1 px; the limit is 16384 px per side");
  expect_refused(
      files.add("raw.y4m", "YUV4MPEG2 W20000 H20000 F25:1 C420\nFRAME\n" + std::string(200, 'x')),
      "20000×20000 px");
  if (has_element("webpdec"))
    expect_refused(files.add("large.webp", webp(16383, 16383)), "16383×16383 px");
  files.encode("a.jpg", "jpegenc");
  expect_refused(files.add("large.jpg", enlarged(files.read("a.jpg"))), "20000×20000 px");
  // The container states another size than its picture.
  files.encode("a.avi", "jpegenc ! avimux");
  expect_refused(files.add("large.avi", enlarged(files.read("a.avi"))), "20000×20000 px");
  // A demuxer outputs raw pictures in the file's memory, without an allocation query.
  files.encode("raw.avi", "videoconvert ! capsfilter caps=video/x-raw,format=BGR ! avimux");
  expect_refused(files.add("raw-large.avi", enlarged_header(files.read("raw.avi"))),
                 "20000×20000 px");
  expect_refused(files.add("unknown.tiff", std::string("II*\0\x08\0\0\0\0\0\0\0\0\0", 14)),
                 "its size is unknown");
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  expect(used.ru_maxrss < 500 * 1024, "it took " + std::to_string(used.ru_maxrss) + " kB");
}

// The parser of PNG may not be installed. tests/tools/glcl-analyze.sh tests a large picture without
// it, because the decoder leaks memory after an error.
TEST(without_parser) {
  GstPluginFeature *parser = gst_registry_lookup_feature(gst_registry_get(), "pngparse");
  if (parser) gst_plugin_feature_set_rank(parser, GST_RANK_NONE);
  g_clear_object(&parser);
  const Files files;
  const std::string path = files.encode("a.png", "videoconvert ! pngenc");
  expect(glcl::read_picture_file(path, "RGBA").width == 64, "it is read");
}

// A decoder's change to READY fails if another thread's error aborted its change to PAUSED. The
// pipeline stops nevertheless.
TEST(aborted) {
  static const GType type = g_type_register_static_simple(
      GST_TYPE_ELEMENT, "AbortedDecoder", sizeof(GstElementClass),
      [](gpointer element_class, gpointer) {
        GST_ELEMENT_CLASS(element_class)->change_state = [](GstElement *, GstStateChange change) {
          static bool failed = false;
          const bool fails = change == GST_STATE_CHANGE_PAUSED_TO_READY && !failed;
          failed = failed || fails;
          return fails ? GST_STATE_CHANGE_FAILURE : GST_STATE_CHANGE_SUCCESS;
        };
      },
      sizeof(GstElement), nullptr, GTypeFlags(0));
  GstElement *pipeline = gst_pipeline_new(nullptr);
  auto *decoder = GST_ELEMENT(g_object_new(type, nullptr));
  gst_bin_add(GST_BIN(pipeline), decoder);
  expect(gst_element_set_state(pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_SUCCESS,
         "it starts");
  glcl::stop_decoding(pipeline);
  expect(GST_STATE(decoder) == GST_STATE_NULL && GST_STATE(pipeline) == GST_STATE_NULL, "it stops");
  gst_object_unref(pipeline);
}
