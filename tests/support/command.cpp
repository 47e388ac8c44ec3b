// SPDX-License-Identifier: LGPL-2.1-or-later
#include "command.h"

#include <gst/check/gstcheck.h>

#include <cstdlib>

namespace test {

std::vector<uint8_t> output_of(const std::string &command) {
  std::vector<uint8_t> bytes;
  FILE *pipe = popen(command.c_str(), "r");
  fail_unless(pipe != nullptr, "%s", command.c_str());
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe))
    bytes.push_back(static_cast<uint8_t>(byte));
  fail_unless(pclose(pipe) == 0, "%s", command.c_str());
  return bytes;
}

bool has_command(const std::string &name) {
  if (!std::system(("command -v " + name + " >/dev/null").c_str())) return true;
  std::printf("SKIP: there is no %s\n", name.c_str());
  return false;
}

}  // namespace test
