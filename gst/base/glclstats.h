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

/// What an element has done since PAUSED.
struct Stats {
  uint64_t frames = 0, dropped = 0;
  std::shared_ptr<sharing::Copies> copies = std::make_shared<sharing::Copies>(0);
  Timing latency;  ///< from a frame's arrival until it goes on
  std::string device;
  const sharing::SharingMethod *method = nullptr;
  std::map<std::string, Timing> timings;  ///< by kernel, and "frame"

  /// As the property `stats` tells it.
  GstStructure *structure() const;
};

}  // namespace glcl
