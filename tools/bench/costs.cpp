// SPDX-License-Identifier: LGPL-2.1-or-later
#include "costs.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "opencl/error.h"
#include "text.h"

namespace glcl::bench {

namespace {

using Json = nlohmann::ordered_json;

/// Rounds to 0.1 µs below 100 µs, else to 1 µs; more digits are noise.
double rounded(double microseconds) {
  return microseconds < 100 ? std::round(microseconds * 10) / 10 : std::round(microseconds);
}

bool is_same_work(const Json &a, const Json &b) {
  return a["element"] == b["element"] && a["work"] == b["work"] && a["size"] == b["size"];
}

Json read_runs(const std::string &path) {
  std::ifstream file(path);
  if (!file) return Json::array();
  Json runs = Json::parse(file, nullptr, false);
  const auto is_run = [](const Json &run) {
    return run.is_object() && run.contains("device") && run.contains("costs") &&
           run["costs"].is_array();
  };
  if (!runs.is_array() || !std::all_of(runs.begin(), runs.end(), is_run))
    throw Error(Error::Kind::settings, path + " is not a file of costs. Give another name.");
  return runs;
}

template <class Drop>
void drop_if(Json &list, const Drop &drop) {
  for (size_t i = list.size(); i-- > 0;)
    if (drop(list[i])) list.erase(i);
}

}  // namespace

Json costs_of(const Json &results, const std::string &command) {
  Json run{{"device", results["device"]},
           {"driver", results["driver"]},
           {"command", command},
           {"costs", Json::array()}};
  for (const Json &row : results["results"])
    if (row["in-use"] == true && row["content"] == "natural" && row.contains("wall-us"))
      run["costs"].push_back({{"element", row["element"]},
                              {"work", row["work"]},
                              {"size", std::to_string(row["width"].get<int>()) + "x" +
                                           std::to_string(row["height"].get<int>())},
                              {"wall-us", rounded(row["wall-us"])},
                              {"events-us", rounded(row["events-us"])}});
  return run;
}

void add_costs(const std::string &path, const Json &run) {
  Json runs = read_runs(path);
  for (Json &earlier : runs)
    if (earlier["device"] == run["device"])
      drop_if(earlier["costs"], [&](const Json &row) {
        return std::any_of(run["costs"].begin(), run["costs"].end(),
                           [&](const Json &newer) { return is_same_work(row, newer); });
      });
  drop_if(runs, [](const Json &earlier) { return earlier["costs"].empty(); });
  runs.push_back(run);

  // Write one row per line.
  std::ofstream file = open_file(path);
  file << '[';
  for (size_t i = 0; i < runs.size(); i++) {
    file << (i ? ",\n{" : "\n{");
    for (const auto &[name, value] : runs[i].items())
      if (name != "costs") file << Json(name) << ": " << value << ", ";
    file << "\"costs\": [";
    const Json &costs = runs[i]["costs"];
    for (size_t k = 0; k < costs.size(); k++) file << (k ? ",\n  " : "\n  ") << costs[k];
    file << "\n]}";
  }
  file << "\n]\n";
}

}  // namespace glcl::bench
