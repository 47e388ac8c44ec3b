// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenario.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace runner {

Options options;

namespace {

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::vector<Scenario> read_list(const char *path) {
  std::vector<Scenario> scenarios;
  const std::string list = path, folder = list.substr(0, list.rfind('/') + 1);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    for (size_t at; (at = line.find("HERE/")) != std::string::npos;) line.replace(at, 5, folder);
    for (size_t at; (at = line.find("DEVICES")) != std::string::npos;)
      line.replace(at, 7, std::getenv("GLCL_DEVICES"));
    Scenario scenario;
    scenario.name = line.substr(0, line.find(':'));
    std::istringstream parts(line.substr(line.find(':') + 1));
    std::string part;
    std::getline(parts, part, ';');
    scenario.elements = trimmed(part);
    while (std::getline(parts, part, ';')) {
      const size_t colon = part.find(':'), dot = part.find('.'), equals = part.find('=');
      scenario.changes.push_back({std::atoi(part.c_str()),
                                  trimmed(part.substr(colon + 1, dot - colon - 1)),
                                  part.substr(dot + 1, equals - dot - 1), part.substr(equals + 1)});
    }
    if (options.names.empty() ||
        std::count(options.names.begin(), options.names.end(), scenario.name))
      scenarios.push_back(scenario);
  }
  return scenarios;
}

}  // namespace runner
