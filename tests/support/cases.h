// SPDX-License-Identifier: LGPL-2.1-or-later
// Cases of a test program: TEST(name) { … }. Each case registers itself in the program's suite.
// main() runs them in one process, which compiles the kernels once, up to the first failure. With
// CK_FORK=yes each case has its own process, so that the others run after a failure or a crash.
// GST_CHECKS selects cases; an unknown name is an error.
#pragma once

#include <gst/check/gstcheck.h>

#define TEST(name) GLCL_CASE(name, tidy, tcase_add_test(tcase, name))
/// A case for each number `__i__` from `first` to `end` − 1.
#define TEST_EACH(name, first, end) \
  GLCL_CASE(name, tidy, tcase_add_loop_test(tcase, name, first, end))
/// A case in its own process. It changes what a process has once: environment variables that
/// drivers read, types, or a state that other cases do not expect.
#define TEST_ALONE(name) GLCL_CASE(name, alone, tcase_add_test(tcase, name))
#define TEST_EACH_ALONE(name, first, end) \
  GLCL_CASE(name, alone, tcase_add_loop_test(tcase, name, first, end))
/// The same for a case that leaves objects of other libraries behind: the teardown of Setup is not
/// run.
#define TEST_LEAVING(name) GLCL_CASE(name, leaving, tcase_add_test(tcase, name))

#define GLCL_CASE(name, kind, add)                                     \
  static void name##_body(int __i__);                                  \
  GST_START_TEST(name) {                                               \
    if (!test::begin(#name)) return;                                   \
    name##_body(__i__);                                                \
    test::end();                                                       \
  }                                                                    \
  GST_END_TEST                                                         \
  static const test::Case name##_case(                                 \
      #name, [](TCase *tcase) -> void { add; }, test::CaseKind::kind); \
  static void name##_body([[maybe_unused]] int __i__)

namespace test {

enum class CaseKind { alone, tidy, leaving };

struct Case {
  Case(const char *name, void (*add)(TCase *), CaseKind kind);
};

/// Prints the name of a case, so that the output shows which one crashed or did not end. False if
/// an earlier case of this process failed, because it left things behind, for example a pipeline
/// that plays.
bool begin(const char *name);
/// Notes that the case has not failed.
void end();

/// Hooks of a program: before GStreamer is initialised, after that, and after each case.
struct Setup {
  explicit Setup(void (*before)(), void (*after)() = nullptr, void (*teardown)() = nullptr);
};

}  // namespace test
