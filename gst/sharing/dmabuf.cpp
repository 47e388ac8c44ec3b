// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenGL creates the texture and exports its memory as a dma-buf (EGL_MESA_image_dma_buf_export).
// OpenCL imports the dma-buf (cl_khr_external_memory_dma_buf). No extension reports whether both
// use the same pixel layout and the same device, so a trial tests it.
#include "dmabuf.h"

#include <CL/cl_ext.h>
#include <fcntl.h>
#include <gst/gl/gstglfuncs.h>
#include <unistd.h>

#include "functions.h"
#include "opencl/error.h"
#include "opencl/queue.h"
#include "trial.h"

namespace glcl::sharing {

namespace {

// Constants of EGL_KHR_gl_texture_2D_image and of the kernel's drm_fourcc.h.
constexpr unsigned egl_gl_texture_2d = 0x30B1;
constexpr guint64 linear = 0;

[[noreturn]] void fail(const char *call) {
  throw Error(Error::Kind::failed,
              "OpenGL can't export the texture as a dma-buf. sharing=copy works without it.", call);
}

class DmaBufTexture : public ExportedTexture {
 public:
  DmaBufTexture(GstGLContext *context, const PlaneFormat &plane, int width, int height);
  ~DmaBufTexture() override { close(descriptor_); }

  Handle handle() const override {
    const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) fail("fcntl");
    return {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, copy, pitch_};
  }

 private:
  void make_texture(GstGLContext *context);
  /// Returns null on success, else the name of the call that failed.
  const char *export_memory(GstGLContext *context);

  int descriptor_ = -1;
  size_t pitch_ = 0;
};

DmaBufTexture::DmaBufTexture(GstGLContext *context, const PlaneFormat &plane, int width, int height)
    : ExportedTexture(plane, width, height) {
  make_texture(context);
  if (const char *call = export_memory(context)) {
    context->gl_vtable->DeleteTextures(1, &texture_);
    fail(call);
  }
}

void DmaBufTexture::make_texture(GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  void (*storage)(GLenum, GLsizei, GLenum, GLsizei, GLsizei);
  load(context, storage, "glTexStorage2D");
  gl->GenTextures(1, &texture_);
  gl->BindTexture(GL_TEXTURE_2D, texture_);
  storage(GL_TEXTURE_2D, 1, plane_.gl, width_, height_);
  set_parameters(context);
  gl->BindTexture(GL_TEXTURE_2D, 0);
}

const char *DmaBufTexture::export_memory(GstGLContext *context) {
  gpointer (*create)(gpointer, gpointer, unsigned, gpointer, const int *);
  unsigned (*destroy)(gpointer, gpointer);
  unsigned (*query)(gpointer, gpointer, int *, int *, guint64 *);
  unsigned (*export_image)(gpointer, gpointer, int *, int *, int *);
  load(context, create, "eglCreateImageKHR");
  load(context, destroy, "eglDestroyImageKHR");
  load(context, query, "eglExportDMABUFImageQueryMESA");
  load(context, export_image, "eglExportDMABUFImageMESA");

  const gpointer display = egl_display(context);
  const gpointer image = create(
      display, reinterpret_cast<gpointer>(gst_gl_context_get_gl_context(context)),
      egl_gl_texture_2d, reinterpret_cast<gpointer>(static_cast<guintptr>(texture_)), nullptr);
  if (!image) return "eglCreateImageKHR";
  int format = 0, planes = 0, stride = 0, offset = 0;
  guint64 layout = 0;
  const bool exported = query(display, image, &format, &planes, &layout) && planes == 1 &&
                        export_image(display, image, &descriptor_, &stride, &offset) &&
                        descriptor_ >= 0 && offset == 0;
  destroy(display, image);
  if (!exported) return "eglExportDMABUFImageMESA";
  if (layout == linear) pitch_ = stride;
  return nullptr;
}

class DmaBufExporter : public Exporter {
 public:
  const char *form() const override { return "dma-buf of OpenGL"; }
  std::unique_ptr<ExportedTexture> make(GstGLContext *context, const PlaneFormat &plane, int width,
                                        int height) override {
    return export_texture(context, plane, width, height);
  }
};

bool shares_pixels(GstGLContext *gl_context, const Device &device) {
  const auto texture = export_texture(gl_context, PlaneFormat::rgba8, trial_width, trial_height);
  const guint id = texture->texture();
  const auto remove = [&] { gl_context->gl_vtable->DeleteTextures(1, &id); };
  try {
    Queue queue(Context::of_device(device));
    const Image image = texture->import(queue.context());
    const bool same = same_pixels(gl_context, id, queue, image(), external_interop());
    remove();
    return same;
  } catch (...) {
    remove();
    throw;
  }
}

}  // namespace

std::unique_ptr<ExportedTexture> export_texture(GstGLContext *context, const PlaneFormat &plane,
                                                int width, int height) {
  return std::make_unique<DmaBufTexture>(context, plane, width, height);
}

bool exports_dma_bufs(GstGLContext *context) {
  return egl_display(context) &&
         gst_gl_context_check_feature(context, "EGL_MESA_image_dma_buf_export");
}

std::shared_ptr<Exporter> dma_buf_exporter(GstGLContext *gl_context, const Device &device) {
  const auto refuse = [](const std::string &reason) {
    throw Error(Error::Kind::not_found, reason);
  };
  if (!device.has_extension("cl_khr_external_memory_dma_buf"))
    refuse("the OpenCL driver of " + device.name +
           " does not offer cl_khr_external_memory_dma_buf");
  if (!exports_dma_bufs(gl_context))
    refuse("the OpenGL driver does not offer EGL_MESA_image_dma_buf_export");
  try {
    if (!shares_pixels(gl_context, device))
      refuse("OpenCL on " + device.name + " reads wrong pixels from a dma-buf of OpenGL");
  } catch (const cl::Error &error) {
    refuse("OpenCL on " + device.name + " can't use a dma-buf (" + error.what() + ": " +
           error_name(error.err()) + ")");
  }
  return std::make_shared<DmaBufExporter>();
}

}  // namespace glcl::sharing
