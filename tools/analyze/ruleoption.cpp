// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ruleoption.h"

#include <filesystem>

#include "opencl/error.h"
#include "rules/rulefile.h"
#include "task.h"

namespace glcl::analyze {

std::string rules_in(const std::string &path) try {
  const auto rules = rules::read_rules(std::filesystem::absolute(path).string());
  if (rules->has_times())
    throw Failure(path + ": files have no times of day; remove “active” from its zones");
  return Json::parse(rules->json).dump();
} catch (const Error &error) {
  throw Failure(error.detail().empty() ? error.what() : error.what() + (" " + error.detail()));
}

bool is_on_ground(const std::string &rules) {
  return !rules.empty() && rules::parse_rules(rules)->has_ground();
}

}  // namespace glcl::analyze
