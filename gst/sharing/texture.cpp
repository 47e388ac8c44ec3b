// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texture.h"

#include <CL/cl_ext.h>
#include <gst/gl/gstglfuncs.h>

#include <utility>

#include "opencl/error.h"

namespace glcl {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.Texture");
  return name;
}

/// clEnqueueAcquireExternalMemObjectsKHR and its opposite, which have one signature.
struct External {
  cl_platform_id platform = nullptr;
  clEnqueueAcquireExternalMemObjectsKHR_fn acquire = nullptr, release = nullptr;
};

/// Those of the queue's platform, looked up once per thread. Throws where one is missing.
const External &external(const Queue &queue) {
  thread_local External known;
  const cl_platform_id platform = queue.context().device().platform();
  if (known.platform == platform) return known;
  const auto get = [&](const char *name) {
    return reinterpret_cast<clEnqueueAcquireExternalMemObjectsKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(platform, name));
  };
  const External found{platform, get("clEnqueueAcquireExternalMemObjectsKHR"),
                       get("clEnqueueReleaseExternalMemObjectsKHR")};
  if (!found.acquire || !found.release)
    throw cl::Error(CL_INVALID_OPERATION, found.acquire ? "clEnqueueReleaseExternalMemObjectsKHR"
                                                        : "clEnqueueAcquireExternalMemObjectsKHR");
  return known = found;
}

/// Not by CLHPP: that would have another reference of each image.
cl::Event enqueue(Queue &queue, const std::vector<cl_mem> &images,
                  clEnqueueAcquireExternalMemObjectsKHR_fn function, const char *name) {
  cl::Event event;
  const cl_int status = function(queue.cl()(), images.size(), images.data(), 0, nullptr, &event());
  if (status != CL_SUCCESS) throw cl::Error(status, name);
  return event;
}

}  // namespace

Texture *Texture::find(GstGLMemory *memory) {
  return static_cast<Texture *>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), quark()));
}

Texture &Texture::of(GstGLMemory *memory) {
  Texture *texture = find(memory);
  if (!texture) {
    texture = new Texture(memory);
    // The memory dies on any thread. Its qdata goes before its texture, and both go on the GL
    // thread.
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark(), texture, [](gpointer data) {
      gst_gl_context_thread_add(
          static_cast<Texture *>(data)->memory_->mem.context,
          [](GstGLContext *, gpointer gone) { delete static_cast<Texture *>(gone); }, data);
    });
  }
  return *texture;
}

Texture::~Texture() {
  try {
    to_gl();
  } catch (const std::exception &error) {
    GST_WARNING("a texture could not be handed back: %s", error.what());
  }
}

Texture::Shared &Texture::shared_with(const std::shared_ptr<Context> &context) {
  for (Shared &shared : images_)
    if (shared.context == context) return shared;
  if (exported) {
    images_.push_back({context, exported->import(*context), nullptr});
    return images_.back();
  }
  try {
    const cl::ImageGL of_texture(context->cl(), CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0,
                                 memory_->tex_id);
    images_.push_back({context, Image(cl::Image2D(of_texture(), true)), nullptr});
  } catch (const cl::Error &error) {
    throw Error(Error::Kind::failed,
                "OpenCL can't share the OpenGL texture with " + context->device().name +
                    ". sharing=copy works without it.",
                std::string(error.what()) + ": " + error_name(error.err()) + ", texture " +
                    std::to_string(memory_->tex_id) + ", format " +
                    std::to_string(memory_->tex_format));
  }
  return images_.back();
}

Image Texture::image(const std::shared_ptr<Context> &context) { return shared_with(context).image; }

bool Texture::order_after_gl(Queue &queue, Exporter &exporter, const std::vector<guint> &textures) {
  Shared &shared = shared_with(queue.context().shared_from_this());
  if (!shared.semaphore)
    shared.semaphore = exporter.make_semaphore(memory_->mem.context, queue.context());
  if (!shared.semaphore) return false;
  try {
    shared.semaphore->order(queue, textures);
  } catch (...) {
    shared.semaphore.reset();
    throw;
  }
  return true;
}

void Texture::to_gl() {
  if (reading_()) {
    reading_.wait();
    reading_ = {};
  }
  if (!holder_) return;
  const bool external = exported != nullptr;
  if (!released_)
    enqueue_release(*holder_, {image(holder_->context().shared_from_this())()}, external);
  released_ = true;
  finish_release(*holder_, external);
  held_by(nullptr);
}

void enqueue_acquire(Queue &queue, const std::vector<cl_mem> &images, bool exported) {
  if (exported)
    enqueue(queue, images, external(queue).acquire, "clEnqueueAcquireExternalMemObjectsKHR");
  else
    enqueue(queue, images, clEnqueueAcquireGLObjects, "clEnqueueAcquireGLObjects");
}

cl::Event enqueue_release(Queue &queue, const std::vector<cl_mem> &images, bool exported) {
  return exported ? enqueue(queue, images, external(queue).release,
                            "clEnqueueReleaseExternalMemObjectsKHR")
                  : enqueue(queue, images, clEnqueueReleaseGLObjects, "clEnqueueReleaseGLObjects");
}

void finish_release(Queue &queue, bool exported) {
  if (!exported && queue.context().device().has_extension("cl_khr_gl_event"))
    queue.cl().flush();
  else
    queue.cl().finish();
}

}  // namespace glcl
