// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>

#include "drivers.h"
#include "error.h"
#include "flaws.h"
#include "loader.h"
#include "poclcache.h"
#include "processexit.h"

namespace glcl {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// True if a text has the form "P:D".
bool is_place(const std::string &text) {
  const size_t colon = text.find(':');
  const auto digits = [&](size_t from, size_t to) {
    return from < to && text.find_first_not_of("0123456789", from) >= to;
  };
  return colon != std::string::npos && digits(0, colon) && digits(colon + 1, text.size());
}

std::string list(const std::vector<Device> &devices) {
  std::string text;
  for (const Device &d : devices) text += (text.empty() ? "" : ", ") + d.id() + " " + d.name;
  return text;
}

/// Lock for queries of drivers. The first query initialises a driver. PoCL 3.1 lists no device, or
/// crashes, if a second thread queries meanwhile.
std::mutex &asking() {
  static std::mutex mutex;
  return mutex;
}

/// Describes the value of an environment variable for an error text; empty if it is not set.
std::string setting_of(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? std::string(variable) + "=" + value : "";
}

bool offers_devices(const cl::Platform &platform) {
  try {
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    return !devices.empty();
  } catch (const cl::Error &) {
    return false;
  }
}

}  // namespace

std::string Device::id() const {
  return std::to_string(platform_index) + ":" + std::to_string(device_index);
}

bool Device::prefers_buffers() const { return is_cpu() && platform_name != "rusticl"; }

std::string Device::options() const {
  return device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_FMA ? "" : " -DNO_FMA";
}

size_t Device::local_memory() const {
  constexpr size_t reserved = 1024;
  const size_t all = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  return all > reserved ? all - reserved : 0;
}

std::vector<Device> devices(std::string *failures) {
  const std::lock_guard lock(asking());
  const auto failed = [&](const std::string &where, const char *call, int code) {
    if (failures)
      *failures += (failures->empty() ? "" : "; ") + where + call + ": " + error_name(code);
  };
  std::vector<Device> found;
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error &error) {
    failed("", error.what(), error.err());
    if (failures && !loader_obstacle().empty()) *failures += "; " + loader_obstacle();
    return found;  // the loader reports "no platform" as an error
  }
  for (size_t p = 0; p < platforms.size(); p++) {
    std::vector<cl::Device> of_platform;
    try {
      platforms[p].getDevices(CL_DEVICE_TYPE_ALL, &of_platform);
      if (of_platform.empty())
        failed("platform " + std::to_string(p) + ": ", "clGetDeviceIDs", CL_DEVICE_NOT_FOUND);
      for (size_t d = 0; d < of_platform.size(); d++) {
        found.push_back({of_platform[d], platforms[p], static_cast<int>(p), static_cast<int>(d),
                         utf8(of_platform[d].getInfo<CL_DEVICE_NAME>()),
                         utf8(platforms[p].getInfo<CL_PLATFORM_NAME>()),
                         of_platform[d].getInfo<CL_DEVICE_TYPE>(),
                         " " + of_platform[d].getInfo<CL_DEVICE_EXTENSIONS>() + " ",
                         utf8(of_platform[d].getInfo<CL_DRIVER_VERSION>())});
      }
    } catch (const cl::Error &error) {
      failed("platform " + std::to_string(p) + ": ", error.what(), error.err());
    }
  }
  static std::once_flag loaded;
  std::call_once(loaded, refuse_at_exit);
  wait_at_exit();
  return found;
}

std::string hint_without_devices(const std::string &platform_name) {
  if (platform_name == "Portable Computing Language")
    return "PoCL offers no device because it can't write to " + pocl_cache() + ": " +
           pocl_cache_remedy;
  if (platform_name == "rusticl") {
    const std::string now = setting_of("RUSTICL_ENABLE");
    return "rusticl offers only devices whose driver RUSTICL_ENABLE names" +
           (now.empty() ? "" : " (now " + now + ")") +
           ", for example RUSTICL_ENABLE=radeonsi,iris,llvmpipe";
  }
  return platform_name + " offers no device: is the device present, and may this user open it?";
}

std::string remedy_without_devices() {
  if (!loader_obstacle().empty())
    return std::string(
               "The OpenCL loader libOpenCL.so.1 can't be opened. Install the package "
               "ocl-icd-libopencl1. ") +
           install_remedy();
  const std::lock_guard lock(asking());
  std::string hints;
  try {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const cl::Platform &platform : platforms)
      if (!offers_devices(platform))
        hints += (hints.empty() ? "" : "; ") +
                 hint_without_devices(platform.getInfo<CL_PLATFORM_NAME>());
  } catch (const cl::Error &) {
    // the loader reports "no platform" as an error
  }
  const std::string vendors = setting_of("OCL_ICD_VENDORS");
  const std::string only =
      vendors.empty() ? "" : " The loader only looks for drivers in " + vendors + ".";
  if (!hints.empty()) return hints + (hints.back() == '?' ? "" : ".") + only;
  return install_remedy() + only;
}

Device choose_device(const std::vector<Device> &devices, const std::string &wish,
                     const std::optional<Device> &gl_device, const std::string &failures) {
  if (devices.empty())
    throw Error(Error::Kind::not_found, "No OpenCL device was found. " + remedy_without_devices(),
                "the ICD loader lists no platform with a usable device (see glcl-info)" +
                    (failures.empty() ? "" : ": " + failures));

  if (wish.empty() || wish == "auto") {
    if (gl_device) return *gl_device;
    const Device *best = nullptr;
    for (const Device &d : devices)
      if ((!best || rank(d) < rank(*best)) && is_sound(d)) best = &d;
    if (best) return *best;
    const bool pocl = std::any_of(devices.begin(), devices.end(), is_pocl);
    throw Error(Error::Kind::not_found,
                "No OpenCL device can run the elements: " + flaws(devices) + "." +
                    (pocl ? "" : " " + install_remedy()),
                failures);
  }

  const bool place = is_place(wish);
  for (const Device &d : devices)
    if (place ? d.id() == wish : lower(d.name).find(lower(wish)) != std::string::npos) {
      const std::string found = obstacle(d);
      if (found.empty()) return d;
      throw Error(Error::Kind::not_found,
                  "device=\"" + wish + "\", " + d.name + ", can't run the elements: " + found + ".",
                  failures);
    }

  throw Error(Error::Kind::not_found,
              "device=\"" + wish +
                  "\" matches no OpenCL device. Use auto, or P:D or part of the name of one of: " +
                  list(devices) + ".",
              failures);
}

Device choose_device(const std::string &wish) {
  std::string failures;
  const std::vector<Device> all = devices(&failures);
  return choose_device(all, wish, {}, failures);
}

}  // namespace glcl
