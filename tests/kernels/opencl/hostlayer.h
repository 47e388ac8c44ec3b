// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared by the tests of the OpenCL host layer.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

#include "cases.h"
#include "opencl/context.h"
#include "opencl/drivers.h"
#include "opencl/error.h"

using glcl::Context;
using glcl::Device;
using glcl::Error;

/// The device that GLCL_TEST_DEVICE names.
inline Device test_device() {
  const char *wish = std::getenv("GLCL_TEST_DEVICE");
  return glcl::choose_device(glcl::devices(), wish ? wish : "auto");
}

/// The error that a call throws.
inline Error error_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error;
  }
  fail("no glcl::Error was thrown");
  return Error(Error::Kind::failed, "");
}

inline void check_string(const std::string &value, const std::string &expected) {
  fail_unless(value == expected, "\"%s\" is not \"%s\"", value.c_str(), expected.c_str());
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
