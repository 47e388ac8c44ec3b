// SPDX-License-Identifier: LGPL-2.1-or-later
// Cases of a test program: TEST(name) { … }. Each case registers itself in the program's suite;
// main() runs each in its own process. GST_CHECKS selects cases; an unknown name is an error.
#pragma once

#include <gst/check/gstcheck.h>

#define TEST(name) GLCL_CASE(name, true, tcase_add_test(tcase, name))
/// A case for each number `__i__` from `first` to `end` − 1.
#define TEST_EACH(name, first, end) \
  GLCL_CASE(name, true, tcase_add_loop_test(tcase, name, first, end))
/// A case that leaves objects of other libraries behind: the teardown of Setup is not run.
#define TEST_LEAVING(name) GLCL_CASE(name, false, tcase_add_test(tcase, name))

#define GLCL_CASE(name, tidy, add)                     \
  static void name##_body(int __i__);                  \
  GST_START_TEST(name) { name##_body(__i__); }         \
  GST_END_TEST                                         \
  static const test::Case name##_case(                 \
      #name, [](TCase *tcase) -> void { add; }, tidy); \
  static void name##_body([[maybe_unused]] int __i__)

namespace test {

struct Case {
  Case(const char *name, void (*add)(TCase *), bool tidy);
};

/// Hooks of a program: before GStreamer is initialised, after that, and after each case.
struct Setup {
  explicit Setup(void (*before)(), void (*after)() = nullptr, void (*teardown)() = nullptr);
};

}  // namespace test
