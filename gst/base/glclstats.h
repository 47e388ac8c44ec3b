// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "opencl/queue.h"
#include "sharing/sharing.h"

namespace glcl {

/// Statistics of an element since PAUSED.
struct Stats {
  uint64_t frames = 0, dropped = 0;
  std::shared_ptr<sharing::Copies> copies = std::make_shared<sharing::Copies>(0);
  Timing latency;  ///< from the arrival of a frame until it is pushed
  std::string device;
  const sharing::SharingMethod *method = nullptr;
  std::map<std::string, Timing> timings;  ///< by kernel, and "frame"

  /// The value of the property `stats`.
  GstStructure *structure() const;
};

}  // namespace glcl
