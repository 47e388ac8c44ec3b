// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <mutex>
#include <string>

namespace glcl_layer {

/// Guards everything that the layer knows. Never held while a driver is called.
std::mutex &state_mutex();

/// Prints `glcl-checker: CALL: OBJECT: RULE` on stderr and makes the process exit with status 99,
/// or abort at once with GLCL_CHECKER=abort.
void violation(const std::string &call, const std::string &object, const std::string &rule);

std::string hex(const void *handle);

}  // namespace glcl_layer
