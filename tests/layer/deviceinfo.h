// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl_icd.h>

#include <cstring>
#include <string>

namespace glcl_layer {

/// clGetDeviceInfo of a driver that offers further extensions; `more` begins with a space.
inline cl_int device_info_with(const cl_icd_dispatch &driver, const char *more, cl_device_id device,
                               cl_device_info what, size_t size, void *value, size_t *size_ret) {
  if (what != CL_DEVICE_EXTENSIONS)
    return driver.clGetDeviceInfo(device, what, size, value, size_ret);
  size_t length = 0;
  cl_int status = driver.clGetDeviceInfo(device, what, 0, nullptr, &length);
  std::string text(length, '\0');
  if (status == CL_SUCCESS)
    status = driver.clGetDeviceInfo(device, what, length, text.data(), nullptr);
  if (status != CL_SUCCESS) return status;
  // Up to its first NUL. NOLINTNEXTLINE(readability-redundant-string-cstr)
  text = std::string(text.c_str()) + more;
  if (value && size <= text.size()) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, text.c_str(), text.size() + 1);
  if (size_ret) *size_ret = text.size() + 1;
  return CL_SUCCESS;
}

}  // namespace glcl_layer
