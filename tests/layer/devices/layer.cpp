// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL layer for the ICD loader (OPENCL_LAYERS) that makes any device as small as others are.
// GLCL_DEVICE_PROFILE names a file of this folder with the limits and names of a device; without it
// groups have at most 256 work-items and 32 KiB of local memory, of which the driver uses some
// itself for each kernel that takes a pointer to it, as NVIDIA's does. The layer refuses what the
// device would refuse, and prints it. GLCL_PROFILE_DEVICE restricts it to devices whose name begins
// so. With GLCL_TEST_GPU in the environment all devices also are
// GPUs, with GLCL_TEST_NAME its name is no UTF-8. GLCL_TEST_LACKS names what PoCL's device "basic",
// then a GPU, has not: compiler, images, items of a group, local memory.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "layer/entry.h"
#include "profile.h"

namespace {

using glcl_layer::Profile;

/// The sizes of a kernel's arguments.
struct KernelArguments {
  std::map<cl_uint, size_t> bytes;
  bool local_pointer = false;
};

cl_icd_dispatch target, layer;
std::mutex mutex;
std::map<cl_kernel, KernelArguments> arguments;

const Profile &profile() {
  static const Profile read = [] {
    const char *path = std::getenv("GLCL_DEVICE_PROFILE");
    return path ? glcl_layer::read_profile(path) : Profile();
  }();
  return read;
}

/// Prints what the device refuses.
cl_int refuse(cl_int status, const std::string &text) {
  std::fprintf(stderr, "the device refuses %s\n", text.c_str());
  return status;
}

/// Makes an answer of a query smaller.
template <class T>
void limit(void *value, size_t size, T most) {
  if (!value || !most) return;
  T *values = static_cast<T *>(value);
  for (size_t i = 0; i < size / sizeof(T); i++) values[i] = std::min(values[i], most);
}

/// Answers a query with a text.
cl_int answer(const std::string &text, size_t size, void *value, size_t *size_ret) {
  if (size_ret) *size_ret = text.size() + 1;
  if (!value) return CL_SUCCESS;
  if (size < text.size() + 1) return CL_INVALID_VALUE;
  std::memcpy(value, text.c_str(), text.size() + 1);
  return CL_SUCCESS;
}

std::string driver_text(cl_device_id device, cl_device_info name) {
  size_t size = 0;
  target.clGetDeviceInfo(device, name, 0, nullptr, &size);
  std::string whole(size, '\0');
  target.clGetDeviceInfo(device, name, size, whole.data(), nullptr);
  whole.resize(std::strlen(whole.c_str()));
  return whole;
}

/// True if the layer simulates another device in place of this one.
bool replaces(cl_device_id device) {
  const char *name = std::getenv("GLCL_PROFILE_DEVICE");
  return !name || driver_text(device, CL_DEVICE_NAME).rfind(name, 0) == 0;
}

bool replaces(cl_context context) {
  cl_device_id device = nullptr;
  target.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr);
  return replaces(device);
}

/// The missing features of this device.
std::string lacks(cl_device_id device) {
  const char *what = std::getenv("GLCL_TEST_LACKS");
  return what && driver_text(device, CL_DEVICE_NAME).rfind("basic", 0) == 0 ? what : "";
}

/// The extensions of the driver that the device has, too.
std::string extensions(cl_device_id device) {
  std::istringstream all(driver_text(device, CL_DEVICE_EXTENSIONS));
  std::string left;
  const auto &known = *profile().extensions;
  for (std::string one; all >> one;)
    if (std::find(known.begin(), known.end(), one) != known.end())
      left += (left.empty() ? "" : " ") + one;
  return left;
}

/// The text that the profile has for a query; empty if it has none.
std::string text_of(cl_device_id device, cl_device_info name) {
  switch (name) {
    case CL_DEVICE_NAME:
      return profile().name;
    case CL_DEVICE_VENDOR:
      return profile().vendor;
    case CL_DEVICE_VERSION:
      return profile().version;
    case CL_DEVICE_OPENCL_C_VERSION:
      return profile().c_version;
    case CL_DEVICE_EXTENSIONS:
      return profile().extensions ? extensions(device) : "";
    default:
      return {};
  }
}

void limit_answer(cl_device_info name, void *value, size_t written) {
  const Profile &now = profile();
  switch (name) {
    case CL_DEVICE_TYPE:
      if (now.type || std::getenv("GLCL_TEST_GPU"))
        *static_cast<cl_device_type *>(value) = now.type ? now.type : CL_DEVICE_TYPE_GPU;
      break;
    case CL_DEVICE_LOCAL_MEM_SIZE:
      limit(value, written, now.local_bytes);
      break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      limit(value, written, now.group_items);
      break;
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      for (size_t i = 0; i < 3; i++)
        limit(static_cast<size_t *>(value) + i, sizeof(size_t), now.sides.at(i));
      break;
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      if (now.compute_units) *static_cast<cl_uint *>(value) = now.compute_units;
      break;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      limit(value, written, now.allocation_bytes);
      break;
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      limit(value, written, now.argument_bytes);
      break;
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
      limit(value, written, now.image_width);
      break;
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
      limit(value, written, now.image_height);
      break;
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      limit(value, written, now.image_array);
      break;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      if (now.base_alignment) *static_cast<cl_uint *>(value) = now.base_alignment;
      break;
    case CL_DEVICE_SINGLE_FP_CONFIG:
      if (!now.correctly_rounded)
        *static_cast<cl_device_fp_config *>(value) &=
            ~cl_ulong(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
      if (glcl_layer::lacks_function(now, "fma"))
        *static_cast<cl_device_fp_config *>(value) &= ~cl_ulong(CL_FP_FMA);
      break;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      if (!now.doubles) *static_cast<cl_device_fp_config *>(value) = 0;
      break;
    default:
      break;
  }
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                               size_t *size_ret) {
  if (!replaces(device)) {
    const cl_int status = target.clGetDeviceInfo(device, name, size, value, size_ret);
    if (!status && value && name == CL_DEVICE_TYPE && std::getenv("GLCL_TEST_GPU"))
      *static_cast<cl_device_type *>(value) = CL_DEVICE_TYPE_GPU;
    return status;
  }
  const std::string text = text_of(device, name);
  if (!text.empty()) return answer(text, size, value, size_ret);
  size_t written = 0;
  const cl_int status = target.clGetDeviceInfo(device, name, size, value, &written);
  if (size_ret) *size_ret = written;
  if (status || !value) return status;
  limit_answer(name, value, written);
  if (name == CL_DEVICE_NAME && std::getenv("GLCL_TEST_NAME")) *static_cast<char *>(value) = '\xe9';
  const std::string lacking = lacks(device);
  if (lacking.empty()) return CL_SUCCESS;
  if (name == CL_DEVICE_TYPE) *static_cast<cl_device_type *>(value) = CL_DEVICE_TYPE_GPU;
  if ((lacking == "compiler" && name == CL_DEVICE_COMPILER_AVAILABLE) ||
      (lacking == "images" && name == CL_DEVICE_IMAGE_SUPPORT))
    *static_cast<cl_bool *>(value) = CL_FALSE;
  if (lacking == "items" && name == CL_DEVICE_MAX_WORK_GROUP_SIZE)
    limit<size_t>(value, written, 64);
  if (lacking == "local" && name == CL_DEVICE_LOCAL_MEM_SIZE)
    limit<cl_ulong>(value, written, 1 << 10);
  return CL_SUCCESS;
}

cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info name, size_t size,
                                 void *value, size_t *size_ret) {
  if (std::getenv("GLCL_PROFILE_DEVICE"))  // the platform has other devices, too
    return target.clGetPlatformInfo(platform, name, size, value, size_ret);
  const std::string text = name == CL_PLATFORM_NAME      ? profile().platform
                           : name == CL_PLATFORM_VERSION ? profile().version
                           : name == CL_PLATFORM_VENDOR  ? profile().vendor
                                                         : std::string();
  return text.empty() ? target.clGetPlatformInfo(platform, name, size, value, size_ret)
                      : answer(text, size, value, size_ret);
}

cl_int CL_API_CALL group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info name,
                              size_t size, void *value, size_t *size_ret) {
  const cl_int status =
      target.clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
  if (!status && name == CL_KERNEL_WORK_GROUP_SIZE && replaces(device))
    limit(value, sizeof(size_t), profile().kernel_items);
  return status;
}

cl_int CL_API_CALL formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                           cl_uint entries, cl_image_format *list, cl_uint *count) {
  if (!replaces(context))
    return target.clGetSupportedImageFormats(context, flags, type, entries, list, count);
  cl_uint all = 0;
  cl_int status = target.clGetSupportedImageFormats(context, flags, type, 0, nullptr, &all);
  std::vector<cl_image_format> known(all);
  if (!status && all)
    status = target.clGetSupportedImageFormats(context, flags, type, all, known.data(), nullptr);
  if (status) return status;
  const auto &missing = profile().missing_formats;
  known.erase(std::remove_if(known.begin(), known.end(),
                             [&](const cl_image_format &one) {
                               return std::find(missing.begin(), missing.end(),
                                                glcl_layer::format_name(one)) != missing.end();
                             }),
              known.end());
  if (list) std::copy_n(known.begin(), std::min<size_t>(entries, known.size()), list);
  if (count) *count = static_cast<cl_uint>(known.size());
  return CL_SUCCESS;
}

/// Why the device has no such image; CL_SUCCESS: it has.
cl_int image_obstacle(const cl_image_format &format, const cl_image_desc &image) {
  const std::string name = glcl_layer::format_name(format);
  const auto &missing = profile().missing_formats;
  if (std::find(missing.begin(), missing.end(), name) != missing.end())
    return refuse(CL_IMAGE_FORMAT_NOT_SUPPORTED, "an image of " + name);
  const bool array = image.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  const auto exceeds = [](size_t size, size_t most) { return most && size > most; };
  if (exceeds(image.image_width, profile().image_width) ||
      exceeds(image.image_height, profile().image_height) ||
      (array && exceeds(image.image_array_size, profile().image_array)))
    return refuse(CL_INVALID_IMAGE_SIZE, "an image of " + std::to_string(image.image_width) + "×" +
                                             std::to_string(image.image_height) + "×" +
                                             std::to_string(image.image_array_size));
  return CL_SUCCESS;
}

cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                const cl_image_format *format, const cl_image_desc *image,
                                void *host, cl_int *error) {
  const cl_int status =
      format && image && replaces(context) ? image_obstacle(*format, *image) : CL_SUCCESS;
  if (!status) return target.clCreateImage(context, flags, format, image, host, error);
  if (error) *error = status;
  return nullptr;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                 cl_int *error) {
  const cl_ulong most = profile().allocation_bytes;
  if (!most || size <= most || !replaces(context))
    return target.clCreateBuffer(context, flags, size, host, error);
  if (error)
    *error = refuse(CL_INVALID_BUFFER_SIZE, "a buffer of " + std::to_string(size) + " bytes");
  return nullptr;
}

cl_mem CL_API_CALL create_part(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                               const void *part, cl_int *error) {
  const size_t alignment = profile().base_alignment / 8;
  const size_t origin = static_cast<const cl_buffer_region *>(part)->origin;
  cl_context context = nullptr;
  target.clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr);
  if (!alignment || origin % alignment == 0 || !replaces(context))
    return target.clCreateSubBuffer(buffer, flags, type, part, error);
  if (error)
    *error = refuse(CL_MISALIGNED_SUB_BUFFER_OFFSET,
                    "a part of a buffer from byte " + std::to_string(origin) + " on");
  return nullptr;
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                      const size_t *lengths, cl_int *error) {
  std::string source;
  for (cl_uint i = 0; i < count; i++)
    source += lengths && lengths[i] ? std::string(texts[i], lengths[i]) : std::string(texts[i]);
  const std::string refused =
      replaces(context) ? glcl_layer::refused_source(profile(), source) : "";
  const std::string before = replaces(context) ? glcl_layer::before_source(profile()) : "";
  if (refused.empty() && before.empty())
    return target.clCreateProgramWithSource(context, count, texts, lengths, error);
  if (refused.empty()) {
    const std::string whole = before + source;
    const char *text = whole.c_str();
    return target.clCreateProgramWithSource(context, 1, &text, nullptr, error);
  }
  if (error) *error = refuse(CL_INVALID_VALUE, "a program with " + refused);
  return nullptr;
}

cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options,
                         void(CL_CALLBACK *notify)(cl_program program, void *data), void *data) {
  cl_context context = nullptr;
  target.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr);
  const std::string refused =
      replaces(context) ? glcl_layer::refused_options(profile(), options ? options : "") : "";
  if (!refused.empty()) return refuse(CL_INVALID_BUILD_OPTIONS, "the option " + refused);
  return target.clBuildProgram(program, count, devices, options, notify, data);
}

cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  {
    const std::lock_guard lock(mutex);
    KernelArguments &known = arguments[kernel];
    known.bytes[index] = value ? size : sizeof(cl_uint);
    known.local_pointer |= !value && size > sizeof(cl_mem);
  }
  return target.clSetKernelArg(kernel, index, size, value);
}

cl_int CL_API_CALL release(cl_kernel kernel) {
  cl_uint count = 0;
  target.clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, nullptr);
  const std::lock_guard lock(mutex);
  if (count == 1) arguments.erase(kernel);
  return target.clReleaseKernel(kernel);
}

/// The largest group of a kernel: with a required size that of the device.
size_t most_items(cl_kernel kernel, cl_device_id device) {
  size_t required[3] = {};
  target.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                  sizeof required, required, nullptr);
  return required[0] ? profile().group_items
                     : std::min(profile().group_items, profile().kernel_items);
}

/// Why the device can't run a launch; CL_SUCCESS: it can.
cl_int launch_obstacle(cl_kernel kernel, cl_device_id device, cl_uint dimensions,
                       const size_t *global, const size_t *local) {
  char name[64] = "";
  target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  cl_ulong local_bytes = 0;
  size_t argument_bytes = 0, items = 1;
  target.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes,
                                  &local_bytes, nullptr);
  {
    const std::lock_guard lock(mutex);
    const KernelArguments &known = arguments[kernel];
    if (known.local_pointer) local_bytes += profile().driver_local_bytes;
    for (const auto &[index, bytes] : known.bytes) argument_bytes += bytes;
  }
  for (cl_uint i = 0; local && i < dimensions; i++) {
    items *= local[i];
    if (local[i] > profile().sides.at(i))
      return refuse(
          CL_INVALID_WORK_ITEM_SIZE,
          std::string(name) + " with " + std::to_string(local[i]) + " work-items in a row");
    if (global[i] % local[i])
      return refuse(CL_INVALID_WORK_GROUP_SIZE, std::string(name) + " with parts of a group");
  }
  if (items > most_items(kernel, device))
    return refuse(CL_INVALID_WORK_GROUP_SIZE,
                  std::string(name) + " with " + std::to_string(items) + " work-items in a group");
  if (local_bytes > profile().local_bytes)
    return refuse(CL_OUT_OF_RESOURCES, std::string(name) + " with " + std::to_string(local_bytes) +
                                           " bytes of local memory");
  if (profile().argument_bytes && argument_bytes > profile().argument_bytes)
    return refuse(CL_OUT_OF_RESOURCES, std::string(name) + " with " +
                                           std::to_string(argument_bytes) + " bytes of arguments");
  return CL_SUCCESS;
}

cl_int CL_API_CALL enqueue(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint count, const cl_event *wait, cl_event *event) {
  cl_device_id device = nullptr;
  target.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
  const cl_int status =
      replaces(device) ? launch_obstacle(kernel, device, dimensions, global, local) : CL_SUCCESS;
  return status ? status
                : target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local,
                                                count, wait, event);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl another device", parameter, size, value, size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = glcl_layer::take_dispatch(entries, before, target);
  profile();
  layer = target;
  layer.clGetDeviceInfo = device_info;
  layer.clGetPlatformInfo = platform_info;
  layer.clGetKernelWorkGroupInfo = group_info;
  layer.clGetSupportedImageFormats = formats;
  layer.clCreateImage = create_image;
  layer.clCreateBuffer = create_buffer;
  layer.clCreateSubBuffer = create_part;
  layer.clCreateProgramWithSource = create_program;
  layer.clBuildProgram = build;
  layer.clSetKernelArg = set_argument;
  layer.clReleaseKernel = release;
  layer.clEnqueueNDRangeKernel = enqueue;
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
