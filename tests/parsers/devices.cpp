// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties device and devices: the chosen device is the requested one, and an error quotes a
// request that fails.
#include <algorithm>
#include <vector>

#include "motion/devicepool.h"
#include "opencl/device.h"
#include "opencl/error.h"
#include "parser.h"

namespace {

std::vector<glcl::Device> listed() {
  std::vector<glcl::Device> all;
  for (const auto &[platform, index, name, type] :
       {std::tuple{0, 0, "Accelerator", CL_DEVICE_TYPE_ACCELERATOR},
        {1, 0, "CPU Model 1", CL_DEVICE_TYPE_CPU},
        {1, 1, "GPU 9000", CL_DEVICE_TYPE_GPU},
        {12, 0, "GPU 9000 Ti", CL_DEVICE_TYPE_GPU}}) {
    glcl::Device device;
    device.platform_index = platform;
    device.device_index = index;
    device.name = name;
    device.type = type;
    all.push_back(device);
  }
  return all;
}

template <class Choose>
void read(const std::string &wish, const Choose &choose) {
  try {
    choose();
  } catch (const glcl::Error &error) {
    check(error.kind() == glcl::Error::Kind::not_found &&
              std::string(error.what()).find(glcl::utf8(wish)) != std::string::npos,
          wish + " is not named by: " + error.what());
  }
}

bool is_place(const std::string &text) {
  return text.find_first_not_of("0123456789:") == std::string::npos &&
         std::count(text.begin(), text.end(), ':') == 1 && text.front() != ':' &&
         text.back() != ':';
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<glcl::Device> all = listed();
  // Properties end at a NUL. NOLINTNEXTLINE(readability-redundant-string-cstr)
  const std::string text = text_of(data, size).c_str();
  read(text, [&] {
    const glcl::Device chosen = glcl::choose_device(all, text);
    check(text.empty() || !is_place(text) || chosen.id() == text, text + " chose " + chosen.id());
  });
  read(text, [&] { check(glcl::motion::choose_devices(all, text).size() <= all.size(), text); });
  return 0;
}
