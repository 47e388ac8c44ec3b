// SPDX-License-Identifier: LGPL-2.1-or-later
// Sharing method `external`: OpenCL and OpenGL import the same memory (cl_khr_external_memory).
#include "copier.h"
#include "descriptors.h"
#include "fencewaiter.h"
#include "memory.h"
#include "opencl/error.h"
#include "opencl/loader.h"
#include "texture.h"

#include <CL/cl_ext.h>
#include <unistd.h>

#include <map>

namespace glcl::sharing {

namespace {

using Create = cl_mem (*)(cl_context, const cl_bitfield *, cl_mem_flags, const cl_image_format *,
                          const cl_image_desc *, void *, cl_int *);

/// Returns a function of OpenCL 3.0 that an old loader may lack.
Create create_image() {
  return reinterpret_cast<Create>(loader_function("clCreateImageWithProperties"));
}

/// clEnqueueAcquireExternalMemObjectsKHR and clEnqueueReleaseExternalMemObjectsKHR.
struct External {
  cl_platform_id platform = nullptr;
  clEnqueueAcquireExternalMemObjectsKHR_fn acquire = nullptr, release = nullptr;
  /// NVIDIA's driver never frees the list of objects of an acquire, a release or a wait for a
  /// semaphore: at least 32 bytes per call (580.159; research/drivers/enqueueheap.cpp). On this
  /// driver only fences and events order the use of an image, as in CUDA, which has no such
  /// commands. An acquire without a release would keep the context alive.
  bool keeps_lists = false;
};

/// The functions of the device's platform, looked up once per thread. Throws if one is missing.
const External &external(const Device &device) {
  thread_local External known;
  const cl_platform_id platform = device.platform();
  if (known.platform == platform) return known;
  const auto get = [&](const char *name) {
    return reinterpret_cast<clEnqueueAcquireExternalMemObjectsKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, name));
  };
  const External found{
      platform, get("clEnqueueAcquireExternalMemObjectsKHR"),
      get("clEnqueueReleaseExternalMemObjectsKHR"),
      device.device.getInfo<CL_DEVICE_VENDOR>().find("NVIDIA") != std::string::npos};
  if (!found.acquire || !found.release)
    throw cl::Error(CL_INVALID_OPERATION, found.acquire ? "clEnqueueReleaseExternalMemObjectsKHR"
                                                        : "clEnqueueAcquireExternalMemObjectsKHR");
  return known = found;
}

class ExternalInterop : public Interop {
 public:
  Image image(const Context &context, GstGLMemory *memory) const override {
    return Texture::of(memory).exported->import(context);
  }
  void acquire(Queue &queue, const std::vector<cl_mem> &images) const override {
    const External &functions = external(queue.context().device());
    if (functions.keeps_lists) return;
    enqueue(queue, images, functions.acquire, "clEnqueueAcquireExternalMemObjectsKHR");
  }
  cl::Event release(Context &context, cl_mem image, const cl::Event &after) const override {
    return enqueue_release(context, image, after, external(context.device()).release,
                           "clEnqueueReleaseExternalMemObjectsKHR");
  }
  bool needs_release(const Device &device) const override { return !external(device).keeps_lists; }
};

/// Foreign textures are copied on the GPU into textures that OpenGL and OpenCL both import.
class ExternalSharing : public TextureSharing {
 public:
  explicit ExternalSharing(std::shared_ptr<Exporter> exporter)
      : TextureSharing(external_interop()), exporter_(std::move(exporter)) {}
  ~ExternalSharing() override {
    for (GstBuffer *buffer : copies_of_foreign_) gst_clear_buffer(&buffer);
  }

  GstBufferPool *make_pool(GstGLContext *context, ErrorHandler report) override {
    return sharing::make_pool(context, exporter_, std::move(report));
  }

 private:
  Texture &texture_of(size_t index, TextureUse &use) override;
  Texture *known_texture_of(size_t index, const TextureUse &use) override;
  bool ordered_after_gl(Queue &queue) override;
  GstGLMemory *exported_copy(size_t index, TextureUse &use);

  std::shared_ptr<Exporter> exporter_;
  std::map<const PlaneFormat *, TextureCopier> copiers_;
  std::vector<GstBuffer *> copies_of_foreign_;  // by index in the frame
};

GstGLMemory *ExternalSharing::exported_copy(size_t index, TextureUse &use) {
  GstGLContext *context = use.memory->mem.context;
  if (copies_of_foreign_.size() <= index) copies_of_foreign_.resize(index + 1);
  GstBuffer *&buffer = copies_of_foreign_[index];
  auto *copy = buffer ? GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0)) : nullptr;
  if (!copy || copy->mem.context != context || copy->plane != use.memory->plane ||
      copy->info.finfo != use.memory->info.finfo ||
      gst_gl_memory_get_texture_width(copy) != use.width() ||
      gst_gl_memory_get_texture_height(copy) != use.height()) {
    gst_clear_buffer(&buffer);
    buffer = allocate(context, exporter_, use.memory->info, use.memory->plane);
    copy = GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0));
  }
  const PlaneFormat &format = *use.picture.format;
  TextureCopier &copier = copiers_.try_emplace(&format, context, format).first->second;
  use.map(GST_MAP_GL);
  Texture::of(copy).to_gl();
  copier.copy(use.memory->tex_id, copy->tex_id, use.width(), use.height());
  use.unmap();
  return copy;
}

Texture &ExternalSharing::texture_of(size_t index, TextureUse &use) {
  Texture &texture = Texture::of(use.memory);
  if (texture.exported) return texture;
  if (use.access == Access::write)
    throw Error(Error::Kind::failed,
                "The output texture is not in exported memory. sharing=copy works without it.",
                "downstream's pool was not replaced");
  return Texture::of(exported_copy(index, use));
}

Texture *ExternalSharing::known_texture_of(size_t index, const TextureUse &use) {
  Texture *texture = Texture::find(use.memory);
  if (texture && texture->exported) return texture;
  GstBuffer *copy = index < copies_of_foreign_.size() ? copies_of_foreign_[index] : nullptr;
  return copy ? Texture::find(GST_GL_MEMORY_CAST(gst_buffer_peek_memory(copy, 0))) : nullptr;
}

bool ExternalSharing::ordered_after_gl(Queue &queue) {
  FenceWaiter *waiter = FenceWaiter::of(gst_gl_context_get_current());
  if (waiter) waiter->order(queue);
  return waiter;
}

/// Chooses the first form of memory that works.
Factory probe_external(GstGLContext *gl_context, const Device &device) {
  if (!device.has_extension("cl_khr_external_memory_opaque_fd") &&
      !device.has_extension("cl_khr_external_memory_dma_buf"))
    throw Error(Error::Kind::not_found, "the OpenCL driver of " + device.name +
                                            " offers neither cl_khr_external_memory_opaque_fd nor "
                                            "cl_khr_external_memory_dma_buf");
  if (!create_image())
    throw Error(Error::Kind::not_found, "the OpenCL loader is older than OpenCL 3.0");
  std::string reasons;
  auto kind = Error::Kind::not_found;
  for (const auto form : {vulkan_exporter, dma_buf_exporter}) try {
      const std::shared_ptr<Exporter> exporter = form(gl_context, device);
      return {
          [exporter] { return std::make_unique<ExternalSharing>(exporter); }, {}, exporter->form()};
    } catch (const Error &error) {
      reasons += (reasons.empty() ? "" : "; ") + error.text();
      if (error.kind() == Error::Kind::failed) kind = error.kind();
    }
  throw Error(kind, reasons);
}

}  // namespace

Image ExportedTexture::import(const Context &context) const {
  const Handle handle = this->handle();
  const cl_bitfield properties[] = {handle.type, static_cast<cl_bitfield>(handle.descriptor), 0};
  const cl_image_format format = plane_.image();
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = width_;
  description.image_height = height_;
  description.image_row_pitch = handle.pitch;
  cl_int status = CL_SUCCESS;
  const std::lock_guard lock(imports());
  const cl_mem image = create_image()(context.cl()(), properties, CL_MEM_READ_WRITE, &format,
                                      &description, nullptr, &status);
  if (status != CL_SUCCESS) {
    close(handle.descriptor);
    throw Error(Error::Kind::failed,
                "OpenCL can't import the memory of a texture on " + context.device().name +
                    ". Use sharing=copy.",
                "clCreateImageWithProperties: " + error_name(status));
  }
  return {image, [](cl_mem gone) {
            const std::lock_guard lock(imports());
            clReleaseMemObject(gone);
          }};
}

const Interop &external_interop() {
  static const ExternalInterop interop;
  return interop;
}

const SharingMethod SharingMethod::external = {
    "external", "OpenCL and OpenGL import the same memory (cl_khr_external_memory)",
    probe_external};

}  // namespace glcl::sharing
