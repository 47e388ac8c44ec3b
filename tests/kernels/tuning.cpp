// SPDX-License-Identifier: LGPL-2.1-or-later
// What glcl-tune keeps and what becomes of files that are wrong or stale.
#include "opencl/tuning.h"

#include <glib/gstdio.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "bilateral/bilateral.h"
#include "bilateral/grid.h"
#include "engine.h"

using glcl::Parameters;
using glcl::Tunable;
using nlohmann::json;

namespace {

const Tunable &tunable() { return glcl::Bilateral::tunable(); }

glcl::Device device() { return Bench().context->device(); }

/// Another variant than the default.
Parameters other(const glcl::Device &device) {
  for (const Parameters &variant : glcl::variants(tunable(), device, "radius-4"))
    if (variant != tunable().defaults(device, "radius-4")) return variant;
  return {};
}

void write(const std::string &text) {
  fail_unless(g_file_set_contents(glcl::tuning_file().c_str(), text.c_str(), -1, nullptr));
}

json read() {
  gchar *text = nullptr;
  fail_unless(g_file_get_contents(glcl::tuning_file().c_str(), &text, nullptr, nullptr));
  const json file = json::parse(text);
  g_free(text);
  return file;
}

/// How often the file was said to be ignored.
int warnings = 0;

void check_ignored(const glcl::Device &device, const char *what) {
  warnings = 0;
  fail_unless(glcl::tuned(tunable(), device, "radius-4") == tunable().defaults(device, "radius-4"),
              "%s was trusted", what);
  fail_unless_equals_int(warnings, 1);
  glcl::tuned(tunable(), device, "radius-4");
  fail_unless_equals_int(warnings, 1);
}

void count_warnings() {
  g_log_set_handler(
      "glcl", G_LOG_LEVEL_WARNING,
      [](const gchar *, GLogLevelFlags, const gchar *, gpointer) { warnings++; }, nullptr);
}

}  // namespace

GST_START_TEST(test_kept) {
  const glcl::Device here = device();
  g_remove(glcl::tuning_file().c_str());
  fail_unless(!glcl::kept(tunable(), here, "radius-4"));
  glcl::keep(tunable(), here, "radius-4", {other(here), 12.5, 20});
  glcl::keep(tunable(), here, "radius-10", {tunable().defaults(here, "radius-10"), 80, 80});
  glcl::keep(tunable(), here, "radius-4", {other(here), 11.5, 20});
  const auto kept = glcl::kept(tunable(), here, "radius-4");
  fail_unless(kept && kept->parameters == other(here) && kept->microseconds == 11.5);
  fail_unless(glcl::tuned(tunable(), here, "radius-4") == other(here));
  fail_unless_equals_int(read()["entries"].size(), 2);

  // Kept times decide between the exact filter and the grid.
  Settings settings;
  settings.radius = 4;
  const auto context = glcl::Context::of_device(here);
  const glcl::Bilateral engine(*context, 8, 8);
  fail_unless_equals_float(engine.cost(settings), 11.5);
  glcl::Grid grid(*context, 8, 8, engine.layout());
  const double usual = grid.cost(settings);
  glcl::keep(glcl::Grid::tunable(), here, "intensity",
             {glcl::Grid::variant(engine.layout()), 7.5, 20});
  fail_unless_equals_float(grid.cost(settings), usual);
  fail_unless_equals_float(glcl::Grid(*context, 8, 8, engine.layout()).cost(settings), 7.5);
}
GST_END_TEST;

GST_START_TEST(test_wrong_and_stale) {
  const glcl::Device here = device();
  g_remove(glcl::tuning_file().c_str());
  glcl::keep(tunable(), here, "radius-4", {other(here), 12.5, 20});
  const json good = read();
  count_warnings();

  for (const char *text : {"", "{", "[]", "{\"version\": 99, \"entries\": []}",
                           "{\"version\": 1, \"entries\": 3}", "\x01\x02\xff"}) {
    write(text);
    fail_unless(glcl::tuned(tunable(), here, "radius-4") == tunable().defaults(here, "radius-4"));
  }
  fail_unless_equals_int(warnings, 1);  // the same words each time

  const auto changed = [&](const char *what, const std::function<void(json &)> &change) {
    json file = good;
    change(file["entries"][0]);
    write(file.dump());
    check_ignored(here, what);
  };
  changed("another driver", [](json &entry) { entry["driver"] = "0.1"; });
  changed("other kernels", [](json &entry) { entry["sources"] = "0"; });
  changed("no parameters", [](json &entry) { entry.erase("parameters"); });
  changed("a value out of the space", [](json &entry) { entry["parameters"]["group-x"] = 17; });
  changed("a text for a number", [](json &entry) { entry["parameters"]["rows"] = "2"; });
  changed("what the device can't run", [](json &entry) {
    for (const char *name : {"group-x", "group-y"})
      entry["parameters"][name] = tunable().values.at(name).front();
    entry["parameters"]["form"] = 1;
    entry["parameters"]["rows"] = 6;
  });

  json elsewhere = good;
  elsewhere["entries"][0]["device"] = "another one";
  write(elsewhere.dump());
  warnings = 0;
  fail_unless(glcl::tuned(tunable(), here, "radius-4") == tunable().defaults(here, "radius-4"));
  fail_unless_equals_int(warnings, 0);
}
GST_END_TEST;

GST_START_TEST(test_spaces) {
  const glcl::Device here = device();
  for (const Tunable *tunable : {&glcl::Bilateral::tunable(), &glcl::Grid::tunable()})
    for (const std::string &problem : tunable->problems) {
      const std::vector<Parameters> all = glcl::variants(*tunable, here, problem);
      fail_unless(std::count(all.begin(), all.end(), tunable->defaults(here, problem)) == 1,
                  "%s: the default is not one of the variants", tunable->name.c_str());
    }
}
GST_END_TEST;

static Suite *tuning_suite() {
  Suite *suite = suite_create("tuning");
  TCase *tests = tcase_create("tuning");
  tcase_add_test(tests, test_kept);
  tcase_add_test(tests, test_wrong_and_stale);
  tcase_add_test(tests, test_spaces);
  suite_add_tcase(suite, tests);
  return suite;
}

GST_CHECK_MAIN(tuning)
