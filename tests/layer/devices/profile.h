// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace glcl_layer {

/// An image format by the names of OpenCL without the prefix: "RGBA UNORM_INT8".
using FormatName = std::string;

/// The device that the layer simulates: limits and names that a driver reports. Without a file it
/// is a small device, and its driver's names remain.
struct Profile {
  cl_device_type type = 0;                   ///< 0: the driver's
  std::string name, vendor, platform;        ///< empty: the driver's
  std::string version, c_version;            ///< empty: the driver's
  size_t group_items = 256;                  ///< most work-items of a group
  std::vector<size_t> sides{256, 256, 256};  ///< most work-items of a group along each axis
  size_t kernel_items = 256;                 ///< most work-items of a kernel without required size
  cl_ulong local_bytes = 32 << 10;           ///< local memory of a group
  cl_ulong driver_local_bytes = 64;          ///< taken by the driver with a pointer to local memory
  cl_uint compute_units = 0;                 ///< 0: the driver's
  cl_ulong allocation_bytes = 0;             ///< of one allocation; 0: the driver's
  size_t argument_bytes = 0;                 ///< of all arguments of a kernel; 0: the driver's
  size_t image_width = 0, image_height = 0;  ///< 0: the driver's, like the next
  size_t image_array = 0;
  cl_uint base_alignment = 0;                  ///< bits; 0: the driver's
  bool correctly_rounded = true;               ///< CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
  bool doubles = true, halfs = true;           ///< types in kernels
  std::vector<std::string> missing_functions;  ///< built-in functions that do not compile
  /// Names of extensions, of which the driver's remain; unset: the driver's.
  std::optional<std::vector<std::string>> extensions;
  std::vector<FormatName> missing_formats;  ///< of images

  /// The major and minor version of OpenCL times 100 and 10: 120, 300; 0: the driver's.
  int number() const;
};

/// Reads a profile from a JSON file. Ends the process with a message for any other file, or if it
/// has an unknown key.
Profile read_profile(const char *path);

/// True if the device lacks this built-in function of OpenCL C.
bool lacks_function(const Profile &profile, const std::string &name);
/// Text to put before a source, so that missing functions do not compile.
std::string before_source(const Profile &profile);

/// The name of a format, empty if it is unknown.
FormatName format_name(const cl_image_format &format);

/// Why a device refuses a source of a program or its build options; empty: it takes them.
std::string refused_source(const Profile &profile, const std::string &source);
std::string refused_options(const Profile &profile, const std::string &options);

}  // namespace glcl_layer
