// SPDX-License-Identifier: LGPL-2.1-or-later
// The information that every layer gives to the ICD loader.
#pragma once

#include <CL/cl_layer.h>

#include <cstring>

namespace glcl_layer {

/// As clGetLayerInfo has it, for a layer of this name.
inline cl_int layer_info(const char *name, cl_layer_info parameter, size_t size, void *value,
                         size_t *size_ret) {
  static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  const bool wants_version = parameter == CL_LAYER_API_VERSION;
  if (!wants_version && parameter != CL_LAYER_NAME) return CL_INVALID_VALUE;
  const size_t needed = wants_version ? sizeof version : std::strlen(name) + 1;
  if (value && size < needed) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, wants_version ? static_cast<const void *>(&version) : name, needed);
  if (size_ret) *size_ret = needed;
  return CL_SUCCESS;
}

/// Takes over the functions of the layer below; returns their number.
inline cl_uint take_dispatch(cl_uint entries, const cl_icd_dispatch *before,
                             cl_icd_dispatch &target) {
  constexpr cl_uint known = sizeof(cl_icd_dispatch) / sizeof(void *);
  const cl_uint count = entries < known ? entries : known;
  std::memcpy(static_cast<void *>(&target), before, count * sizeof(void *));
  return count;
}

}  // namespace glcl_layer
