// SPDX-License-Identifier: LGPL-2.1-or-later
#include "error.h"

#include <glib.h>

#include <map>
#include <memory>

#include "cl.h"

namespace glcl {

std::string utf8(const std::string &text) {
  const std::unique_ptr<gchar, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), g_free);
  return valid.get();
}

Error::Error(const std::string &message, const cl::Error &cause)
    : Error(Kind::failed, message, std::string(cause.what()) + ": " + error_name(cause.err())) {}

std::string error_name(int code) {
#define NAME(n) \
  { n, #n }
  static const std::map<int, const char *> names = {
      NAME(CL_DEVICE_NOT_FOUND),
      NAME(CL_DEVICE_NOT_AVAILABLE),
      NAME(CL_COMPILER_NOT_AVAILABLE),
      NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      NAME(CL_OUT_OF_RESOURCES),
      NAME(CL_OUT_OF_HOST_MEMORY),
      NAME(CL_IMAGE_FORMAT_MISMATCH),
      NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
      NAME(CL_BUILD_PROGRAM_FAILURE),
      NAME(CL_MAP_FAILURE),
      NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
      NAME(CL_INVALID_VALUE),
      NAME(CL_INVALID_PLATFORM),
      NAME(CL_INVALID_DEVICE),
      NAME(CL_INVALID_CONTEXT),
      NAME(CL_INVALID_COMMAND_QUEUE),
      NAME(CL_INVALID_MEM_OBJECT),
      NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
      NAME(CL_INVALID_IMAGE_SIZE),
      NAME(CL_INVALID_BINARY),
      NAME(CL_INVALID_BUILD_OPTIONS),
      NAME(CL_INVALID_PROGRAM),
      NAME(CL_INVALID_PROGRAM_EXECUTABLE),
      NAME(CL_INVALID_KERNEL_NAME),
      NAME(CL_INVALID_KERNEL),
      NAME(CL_INVALID_ARG_INDEX),
      NAME(CL_INVALID_ARG_VALUE),
      NAME(CL_INVALID_ARG_SIZE),
      NAME(CL_INVALID_KERNEL_ARGS),
      NAME(CL_INVALID_WORK_GROUP_SIZE),
      NAME(CL_INVALID_WORK_ITEM_SIZE),
      NAME(CL_INVALID_OPERATION),
      NAME(CL_INVALID_GL_OBJECT),
      NAME(CL_INVALID_BUFFER_SIZE),
      NAME(CL_INVALID_GLOBAL_WORK_SIZE),
      {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
      {-1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR"},
      {-1093, "CL_INVALID_EGL_OBJECT_KHR"},
  };
#undef NAME
  const auto name = names.find(code);
  return name != names.end() ? name->second : "OpenCL error " + std::to_string(code);
}

}  // namespace glcl
