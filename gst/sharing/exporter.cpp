// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exporter.h"

#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <unistd.h>

#include "descriptors.h"
#include "opencl/error.h"

namespace glcl {

namespace {

using Create = cl_mem (*)(cl_context, const cl_bitfield *, cl_mem_flags, const cl_image_format *,
                          const cl_image_desc *, void *, cl_int *);

/// OpenCL 3.0, which the loader may be too old for.
Create create_image() {
  return reinterpret_cast<Create>(dlsym(RTLD_DEFAULT, "clCreateImageWithProperties"));
}

std::string reason(const Error &error) {
  return std::string(error.what()) + (error.detail().empty() ? "" : " (" + error.detail() + ")");
}

}  // namespace

Image ExportedTexture::import(const Context &context) const {
  const Handle handle = this->handle();
  const cl_bitfield properties[] = {handle.type, static_cast<cl_bitfield>(handle.descriptor), 0};
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
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
                    ". sharing=copy works without it.",
                "clCreateImageWithProperties: " + error_name(status));
  }
  return {image, [](cl_mem gone) {
            const std::lock_guard lock(imports());
            clReleaseMemObject(gone);
          }};
}

std::shared_ptr<Exporter> exporter_of(GstGLContext *gl_context, const Device &device) {
  if (!device.has_extension("cl_khr_external_memory_opaque_fd") &&
      !device.has_extension("cl_khr_external_memory_dma_buf"))
    throw Error(Error::Kind::not_found, "the OpenCL driver of " + device.name +
                                            " offers neither cl_khr_external_memory_opaque_fd nor "
                                            "cl_khr_external_memory_dma_buf");
  if (!create_image())
    throw Error(Error::Kind::not_found, "the OpenCL loader is older than OpenCL 3.0");
  std::string reasons;
  for (const auto form : {vulkan_exporter, dma_buf_exporter}) try {
      return form(gl_context, device);
    } catch (const Error &error) {
      reasons += (reasons.empty() ? "" : "; ") + reason(error);
    }
  throw Error(Error::Kind::not_found, reasons);
}

std::string external_obstacle(GstGLContext *gl_context, const Device &device) {
  try {
    exporter_of(gl_context, device);
    return {};
  } catch (const Error &error) {
    return reason(error);
  }
}

}  // namespace glcl
