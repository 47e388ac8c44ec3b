// SPDX-License-Identifier: LGPL-2.1-or-later
// What a device does well: the micro-benchmarks of Lanes ("Image and video processing using
// graphics hardware", 2010), each in its variants.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "opencl/context.h"

namespace glcl::bench {

struct DeviceTime {
  double microseconds = 0, rate = 0;
};

struct DeviceLine {
  std::string what, variant, unit;  ///< "vector loads", "float4", "GB/s"
  std::function<DeviceTime(const std::shared_ptr<Context> &)> measure;
};

const std::vector<DeviceLine> &device_lines();

}  // namespace glcl::bench
