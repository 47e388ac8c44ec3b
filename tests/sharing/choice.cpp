// SPDX-License-Identifier: LGPL-2.1-or-later
// The methods' findings about drivers and formats, and the choice.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "sharing/descriptors.h"
#include "sharing/dmabuf.h"

using glcl::Layout;
using glcl::sharing::Access;
using glcl::sharing::Choice;
using glcl::sharing::choose;
using glcl::sharing::probe;
using glcl::sharing::SharingMethod;
using glcl::sharing::TextureUse;
using test::expect;
using test::expect_same;
using test::Frame;
using test::inverted;
using namespace test::sharing;

// The half of the dma-buf form that llvmpipe can do: the memory it exports is the texture's own.
TEST(exported_dma_buf) {
  Gl gl;
  gl.run([&] {
    if (!glcl::sharing::exports_dma_bufs(gl.context())) return;
    constexpr int width = 64, height = 47;
    const auto texture =
        glcl::sharing::export_texture(gl.context(), glcl::PlaneFormat::rgba8, width, height);
    const guint id = texture->texture();
    const GstGLFuncs *functions = gl.context()->gl_vtable;
    for (int i = 0; i < 3; i++) {
      const Frame frame = reference::random_frame(width, height, i);
      functions->BindTexture(GL_TEXTURE_2D, id);
      functions->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE,
                               frame.rgba.data());
      functions->Finish();
      const glcl::sharing::ExportedTexture::Handle handle = texture->handle();
      expect(handle.type == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, "a dma-buf");
      expect(handle.pitch >= width * 4, "rows lie one behind the other");
      void *memory =
          mmap(nullptr, handle.pitch * height, PROT_READ, MAP_SHARED, handle.descriptor, 0);
      close(handle.descriptor);
      expect(memory != MAP_FAILED, "the memory can be mapped");
      Frame seen(width, height);
      for (int y = 0; y < height; y++)
        std::copy_n(static_cast<const uint8_t *>(memory) + y * handle.pitch, width * 4,
                    seen.rgba.begin() + y * width * 4);
      munmap(memory, handle.pitch * height);
      expect_same(frame, seen, "seen in the dma-buf");
    }
    functions->BindTexture(GL_TEXTURE_2D, 0);
    functions->DeleteTextures(1, &id);
  });
}

// The table's numbers are those of GStreamer's own tables.
TEST(formats) {
  for (const glcl::PixelFormat *format : glcl::PixelFormat::all()) {
    GstVideoInfo info;
    const std::string name = format->name;
    gst_video_info_set_format(&info, gst_video_format_from_string(format->name), 64, 48);
    expect(&glcl::sharing::format_of(info) == format, name + " is found by its name");
    expect(int(GST_VIDEO_INFO_N_PLANES(&info)) == format->plane_count, name + ": planes");
    for (int i = 0; i < format->plane_count; i++) {
      const glcl::PlaneFormat &plane = *format->planes[i];
      GstGLFormat base;
      guint type;
      gst_gl_format_type_from_sized_gl_format(static_cast<GstGLFormat>(plane.gl), &base, &type);
      expect(base == plane.gl_base, name + ": OpenGL's formats");
      expect(gst_gl_format_type_n_bytes(base, type) == plane.bytes, name + ": bytes of a pixel");
    }
  }
  expect(!glcl::PixelFormat::find("NV21"), "NV21 is not in the table");
}

TEST(choice) {
  Gl gl;
  gl.run([&] {
    const std::vector<const SharingMethod *> all(std::begin(SharingMethod::all),
                                                 std::end(SharingMethod::all));
    const Choice choice = choose(gl.context(), "auto", all);
    expect(std::string(choice.method->name) == test::expected_method(), "the best method");
    expect(choice.factory.properties.empty() == (choice.method != &SharingMethod::gl),
           "properties of the GL context");
    expect(choice.fallback_reason.empty() == (choice.method != &SharingMethod::copy),
           "why frames are copied");
    for (const std::string extension : {"cl_khr_gl_sharing", "cl_khr_egl_image"})
      expect(choice.fallback_reason.empty() ||
                 choice.fallback_reason.find(extension) != std::string::npos,
             "the reason names the extension: " + choice.fallback_reason);
    expect(probe(SharingMethod::copy, gl.context(), choice.device).obstacle.empty(),
           "copy always works");
    expect(choose(gl.context(), "auto", {&SharingMethod::copy}).fallback_reason.empty(),
           "copy by name is no fallback");
  });
}

TEST(unavailable_method) {
  Gl gl;
  for (const SharingMethod *method :
       {&SharingMethod::gl, &SharingMethod::external, &SharingMethod::egl}) {
    if (method == direct_method()) continue;
    const std::string name = std::string("sharing=") + method->name;
    const glcl::Error error = error_of(gl, [&] { choose(gl.context(), "auto", {method}); });
    expect(error.kind() == glcl::Error::Kind::not_found, name + " is not found");
    for (const std::string &word : {name, std::string("sharing=auto"), std::string("sharing=copy")})
      expect(std::string(error.what()).find(word) != std::string::npos,
             word + " is not in: " + error.what());
  }
}

// A missing feature stays missing, but a failure may pass.
TEST(asked_again_after_a_failure) {
  static int asked;
  static glcl::Error::Kind kind;
  asked = 0;
  const SharingMethod method{"test", "Fails at first", [](GstGLContext *, const glcl::Device &) {
                               if (++asked == 1) throw glcl::Error(kind, "not now");
                               return glcl::sharing::Factory{};
                             }};
  for (const auto &[first, again] : {std::pair{glcl::Error::Kind::failed, true},
                                     std::pair{glcl::Error::Kind::not_found, false}}) {
    Gl gl;
    asked = 0;
    kind = first;
    gl.run([&, again = again] {
      const glcl::Device device = glcl::devices().front();
      expect(probe(method, gl.context(), device).obstacle == "not now", "the reason");
      expect(probe(method, gl.context(), device).obstacle.empty() == again, "asked again");
      probe(method, gl.context(), device);
      expect(asked == (again ? 2 : 1), "once known, it is not asked");
    });
  }
}

TEST(frame_larger_than_images) {
  Gl gl;
  Choice choice;
  gl.run([&] { choice = choose(gl.context(), "auto", {&SharingMethod::copy}); });
  const auto widest = static_cast<int>(choice.device.device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>());
  if (widest >= 16384) return;  // OpenGL's widest here
  const std::string width = std::to_string(widest + 1);
  const glcl::Error error = error_of(gl, [&] {
    Inverter inverter(gl, SharingMethod::copy);
    Picture in(gl, widest + 1, 2), out(gl, widest + 1, 2);
    inverter.invert(in, out, Layout::image);
  });
  expect(error.kind() == glcl::Error::Kind::settings &&
             std::string(error.what()).find(width) != std::string::npos,
         std::string("the error names the size: ") + error.what());
  gl.run([&] {
    Inverter inverter(gl, SharingMethod::copy);
    Picture in(gl, widest + 1, 2), out(gl, widest + 1, 2);
    const Frame frame = reference::random_frame(widest + 1, 2);
    in.write(frame);
    inverter.invert(in, out, Layout::buffer);
    expect_same(inverted(frame), out.read(), "buffers have no such limit");
  });
}
