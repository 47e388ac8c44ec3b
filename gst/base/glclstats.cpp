// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclstats.h"

namespace glcl {

GstStructure *Stats::structure() const {
  GstStructure *structure = gst_structure_new(
      "glcl-stats", "frames", G_TYPE_UINT64, frames, "device", G_TYPE_STRING, device.c_str(),
      "sharing", G_TYPE_STRING, method ? method->name : "auto", "copies", G_TYPE_UINT64,
      copies->load(), "dropped", G_TYPE_UINT64, dropped, "latency", G_TYPE_UINT64, latency.mean(),
      "latency-max", G_TYPE_UINT64, latency.max, nullptr);
  for (const auto &[name, timing] : timings)
    gst_structure_set(structure, (name + "-mean").c_str(), G_TYPE_UINT64, timing.mean(),
                      (name + "-max").c_str(), G_TYPE_UINT64, timing.max, nullptr);
  return structure;
}

}  // namespace glcl
