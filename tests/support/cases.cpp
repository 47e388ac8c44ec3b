// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "film.h"

namespace {

struct Named {
  const char *name;
  void (*add)(TCase *);
  bool tidy;
};

struct Program {
  std::vector<Named> cases;
  std::vector<void (*)()> before, after, teardown;
};

Program &program() {
  static Program all;
  return all;
}

/// Ends the program if GST_CHECKS names an unknown case. Otherwise the program would run nothing
/// and pass.
void check_names() {
  gchar **names = g_strsplit(g_getenv("GST_CHECKS") ? g_getenv("GST_CHECKS") : "", ",", 0);
  for (gchar **name = names; *name; name++)
    if (std::none_of(program().cases.begin(), program().cases.end(),
                     [&](const Named &each) { return g_pattern_match_simple(*name, each.name); })) {
      std::fprintf(stderr, "GST_CHECKS names %s, which is no case of this program\n", *name);
      std::exit(EXIT_FAILURE);
    }
  g_strfreev(names);
}

}  // namespace

// Check writes each passed assertion to a file, to name the last one before a crash. In loops over
// pixels that took longer than the test itself. So the last four assertions are not written again.
extern "C" void _mark_point(const char *file, int line) {
  static const auto write =
      reinterpret_cast<decltype(&_mark_point)>(dlsym(RTLD_NEXT, "_mark_point"));
  thread_local std::array<std::pair<const char *, int>, 4> last;
  thread_local size_t next = 0;
  const std::pair point(file, line);
  if (std::find(last.begin(), last.end(), point) != last.end()) return;
  last[next++ % last.size()] = point;
  write(file, line);
}

test::Case::Case(const char *name, void (*add)(TCase *), bool tidy) {
  program().cases.push_back({name, add, tidy});
}

test::Setup::Setup(void (*before)(), void (*after)(), void (*teardown)()) {
  if (before) program().before.push_back(before);
  if (after) program().after.push_back(after);
  if (teardown) program().teardown.push_back(teardown);
}

int main(int argc, char **argv) {
  check_names();
  for (const auto before : program().before) before();
  gst_check_init(&argc, &argv);
  for (const auto after : program().after) after();
  gchar *name = g_path_get_basename(argv[0]);
  Suite *suite = suite_create(name);
  TCase *leaving = tcase_create("leaving"), *tidy = tcase_create("tidy");
  for (const auto teardown : program().teardown) tcase_add_checked_fixture(tidy, nullptr, teardown);
  for (TCase *tcase : {tidy, leaving}) suite_add_tcase(suite, tcase);
  for (const Named &each : program().cases) each.add(each.tidy ? tidy : leaving);
  const int failed = gst_check_run_suite(suite, name, name);
  return failed ? failed : film::exit_status(true);
}
