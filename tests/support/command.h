// SPDX-License-Identifier: LGPL-2.1-or-later
// Commands of other programs that tests compare with.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace test {

/// The output of a command; fails the test if the command fails.
std::vector<uint8_t> output_of(const std::string &command);
/// True if there is a program of this name; otherwise says that the case is skipped.
bool has_command(const std::string &name);

}  // namespace test
