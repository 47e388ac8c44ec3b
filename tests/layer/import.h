// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl_icd.h>

namespace glcl_layer {

/// With GLCL_IMPORTS=1: makes a driver whose devices compute in host memory (PoCL) import dma-bufs
/// that can be mapped (llvmpipe's), so that sharing=external runs without a GPU. Descriptors are
/// treated as NVIDIA's OpenCL does, which gst/sharing/descriptors.h describes.
void import_dma_bufs(cl_icd_dispatch &driver);

}  // namespace glcl_layer
