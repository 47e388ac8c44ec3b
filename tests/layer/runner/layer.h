// SPDX-License-Identifier: LGPL-2.1-or-later
// The layer that this process runs under.
#pragma once

#include <map>
#include <string>

#include "../control.h"

namespace runner {

/// Its functions.
struct Layer {
  Layer();
  decltype(&glcl_layer_plan) plan;
  decltype(&glcl_layer_counts) counts;
  decltype(&glcl_layer_injected) injected;
  decltype(&glcl_layer_objects) objects;
  decltype(&glcl_layer_violations) violations;
};

const Layer &layer();

/// Calls since the last plan, by function.
using Counts = std::map<std::string, long>;
Counts counts();

}  // namespace runner
