// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

#include <algorithm>
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

/// Ends the program where GST_CHECKS names a case that it does not have. Otherwise it would run
/// nothing and pass.
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
