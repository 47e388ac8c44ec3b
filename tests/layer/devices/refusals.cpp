// SPDX-License-Identifier: LGPL-2.1-or-later
// A simulated device refuses all that exceeds its profile. GLCL_DEVICE_PROFILE is opencl-minimum.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "profile.h"

namespace {

int failures = 0;

void expect(bool right, const std::string &text) {
  if (right) return;
  std::printf("wrong: %s\n", text.c_str());
  failures++;
}

void check_texts() {
  glcl_layer::Profile profile;
  profile.doubles = profile.halfs = profile.correctly_rounded = false;
  profile.version = "OpenCL 1.2 name";
  profile.extensions = {"cl_khr_fp16"};
  const auto source = [&](const char *text) { return glcl_layer::refused_source(profile, text); };
  expect(source("float doubled = 1.0f; // a double\n").empty(), "a comment is no type");
  expect(source("double4 sum;") == "double", "double4");
  expect(source("half value = 0;") == "half", "half");
  expect(source("vload_half4(0, p)").empty(), "halfs in memory need no extension");
  expect(source("#pragma OPENCL EXTENSION cl_khr_fp64 : enable") == "cl_khr_fp64", "extension");
  expect(source("#pragma OPENCL EXTENSION cl_khr_fp16 : enable").empty(), "known extension");
  const auto options = [&](const char *text) { return glcl_layer::refused_options(profile, text); };
  expect(options("-DA=1 -cl-mad-enable -cl-std=CL1.2").empty(), "options of OpenCL 1.2");
  for (const char *one :
       {"-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt", "-march=native"})
    expect(options((std::string("-DA ") + one).c_str()) == one, one);
  expect(profile.number() == 120, "number of the version");
  expect(glcl_layer::before_source(profile).empty(), "all functions compile");
  profile.missing_functions = {"fma", "sin"};
  expect(glcl_layer::before_source(profile) ==
             "#define fma this_device_has_no_fma\n#define sin this_device_has_no_sin\n#line 1\n",
         "missing functions");
  expect(glcl_layer::lacks_function(profile, "fma"), "a missing function");
  expect(!glcl_layer::lacks_function(profile, "cos"), "a function");
}

void check_memory(const cl::Context &context) {
  cl_int status = CL_SUCCESS;
  const auto image = [&](const cl::ImageFormat &format, size_t width, size_t height) {
    const cl::Image2D made(context, CL_MEM_READ_WRITE, format, width, height, 0, nullptr, &status);
    return status;
  };
  const cl::ImageFormat rgba{CL_RGBA, CL_UNORM_INT8}, r{CL_R, CL_UNORM_INT8};
  expect(image(rgba, 8192, 4) == CL_SUCCESS, "the widest image");
  expect(image(rgba, 8193, 4) == CL_INVALID_IMAGE_SIZE, "a wider image");
  expect(image(r, 4, 4) == CL_IMAGE_FORMAT_NOT_SUPPORTED, "an image of one channel");
  std::vector<cl::ImageFormat> formats;
  context.getSupportedImageFormats(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, &formats);
  for (const cl::ImageFormat &format : formats)
    expect(format.image_channel_order != CL_R || format.image_channel_data_type != CL_UNORM_INT8,
           "the list of formats");
  const cl::Buffer most(context, CL_MEM_READ_WRITE, size_t(128) << 20, nullptr, &status);
  expect(status == CL_SUCCESS, "the largest buffer");
  const cl::Buffer more(context, CL_MEM_READ_WRITE, (size_t(128) << 20) + 1, nullptr, &status);
  expect(status == CL_INVALID_BUFFER_SIZE, "a larger buffer");
  cl_buffer_region part{128, 64};
  cl::Buffer whole(most);
  whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
  expect(status == CL_SUCCESS, "an aligned part");
  part.origin = 64;
  whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
  expect(status == CL_MISALIGNED_SUB_BUFFER_OFFSET, "a part that is not aligned");
}

void check_launches(const cl::Context &context, const cl::Device &device) {
  const char *const text =
      "typedef struct { int numbers[200]; } Many;\n"
      "__kernel void free_group(__global int *out, __local int *tile, Many a, Many b) {\n"
      "  out[get_global_id(0)] = a.numbers[0] + b.numbers[0];\n"
      "}\n"
      "__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void fixed_group(__global int "
      "*out)"
      " { out[get_global_id(0)] = 1; }\n";
  cl::Program program(context, std::string(text));
  expect(program.build({device}, "-cl-std=CL2.0") == CL_INVALID_BUILD_OPTIONS, "OpenCL C 2.0");
  expect(program.build({device}, "") == CL_SUCCESS, "a program");
  const cl::CommandQueue queue(context, device);
  const cl::Buffer out(context, CL_MEM_READ_WRITE, 4096);
  cl::Kernel fixed(program, "fixed_group"), kernel(program, "free_group");
  fixed.setArg(0, out);
  expect(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device) == 64,
         "the kernel's largest group");
  kernel.setArg(0, out);
  struct {
    int numbers[200];
  } many{};
  const auto launch = [&](cl::Kernel &launched, size_t items, size_t group) {
    return queue.enqueueNDRangeKernel(launched, cl::NullRange, cl::NDRange(items),
                                      cl::NDRange(group));
  };
  expect(launch(fixed, 256, 256) == CL_SUCCESS, "a required group");
  kernel.setArg(1, cl::Local(1024));
  for (cl_uint i = 2; i < 4; i++) kernel.setArg(i, sizeof many, &many);
  expect(launch(kernel, 64, 64) == CL_OUT_OF_RESOURCES, "arguments of 1612 bytes");
  queue.finish();
}

/// The limits of groups and of local memory, by a kernel with few arguments.
void check_groups(const cl::Context &context, const cl::Device &device) {
  cl::Program program(context,
                      std::string("__kernel void few(__global int *out, __local int *tile) {\n"
                                  "  out[get_global_id(0)] = 1;\n}\n"));
  expect(program.build({device}, "") == CL_SUCCESS, "another program");
  const cl::CommandQueue queue(context, device);
  const cl::Buffer out(context, CL_MEM_READ_WRITE, 4096);
  cl::Kernel kernel(program, "few");
  kernel.setArg(0, out);
  const auto launch = [&](size_t items, size_t group, size_t local) {
    kernel.setArg(1, cl::Local(local));
    return queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items),
                                      cl::NDRange(group));
  };
  expect(launch(128, 64, 31 << 10) == CL_SUCCESS, "the largest group with the most local memory");
  expect(launch(128, 128, 64) == CL_INVALID_WORK_GROUP_SIZE, "a larger group");
  expect(launch(100, 64, 64) == CL_INVALID_WORK_GROUP_SIZE, "parts of a group");
  expect(launch(128, 64, 32 << 10) == CL_OUT_OF_RESOURCES, "more local memory");
  expect(launch(512, 512, 64) == CL_INVALID_WORK_ITEM_SIZE, "more items in a row");
  queue.finish();
}

}  // namespace

int main() {
  check_texts();
  const cl::Device device = cl::Device::getDefault();
  expect(device.getInfo<CL_DEVICE_NAME>() == "minimum of OpenCL 1.2", "the name");
  expect(device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU, "the type");
  expect(device.getInfo<CL_DEVICE_EXTENSIONS>().find("cl_khr_fp64") == std::string::npos,
         "the extensions");
  const cl::Context context(device);
  check_memory(context);
  check_launches(context, device);
  check_groups(context, device);
  std::printf("%d failures\n", failures);
  return failures > 0;
}
