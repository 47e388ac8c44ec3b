// SPDX-License-Identifier: LGPL-2.1-or-later
// The file of costs that the manual takes its figures from (research/results/costs.json).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace glcl::bench {

/// Extracts the times of the variants in use on natural frames from the results for --json. Returns
/// a run: an object with `device`, `driver`, `command` and `costs`, a row per work and size.
nlohmann::ordered_json costs_of(const nlohmann::ordered_json &results, const std::string &command);

/// Adds a run to a file, which may be missing. It replaces rows of earlier runs on the same device
/// for the same work and size. Throws Error::settings.
void add_costs(const std::string &path, const nlohmann::ordered_json &run);

}  // namespace glcl::bench
