// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

#include <dlfcn.h>
#include <unistd.h>

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
  test::CaseKind kind;
};

struct Program {
  std::vector<Named> cases;
  std::vector<void (*)()> before, after, teardown;
  bool in_case = false;  // remains true after a failure
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

test::Case::Case(const char *name, void (*add)(TCase *), CaseKind kind) {
  program().cases.push_back({name, add, kind});
}

bool test::begin(const char *name) {
  if (program().in_case) return false;
  program().in_case = true;
  std::printf("%s\n", name);
  std::fflush(stdout);
  return true;
}

void test::end() { program().in_case = false; }

test::Setup::Setup(void (*before)(), void (*after)(), void (*teardown)()) {
  if (before) program().before.push_back(before);
  if (after) program().after.push_back(after);
  if (teardown) program().teardown.push_back(teardown);
}

/// Not after a failure: Check would call it again and again.
static void tear_down() {
  if (program().in_case) return;
  for (const auto teardown : program().teardown) teardown();
}

/// Runs the cases of some kinds as a suite; returns the number of failures.
static int run(const char *name, const std::vector<test::CaseKind> &kinds) {
  if (std::none_of(program().cases.begin(), program().cases.end(), [&](const Named &each) {
        return std::count(kinds.begin(), kinds.end(), each.kind) > 0;
      }))
    return 0;
  Suite *suite = suite_create(name);
  for (const test::CaseKind kind : kinds) {
    TCase *tcase = tcase_create(kind == test::CaseKind::leaving ? "leaving" : "tidy");
    if (kind != test::CaseKind::leaving) tcase_add_checked_fixture(tcase, nullptr, tear_down);
    suite_add_tcase(suite, tcase);
    for (const Named &each : program().cases)
      if (each.kind == kind) each.add(tcase);
  }
  return gst_check_run_suite(suite, name, name);
}

int main(int argc, char **argv) {
  check_names();
  for (const auto before : program().before) before();
  gst_check_init(&argc, &argv);
  for (const auto after : program().after) after();
  gchar *name = g_path_get_basename(argv[0]);
  using Kind = test::CaseKind;
  int failed = 0;
  if (g_getenv("CK_FORK")) {
    failed = run(name, {Kind::alone, Kind::tidy, Kind::leaving});
  } else {
    // These run first: children cannot use a driver that this process has loaded.
    g_setenv("CK_FORK", "yes", TRUE);
    failed = run(name, {Kind::alone, Kind::leaving});
    g_setenv("CK_FORK", "no", TRUE);
    failed += run(name, {Kind::tidy});
  }
  if (!failed) return film::exit_status(true);
  std::fflush(stdout);
  _exit(failed);  // the case that failed may have left threads behind
}
