// SPDX-License-Identifier: LGPL-2.1-or-later
// The pattern of dump-location: an accepted one gives the file names that printf gives.
#include "opticalflow/dump.h"

#include "opencl/error.h"
#include "parser.h"

using glcl::opticalflow::dump_path;
using glcl::opticalflow::is_dump_pattern;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text = text_of(data, size);
  if (!is_dump_pattern(text)) {
    try {
      dump_path(text, 0);
    } catch (const glcl::Error &error) {
      check(std::string(error.what()).find("dump-location=") == 0, error.what());
      return 0;
    }
    check(false, text + " is no pattern and gives a path");
  }
  for (const int number : {0, 7, 12345, 2147483647}) {
    const std::string path = dump_path(text, static_cast<uint64_t>(number));
    std::string wanted(text.size() + 32, '\0');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(wanted.data(), wanted.size(), text.c_str(), number);
#pragma GCC diagnostic pop
    check(length >= 0 && static_cast<size_t>(length) < wanted.size(), text + " grows");
    wanted.resize(static_cast<size_t>(length));
    check(path == wanted, text + " gives " + path + " instead of " + wanted);
  }
  return 0;
}
