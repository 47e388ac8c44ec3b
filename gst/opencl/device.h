// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cl.h"

namespace glcl {

/// An OpenCL device with its position in the list of glcl-info.
struct Device {
  cl::Device device;
  cl::Platform platform;
  int platform_index = 0;  ///< among all platforms of the ICD loader
  int device_index = 0;    ///< among the platform's devices
  std::string name;
  std::string platform_name;
  cl_device_type type = 0;
  std::string extensions;  ///< list of the driver, with a space before and after each
  std::string driver;      ///< driver version

  std::string id() const;  ///< "P:D"
  bool has_extension(const std::string &extension) const {
    return extensions.find(" " + extension + " ") != std::string::npos;
  }
  bool is_cpu() const { return type & CL_DEVICE_TYPE_CPU; }
  /// True if kernels run faster on buffers than on images: CPU devices have no texture units.
  /// Mesa's rusticl is an exception because llvmpipe samples images with compiled code.
  bool prefers_buffers() const;
  /// Build options for its arithmetic: -DNO_FMA if it has no fused multiply-add, which OpenCL C's
  /// fma() then emulates, or lacks (llvmpipe).
  std::string options() const;
  /// Bytes of local memory available to a work-group: 1 KiB less than the device reports, because
  /// drivers use some of it (NVIDIA's 64 bytes per kernel with a pointer to it).
  size_t local_memory() const;
};

/// Every usable device of every platform; platforms without devices are skipped. Never throws:
/// without OpenCL the list is empty. `failures` receives the reasons why platforms or devices are
/// missing.
std::vector<Device> devices(std::string *failures = nullptr);

/// Why a platform of this name may offer no device, with the remedy.
std::string hint_without_devices(const std::string &platform_name);
/// The remedy if devices() is empty: hints for the platforms that the ICD loader lists without
/// devices; without platforms, the packages to install.
std::string remedy_without_devices();

/// Picks a device by the rules of the `device` property: "auto" (the one that runs the GL context,
/// else the first GPU, else the first CPU, else the first), "P:D", else part of the name, ignoring
/// case. Throws Error::not_found with the request, the available devices, and the failures from
/// devices().
Device choose_device(const std::vector<Device> &devices, const std::string &wish,
                     const std::optional<Device> &gl_device = {}, const std::string &failures = {});

/// The same from all devices.
Device choose_device(const std::string &wish);

}  // namespace glcl
