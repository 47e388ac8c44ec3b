// SPDX-License-Identifier: LGPL-2.1-or-later
#include "discretememory.h"

#include <cstdlib>

namespace glcl_layer {

namespace {

decltype(cl_icd_dispatch::clGetDeviceInfo) real;

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                   void *value, size_t *size_ret) {
  const cl_int status = real(device, what, size, value, size_ret);
  if (status == CL_SUCCESS && what == CL_DEVICE_HOST_UNIFIED_MEMORY && value)
    *static_cast<cl_bool *>(value) = CL_FALSE;
  return status;
}

}  // namespace

void report_discrete_memory(cl_icd_dispatch &driver) {
  if (!std::getenv("GLCL_DISCRETE_MEMORY")) return;
  real = driver.clGetDeviceInfo;
  driver.clGetDeviceInfo = get_device_info;
}

}  // namespace glcl_layer
