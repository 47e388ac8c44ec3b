// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cases.h"

#include <utility>
#include <vector>

#include "film.h"

namespace {

struct Program {
  std::vector<std::pair<void (*)(TCase *), bool>> cases;
  std::vector<void (*)()> before, after, teardown;
};

Program &program() {
  static Program all;
  return all;
}

}  // namespace

test::Case::Case(void (*add)(TCase *), bool tidy) { program().cases.emplace_back(add, tidy); }

test::Setup::Setup(void (*before)(), void (*after)(), void (*teardown)()) {
  if (before) program().before.push_back(before);
  if (after) program().after.push_back(after);
  if (teardown) program().teardown.push_back(teardown);
}

int main(int argc, char **argv) {
  for (const auto before : program().before) before();
  gst_check_init(&argc, &argv);
  for (const auto after : program().after) after();
  gchar *name = g_path_get_basename(argv[0]);
  Suite *suite = suite_create(name);
  TCase *leaving = tcase_create("leaving"), *tidy = tcase_create("tidy");
  for (const auto teardown : program().teardown) tcase_add_checked_fixture(tidy, nullptr, teardown);
  for (TCase *tcase : {tidy, leaving}) suite_add_tcase(suite, tcase);
  for (const auto &[add, is_tidy] : program().cases) add(is_tidy ? tidy : leaving);
  const int failed = gst_check_run_suite(suite, name, name);
  return failed ? failed : film::exit_status(true);
}
