// SPDX-License-Identifier: LGPL-2.1-or-later
// tuning.json: an accepted entry is a variant of the kernel.
#include "opencl/tuning.h"

#include <glib.h>

#include <algorithm>

#include "parser.h"

namespace {

/// Without kernel files: the checksum that its entries need never changes.
const glcl::Tunable tunable = {
    "any",
    {"problem"},
    {},
    {{"form", {0, 1, 2}}, {"step", {-1, 1, 2147483647}}},
    [](const glcl::Device &, const std::string &) {
      return glcl::Parameters{{"form", 0}, {"step", 1}};
    },
    [](const glcl::Device &, const std::string &, const glcl::Parameters &parameters) {
      return parameters.at("form") != 2;
    }};

glcl::Device device() {
  g_log_set_default_handler([](const gchar *, GLogLevelFlags, const gchar *, gpointer) {}, nullptr);
  glcl::Device device;
  device.name = "device";
  device.platform_name = "platform";
  device.driver = "1.0";
  return device;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const glcl::Device any = device();
  const auto tuning = glcl::parse_tuning(text_of(data, size), "the text", tunable, any, "problem");
  if (!tuning) return 0;
  const auto all = glcl::variants(tunable, any, "problem");
  check(std::find(all.begin(), all.end(), tuning->parameters) != all.end(),
        "the kernel has no variant " + glcl::describe(tuning->parameters));
  return 0;
}
