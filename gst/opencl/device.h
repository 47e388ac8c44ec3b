// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cl.h"

namespace glcl {

/// An OpenCL device with its place in the list that glcl-info prints.
struct Device {
  cl::Device device;
  cl::Platform platform;
  int platform_index = 0;  ///< among all platforms of the ICD loader
  int device_index = 0;    ///< among the platform's devices
  std::string name;
  std::string platform_name;
  cl_device_type type = 0;
  std::string extensions;  ///< as the driver lists them, a space before and after each
  std::string driver;      ///< its version

  std::string id() const;  ///< "P:D"
  bool has_extension(const std::string &extension) const {
    return extensions.find(" " + extension + " ") != std::string::npos;
  }
  bool is_cpu() const { return type & CL_DEVICE_TYPE_CPU; }
  /// Whether kernels run faster on buffers than on images here: CPU devices have no texture units.
  /// Mesa's rusticl is the exception, its llvmpipe samples images with compiled code.
  bool prefers_buffers() const;
  /// Bytes of local memory that a work-group may ask for: 1 KiB less than the device says there is,
  /// since drivers use some of it themselves (NVIDIA's 64 bytes for each kernel that takes a
  /// pointer to it).
  size_t local_memory() const;
};

/// Every usable device of every platform; platforms without devices are skipped. Never throws:
/// without any OpenCL the list is empty. What kept a platform or device out of it goes to
/// `failures`.
std::vector<Device> devices(std::string *failures = nullptr);

/// Why a platform of this name may offer no device, and what to do about it.
std::string hint_without_devices(const std::string &platform_name);
/// What to do where devices() finds none: the hints for the platforms that the ICD loader lists
/// and that offer no device; where there is no such platform, what to install.
std::string remedy_without_devices();

/// Picks a device by the rules of the `device` property: "auto" (the one that drives the GL
/// context, else the first GPU, else the first CPU, else the first), "P:D", else a part of the
/// name, case ignored. Throws Error::not_found with what was asked for, what there is, and the
/// failures that devices() told.
Device choose_device(const std::vector<Device> &devices, const std::string &wish,
                     const std::optional<Device> &gl_device = {}, const std::string &failures = {});

/// The same from all devices that there are.
Device choose_device(const std::string &wish);

}  // namespace glcl
