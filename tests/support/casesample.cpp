// SPDX-License-Identifier: LGPL-2.1-or-later
// Cases for cases.sh: they print their process, and one fails.
#include "cases.h"

#include <unistd.h>

#include <cstdio>

namespace {

void print_process(const char *name) {
  std::printf("%s in %d of %d\n", name, getpid(), getppid());
  std::fflush(stdout);
}

}  // namespace

TEST(first) { print_process("first"); }
TEST(second) { print_process("second"); }
TEST_ALONE(alone) { print_process("alone"); }
TEST_LEAVING(leaving) { print_process("leaving"); }
TEST(fails) { fail_unless(1 + 1 == 3, "the reason"); }
TEST(last) { print_process("last"); }
static const test::Setup setup(nullptr, nullptr, [] { print_process("teardown"); });
