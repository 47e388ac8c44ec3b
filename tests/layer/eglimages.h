// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl_icd.h>

namespace glcl_layer {

/// With GLCL_EGL_IMAGES: makes a driver whose devices compute in host memory (PoCL) use EGLImages
/// whose memory can be mapped (llvmpipe's), so that sharing=egl runs without a GPU. It offers
/// cl_khr_egl_image and, unless the variable is "without-events", cl_khr_egl_event. Its events end
/// when the EGLSyncs are signalled; it does not flush OpenGL's commands.
void share_egl_images(cl_icd_dispatch &driver);

}  // namespace glcl_layer
