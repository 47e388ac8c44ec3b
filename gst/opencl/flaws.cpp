// SPDX-License-Identifier: LGPL-2.1-or-later
#include "flaws.h"

#include "poclcache.h"

namespace glcl {

namespace {

/// Limits of the devices on which the elements are tested.
constexpr size_t least_items = 256, least_local_kib = 32;

/// The obstacle of a device, or else its warning.
std::string flaw(const Device &device) {
  const std::string first = obstacle(device);
  return first.empty() ? shortage(device) : first;
}

}  // namespace

std::string obstacle(const Device &device) {
  try {
    if (!device.device.getInfo<CL_DEVICE_AVAILABLE>())
      return "its driver reports it as unavailable";
    if (!device.device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) return "its driver has no compiler";
    if (!device.prefers_buffers() && !device.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>())
      return "it does not support images";
  } catch (const cl::Error &) {
    return {};  // no flaw is known
  }
  return is_pocl(device) ? pocl_cache_obstacle() : "";
}

std::string shortage(const Device &device) {
  try {
    const size_t items = device.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(),
                 local_kib = device.device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>() >> 10;
    if (items < least_items)
      return "its work-groups have " + std::to_string(items) +
             " work-items at most, but the elements need " + std::to_string(least_items);
    if (local_kib < least_local_kib)
      return "it has " + std::to_string(local_kib) +
             " KiB of local memory, but the elements need " + std::to_string(least_local_kib);
  } catch (const cl::Error &) {
    // no known obstacle
  }
  return {};
}

std::string flaws(const std::vector<Device> &devices) {
  std::string text;
  for (const Device &d : devices)
    if (const std::string found = flaw(d); !found.empty())
      text += (text.empty() ? "" : "; ") + d.id() + " " + d.name + ", " + found;
  return text;
}

bool is_sound(const Device &device) { return flaw(device).empty(); }

std::string passed_over(const std::vector<Device> &devices, const Device &chosen) {
  std::vector<Device> before;
  bool seen = false;
  for (const Device &d : devices) {
    seen |= d.device() == chosen.device();
    if (rank(d) < rank(chosen) || (rank(d) == rank(chosen) && !seen)) before.push_back(d);
  }
  return flaws(before);
}

int rank(const Device &device) {
  return device.type & CL_DEVICE_TYPE_GPU ? 0 : device.is_cpu() ? 1 : 2;
}

bool is_pocl(const Device &device) { return device.platform_name == "Portable Computing Language"; }

}  // namespace glcl
