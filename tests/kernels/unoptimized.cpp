// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL layer for the ICD loader (OPENCL_LAYERS) that builds programs without optimization.
// PoCL then compiles three times as fast, and the small frames of these tests take no longer.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <string>

#include "layer/entry.h"

namespace {

cl_icd_dispatch target, layer;

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options,
                         void(CL_CALLBACK *notify)(cl_program program, void *data), void *data) {
  const std::string all = (options ? std::string(options) : "") + " -cl-opt-disable";
  return target.clBuildProgram(program, count, devices, all.c_str(), notify, data);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl programs without optimization", parameter, size, value,
                                size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = glcl_layer::take_dispatch(entries, before, target);
  layer = target;
  layer.clBuildProgram = build;
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
