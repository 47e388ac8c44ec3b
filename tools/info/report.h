// SPDX-License-Identifier: LGPL-2.1-or-later
// The findings of glcl-info: gathered into a Report first and then only shown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glcl::info {

/// Environment variables that make GStreamer draw without a display.
inline constexpr std::pair<const char *, const char *> headless_variables[] = {
    {"GST_GL_PLATFORM", "egl"}, {"GST_GL_WINDOW", "egl-device"}};
/// The variables in shell syntax.
std::string headless_text();

struct DeviceInfo {
  std::string id;  ///< "P:D"
  std::string name, vendor, driver, version, type;
  unsigned compute_units = 0;
  uint64_t memory = 0, max_allocation = 0;  ///< bytes
  bool images = false;
  uint64_t max_image_width = 0, max_image_height = 0;  ///< pixels
  std::string obstacle, shortage;                      ///< see opencl/flaws.h
};

struct PlatformInfo {
  size_t index;
  std::string name, vendor, version;
  std::string hint;  ///< the remedy if it has no device
  std::vector<DeviceInfo> devices;
};

/// A GL context and a device, with the reason why each method can't be used; empty if it can. In
/// the order of sharing::SharingMethod::all.
struct Pair {
  std::string device;
  std::vector<std::string> reasons;
  std::vector<std::string> forms;  ///< forms of memory of the methods that have several
};

/// The choice of an element with sharing=auto device=auto.
struct Automatic {
  std::string device, name, method;
  std::string fallback_reason;
  std::string error;  ///< set instead of the other fields if no choice is possible
};

struct ContextInfo {
  std::string api, version, vendor, renderer, platform, display;
  bool is_default = false;  ///< GStreamer's default API
  std::vector<Pair> pairs;
  Automatic automatic;
};

struct MissingApi {
  std::string api, reason;
};

struct Report {
  std::vector<ContextInfo> contexts;
  std::vector<MissingApi> missing;
  bool needs_variables = false;  ///< no context without headless_variables
  std::string gl_error;          ///< why there is no context in the environment as it is
  std::string headless_error;    ///< why it fails with headless_variables too
  std::vector<PlatformInfo> platforms;
  std::vector<std::string> remedies;
  std::string gstreamer;  ///< its version

  bool has_device() const {
    return std::any_of(platforms.begin(), platforms.end(),
                       [](const PlatformInfo &p) { return !p.devices.empty(); });
  }
  bool has_usable_device() const {
    for (const PlatformInfo &p : platforms)
      for (const DeviceInfo &device : p.devices)
        if (device.obstacle.empty()) return true;
    return false;
  }
  bool usable() const { return has_usable_device() && !contexts.empty(); }
};

/// Creates the contexts and queries the drivers. GStreamer must be initialised.
Report gather();

void print_text(const Report &report);
void print_json(const Report &report);

}  // namespace glcl::info
