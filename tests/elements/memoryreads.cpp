// SPDX-License-Identifier: LGPL-2.1-or-later
// The ways to read a GstGLMemory: each that GstGL offers, with or without a map,
// returns the frame that the element wrote. docs/ownership.md lists them.
#include <gst/gl/gstglfuncs.h>

#include <cstring>
#include <iterator>

#include "config.h"
#include "pipeline.h"
#if HAVE_GL_EGL
#include <gst/gl/egl/gsteglimage.h>
#endif

#ifndef GL_PIXEL_PACK_BUFFER
#define GL_PIXEL_PACK_BUFFER 0x88EB
#endif
#ifndef GL_MAP_READ_BIT
#define GL_MAP_READ_BIT 0x0001
#endif

using test::Chain;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using test::Pipeline;

namespace {

constexpr int width = 64, height = 48;

/// A consumer with a frame, on the GL thread.
struct Consumer {
  GstBuffer *buffer;

  GstMemory *base() const { return gst_buffer_peek_memory(buffer, 0); }
  GstGLMemory *memory() const { return GST_GL_MEMORY_CAST(base()); }
  GstGLMemoryPBO *with_pbo() const { return reinterpret_cast<GstGLMemoryPBO *>(base()); }
  GstGLContext *context() const { return memory()->mem.context; }
  const GstGLFuncs *gl() const { return context()->gl_vtable; }

  /// The content of the texture.
  Frame texture(guint id) const {
    Frame frame(width, height);
    GLuint framebuffer;
    gl()->GenFramebuffers(1, &framebuffer);
    gl()->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl()->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, id, 0);
    gl()->ReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, frame.rgba.data());
    gl()->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl()->DeleteFramebuffers(1, &framebuffer);
    return frame;
  }
  Frame texture() const { return texture(gst_gl_memory_get_texture_id(memory())); }

  /// The content of the pixel buffer, as CUDA reads it.
  Frame pixel_buffer() const {
    Frame frame(width, height);
    gl()->BindBuffer(GL_PIXEL_PACK_BUFFER, with_pbo()->pbo->id);
    const void *pixels = gl()->MapBufferRange(GL_PIXEL_PACK_BUFFER, 0,
                                              GLsizeiptr(frame.rgba.size()), GL_MAP_READ_BIT);
    expect(pixels, "the pixel buffer can't be mapped");
    std::memcpy(frame.rgba.data(), pixels, frame.rgba.size());
    gl()->UnmapBuffer(GL_PIXEL_PACK_BUFFER);
    gl()->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return frame;
  }

  /// The content that `copy` writes into a new texture of the frame's size.
  Frame copied(const std::function<gboolean(guint)> &copy) const {
    GLuint id;
    gl()->GenTextures(1, &id);
    gl()->BindTexture(GL_TEXTURE_2D, id);
    gl()->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     nullptr);
    gl()->BindTexture(GL_TEXTURE_2D, 0);
    expect(copy(id), "the copy failed");
    const Frame frame = texture(id);
    gl()->DeleteTextures(1, &id);
    return frame;
  }
};

Frame mapped(GstMemory *memory) {
  GstMapInfo map;
  expect(gst_memory_map(memory, &map, GST_MAP_READ), "no map");
  Frame frame(width, height);
  expect(map.size >= frame.rgba.size(), "the map is smaller than a frame");
  std::memcpy(frame.rgba.data(), map.data, frame.rgba.size());
  gst_memory_unmap(memory, &map);
  return frame;
}

Frame map_for_opengl(const Consumer &in) {
  GstMapInfo map;
  expect(gst_memory_map(in.base(), &map, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)),
         "no map");
  const Frame frame = in.texture(*reinterpret_cast<guint *>(map.data));
  gst_memory_unmap(in.base(), &map);
  return frame;
}

Frame read_pixels(const Consumer &in) {
  Frame frame(width, height);
  expect(gst_gl_memory_read_pixels(in.memory(), frame.rgba.data()), "no pixels");
  return frame;
}

Frame sync_meta(const Consumer &in) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(in.buffer);
  expect(sync, "no sync meta");
  gst_gl_sync_meta_wait(sync, in.context());
  return in.texture();
}

Frame sync_meta_on_host(const Consumer &in) {
  GstGLSyncMeta *sync = gst_buffer_get_gl_sync_meta(in.buffer);
  expect(sync, "no sync meta");
  gst_gl_sync_meta_wait_cpu(sync, in.context());
  return in.texture();
}

Frame copy_into(const Consumer &in) {
  return in.copied([&](guint id) {
    return gst_gl_memory_copy_into(in.memory(), id, GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA, width,
                                   height);
  });
}

Frame copy_teximage(const Consumer &in) {
  return in.copied([&](guint id) {
    return gst_gl_memory_copy_teximage(in.memory(), id, GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA,
                                       width, height);
  });
}

Frame pbo_copy(const Consumer &in, bool bytes) {
  return in.copied([&](guint id) {
    return gst_gl_memory_pbo_copy_into_texture(in.with_pbo(), id, GST_GL_TEXTURE_TARGET_2D,
                                               GST_GL_RGBA, width, height, width * 4, bytes);
  });
}

/// Like encoders and cudaupload.
Frame pbo_transfers(const Consumer &in) {
  gst_gl_memory_pbo_upload_transfer(in.with_pbo());
  gst_gl_memory_pbo_download_transfer(in.with_pbo());
  return in.pixel_buffer();
}

/// Like gldownload.
Frame pbo_download(const Consumer &in) {
  gst_gl_memory_pbo_download_transfer(in.with_pbo());
  return in.pixel_buffer();
}

Frame shallow_copy(const Consumer &in) {
  GstBuffer *copy = gst_buffer_copy(in.buffer);
  const Frame frame = sync_meta({copy});
  gst_buffer_unref(copy);
  return frame;
}

Frame deep_copy(const Consumer &in) {
  GstBuffer *copy = gst_buffer_copy_deep(in.buffer);
  expect(copy, "no copy");
  const Frame frame = mapped(gst_buffer_peek_memory(copy, 0));
  gst_buffer_unref(copy);
  return frame;
}

/// The memory can't be shared in part, so the part is copied.
Frame shared_parts(const Consumer &in) {
  constexpr gsize half = width * height * 2;
  expect(!gst_memory_share(in.base(), 0, half), "GstGL has no shares");
  Frame frame(width, height);
  for (const gsize offset : {gsize(0), half}) {
    GstMemory *part = gst_memory_copy(in.base(), gssize(offset), half);
    GstMapInfo map;
    expect(part && gst_memory_map(part, &map, GST_MAP_READ), "no part");
    expect(map.size == half, "a part has its size");
    std::memcpy(frame.rgba.data() + offset, map.data, half);
    gst_memory_unmap(part, &map);
    gst_memory_unref(part);
  }
  return frame;
}

#if HAVE_GL_EGL
Frame egl_image(const Consumer &in) {
  GstEGLImage *image = gst_egl_image_from_texture(in.context(), in.memory(), nullptr);
  expect(image, "no EGLImage");
  GLuint id;
  in.gl()->GenTextures(1, &id);
  in.gl()->BindTexture(GL_TEXTURE_2D, id);
  in.gl()->EGLImageTargetTexture2D(GL_TEXTURE_2D, gst_egl_image_get_image(image));
  in.gl()->BindTexture(GL_TEXTURE_2D, 0);
  const Frame frame = in.texture(id);
  in.gl()->DeleteTextures(1, &id);
  gst_egl_image_unref(image);
  return frame;
}
#endif

struct Reader {
  const char *name;
  Frame (*read)(const Consumer &in);
};

const Reader readers[] = {
    {"texture id", [](const Consumer &in) { return in.texture(); }},
    {"pbo_upload_transfer, pbo_download_transfer", pbo_transfers},
    {"pbo_download_transfer", pbo_download},
    {"pbo_copy_into_texture", [](const Consumer &in) { return pbo_copy(in, false); }},
    {"pbo_copy_into_texture, bytes", [](const Consumer &in) { return pbo_copy(in, true); }},
    {"read_pixels", read_pixels},
    {"sync_meta_wait", sync_meta},
    {"sync_meta_wait_cpu", sync_meta_on_host},
    {"copy_into", copy_into},
    {"copy_teximage", copy_teximage},
#if HAVE_GL_EGL
    {"egl_image_from_texture", egl_image},
#endif
    {"map for OpenGL", map_for_opengl},
    {"map for the host", [](const Consumer &in) { return mapped(in.base()); }},
    {"gst_buffer_copy", shallow_copy},
    {"gst_buffer_copy_deep", deep_copy},
    {"gst_memory_share, gst_memory_copy", shared_parts},
};

/// The frame that a reader gets on the GL thread.
Frame read_frame(const Reader &reader, GstBuffer *buffer) {
  struct Job {
    const Reader &reader;
    Consumer consumer;
    Frame frame{width, height};
  } job{reader, {buffer}};
  gst_gl_context_thread_add(
      job.consumer.context(),
      [](GstGLContext *, gpointer data) {
        auto *job = static_cast<Job *>(data);
        job->frame = job->reader.read(job->consumer);
      },
      &job);
  return job.frame;
}

/// Pushes different frames and reads each with one reader.
void check(Chain &chain, const Reader &reader, int frames, const std::string &what) {
  static int number = 0;
  for (int i = 0; i < frames; i++) {
    const Frame frame = reference::random_frame(width, height, number++);
    expect(chain.push(frame) == GST_FLOW_OK, what + ": pushing failed");
    GstBuffer *buffer = chain.pull_buffer();
    expect_same(inverted(frame), read_frame(reader, buffer),
                what + ", " + reader.name + ", frame " + std::to_string(i));
    gst_buffer_unref(buffer);
  }
}

constexpr int several = 5;  // the pool reuses its buffers

}  // namespace

TEST_EACH(each_reader, 0, int(std::size(readers))) {
  for (const std::string elements : {"glclinvert", "glclinvert ! glclhistogram display=none"}) {
    const auto chain = Chain::plain(Chain::upload + elements);
    check(*chain, readers[__i__], several, elements);
  }
}

// One reader after another reads a memory.
TEST(one_reader_after_another) {
  const auto chain = Chain::plain(Chain::upload + "glclinvert");
  for (int round = 0; round < 3; round++)
    for (const Reader &reader : readers) check(*chain, reader, 1, "round " + std::to_string(round));
}

// Elements that pass on their input are not consumers.
TEST(consumer_after_other_elements) {
  for (const std::string behind :
       {"queue", "tee ! queue", "identity", "capsfilter", "glcolorconvert", "gldownload",
        "queue ! glcolorscale ! glupload ! multiqueue", "glclhistogram display=none ! queue",
        "tee name=t ! queue ! gldownload ! video/x-raw ! fakesink async=false  t. ! queue",
        "tee name=t ! queue ! glclinvert ! fakesink async=false  t. ! queue"}) {
    const auto chain = Chain::plain(Chain::upload + "bin.( glclinvert ) ! " + behind);
    check(*chain, readers[0], several, behind);
    check(*chain, readers[1], several, behind);
  }
}

// Frames are handed to OpenGL only if a consumer could use them without a map.
TEST(stays_on_the_device_if_all_consumers_map) {
  if (std::string(test::expected_method()) != "copy") return;
  const auto transfers = [](const std::string &behind, const std::string &end) {
    Pipeline pipeline("videotestsrc num-buffers=6 ! video/x-raw,width=64,height=48,format=RGBA ! " +
                      Chain::upload + "glclinvert name=first ! glclinvert name=last ! " + behind +
                      end);
    expect(pipeline.run(), behind + ": no EOS");
    return test::stat(pipeline["first"], "copies") + test::stat(pipeline["last"], "copies");
  };
  for (const std::string behind :
       {"", "queue ! tee ! ", "identity ! glcolorconvert ! ",
        "gldownload ! video/x-raw ! identity ! ", "glclhistogram display=none ! "}) {
    expect(transfers(behind, "fakesink") == 6, behind + ": frames go to the device alone");
    const guint64 out = behind.find("video/x-raw") == std::string::npos ? 6 : 0;
    expect(transfers(behind, "appsink sync=false wait-on-eos=false") == 6 + out,
           behind + ": and out for a consumer of which nothing is known");
  }
}

// A consumer that is linked while playing.
TEST(consumer_linked_later) {
  const auto chain =
      Chain::plain(Chain::upload +
                   "glclinvert ! tee name=t ! queue ! gldownload ! capsfilter name=c "
                   "caps=video/x-raw ! fakesink async=false  t. ! valve name=v");
  GstPad *in = gst_element_get_static_pad((*chain)["v"], "sink"), *out = gst_pad_get_peer(in);
  gst_pad_unlink(out, in);
  for (int i = 0; i < several; i++)
    expect(chain->push(reference::random_frame(width, height, i)) == GST_FLOW_OK, "push failed");
  expect(gst_pad_link(out, in) == GST_PAD_LINK_OK, "linked again");
  for (const Reader &reader : {readers[0], readers[1]})
    check(*chain, reader, several, "linked later");
  gst_object_unref(out);
  gst_object_unref(in);
}

namespace {

/// True if OpenGL exports textures as dma-bufs.
bool exports_dma_bufs() {
  const auto chain = Chain::plain(Chain::upload + "glclinvert");
  expect(chain->push(reference::random_frame(width, height)) == GST_FLOW_OK, "push failed");
  GstBuffer *buffer = chain->pull_buffer();
  const bool exports =
      gst_gl_context_check_feature(Consumer{buffer}.context(), "EGL_MESA_image_dma_buf_export");
  gst_buffer_unref(buffer);
  return exports;
}

}  // namespace

// gldownload exports the texture of a memory once, and later does not map it.
TEST(exported_as_dma_buf) {
  if (!exports_dma_bufs()) return;
  for (const std::string sharing : {test::expected_method(), "copy"}) {
    Pipeline pipeline(
        "videotestsrc pattern=snow num-buffers=12 ! video/x-raw,format=RGBA,width=64,height=48 ! "
        "tee name=t ! queue ! " +
        Chain::upload + "glclinvert sharing=" + sharing +
        " ! gldownload ! video/x-raw(memory:DMABuf) ! fakesink name=out  "
        "t. ! queue ! fakesink name=in");
    const auto &out = pipeline.collect("out"), &in = pipeline.collect("in");
    expect(pipeline.run(), "the pipeline failed");
    expect(in.size() == 12 && out.size() == 12, "all frames arrive");
    for (size_t i = 0; i < in.size(); i++)
      expect_same(inverted(in[i]), out[i], sharing + ", frame " + std::to_string(i));
  }
}

// The next element gets what a consumer drew into the frame's texture.
TEST(written_by_texsubimage) {
  static Frame drawn(width, height);
  const auto draw = [](GstPad *, GstPadProbeInfo *info, gpointer) {
    const Reader reader{"texsubimage", [](const Consumer &in) {
                          const auto upload = GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD;
                          GST_MINI_OBJECT_FLAG_SET(in.memory(), upload);
                          gst_gl_memory_texsubimage(in.memory(), drawn.rgba.data());
                          GST_MINI_OBJECT_FLAG_UNSET(in.memory(), upload);
                          GST_MINI_OBJECT_FLAG_SET(in.memory(),
                                                   GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
                          return in.texture();
                        }};
    expect_same(drawn, read_frame(reader, GST_PAD_PROBE_INFO_BUFFER(info)), "in the texture");
    return GST_PAD_PROBE_OK;
  };
  // The element in between is an unknown consumer.
  for (const std::string behind : {"gleffects_identity", "glclinvert strength=0"}) {
    Chain chain("glclinvert ! taginject ! " + behind);
    GstPad *pad = gst_element_get_static_pad(chain["taginject"], "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, draw, nullptr, nullptr);
    for (int i = 0; i < several; i++) {
      drawn = reference::random_frame(width, height, 500 + i);
      expect_same(drawn, chain.filter(reference::random_frame(width, height, i)), behind);
    }
    gst_object_unref(pad);
  }
}
