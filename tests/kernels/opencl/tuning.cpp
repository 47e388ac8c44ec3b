// SPDX-License-Identifier: LGPL-2.1-or-later
// The files of glcl-tune, and files that are wrong or stale.
#include "opencl/tuning.h"

#include <glib/gstdio.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "bilateral/bilateral.h"
#include "bilateral/grid.h"
#include "kernels/engine.h"

using glcl::Parameters;
using glcl::Tunable;
using glcl::bilateral::BilateralFilter;
using glcl::bilateral::Grid;
using nlohmann::json;

namespace {

const Tunable &tunable() { return BilateralFilter::tunable(); }

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
  fail_unless(glcl::tuned_parameters(tunable(), device, "radius-4") ==
                  tunable().defaults(device, "radius-4"),
              "%s was trusted", what);
  fail_unless_equals_int(warnings, 1);
  glcl::tuned_parameters(tunable(), device, "radius-4");
  fail_unless_equals_int(warnings, 1);
}

void count_warnings() {
  g_log_set_handler(
      "glcl", G_LOG_LEVEL_WARNING,
      [](const gchar *, GLogLevelFlags, const gchar *, gpointer) { warnings++; }, nullptr);
}

/// A device and a kernel that nothing runs on.
glcl::Device unknown_device() {
  glcl::Device device;
  device.name = "Unknown device";
  device.platform_name = "Unknown platform";
  device.driver = "1.0";
  return device;
}

const Tunable &unknown_kernel() {
  static const Tunable tunable = {
      "unknown",
      {"any"},
      {"invert/invert.cl"},
      {{"step", {-1, 1}}},
      [](const glcl::Device &, const std::string &) {
        return Parameters{{"step", 1}};
      },
      [](const glcl::Device &, const std::string &, const Parameters &) { return true; }};
  return tunable;
}

bool is_default() {
  return glcl::tuned_parameters(unknown_kernel(), unknown_device(), "any") ==
         Parameters{{"step", 1}};
}

/// Makes a file or folder inaccessible during its life.
class Inaccessible {
 public:
  explicit Inaccessible(const std::string &path) : path_(path) { chmod(path.c_str(), 0); }
  ~Inaccessible() { chmod(path_.c_str(), 0755); }
  Inaccessible(const Inaccessible &) = delete;

 private:
  const std::string path_;
};

}  // namespace

// A folder that a user can't search has no tuning; a file that exists but can't be read is
// reported.
TEST(test_file_of_another_user) {
  // The capabilities that let root read everything.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  const std::string path = glcl::tuning_file(), folder = path.substr(0, path.rfind('/'));
  const glcl::Device device = unknown_device();
  glcl::save_tuning(unknown_kernel(), device, "any", {});
  syscall(SYS_capset, &header, none);
  std::string warnings;
  g_log_set_handler(
      "glcl", G_LOG_LEVEL_WARNING,
      [](const gchar *, GLogLevelFlags, const gchar *text, gpointer to) {
        *static_cast<std::string *>(to) += text;
      },
      &warnings);
  std::string error;
  {
    const Inaccessible closed(folder);
    fail_if(glcl::load_tuning(unknown_kernel(), device, "any"));
    try {
      glcl::save_tuning(unknown_kernel(), device, "any", {});
    } catch (const glcl::Error &thrown) {
      error = thrown.what();
    }
  }
  const std::string folder_warnings = warnings;
  {
    const Inaccessible closed(path);
    fail_if(glcl::load_tuning(unknown_kernel(), device, "any"));
  }
  fail_unless(folder_warnings.empty(), "%s", folder_warnings.c_str());
  fail_unless(error.find("Set XDG_DATA_HOME to") != std::string::npos, "%s", error.c_str());
  fail_unless(warnings.find("Let this user read it, or set XDG_DATA_HOME") != std::string::npos,
              "%s", warnings.c_str());
}

TEST(test_kept) {
  const glcl::Device here = device();
  g_remove(glcl::tuning_file().c_str());
  fail_unless(!glcl::load_tuning(tunable(), here, "radius-4"));
  glcl::save_tuning(tunable(), here, "radius-4", {other(here), 12.5, 20});
  glcl::save_tuning(tunable(), here, "radius-10", {tunable().defaults(here, "radius-10"), 80, 80});
  glcl::save_tuning(tunable(), here, "radius-4", {other(here), 11.5, 20});
  const auto kept = glcl::load_tuning(tunable(), here, "radius-4");
  fail_unless(kept && kept->parameters == other(here) && kept->microseconds == 11.5);
  fail_unless(glcl::tuned_parameters(tunable(), here, "radius-4") == other(here));
  fail_unless_equals_int(read()["entries"].size(), 2);

  // Kept times decide between the exact filter and the grid.
  BilateralFilter::Settings settings;
  settings.radius = 4;
  const auto context = glcl::Context::of_device(here);
  const BilateralFilter engine(*context, 8, 8);
  fail_unless_equals_float(engine.cost(settings), 11.5);
  Grid grid(*context, 8, 8, engine.layout());
  const double usual = grid.cost(settings);
  glcl::save_tuning(Grid::tunable(), here, "intensity", {Grid::variant(engine.layout()), 7.5, 20});
  fail_unless_equals_float(grid.cost(settings), usual);
  fail_unless_equals_float(Grid(*context, 8, 8, engine.layout()).cost(settings), 7.5);
}

TEST(test_wrong_and_stale) {
  const glcl::Device here = device();
  g_remove(glcl::tuning_file().c_str());
  glcl::save_tuning(tunable(), here, "radius-4", {other(here), 12.5, 20});
  const json good = read();
  count_warnings();

  for (const char *text : {"", "{", "[]", "{\"version\": 99, \"entries\": []}",
                           "{\"version\": 1, \"entries\": 3}", "\x01\x02\xff"}) {
    write(text);
    fail_unless(glcl::tuned_parameters(tunable(), here, "radius-4") ==
                tunable().defaults(here, "radius-4"));
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
  fail_unless(glcl::tuned_parameters(tunable(), here, "radius-4") ==
              tunable().defaults(here, "radius-4"));
  fail_unless_equals_int(warnings, 0);
}

// Other things in the file's place are not waited for, not read and never replaced.
TEST(test_no_regular_file) {
  const std::string path = glcl::tuning_file();
  const auto device_file = [&] { return symlink("/dev/zero", path.c_str()); };
  const auto pipe = [&] { return mkfifo(path.c_str(), 0600); };
  const auto folder = [&] { return g_mkdir(path.c_str(), 0700); };
  count_warnings();
  warnings = 0;
  for (const std::function<int()> &make : {std::function<int()>(device_file), {pipe}, {folder}}) {
    g_remove(path.c_str());
    fail_unless_equals_int(make(), 0);
    fail_unless(is_default());
    std::string message;
    try {
      glcl::save_tuning(unknown_kernel(), unknown_device(), "any", {{{"step", -1}}, 1, 2});
    } catch (const glcl::Error &error) {
      message = error.what();
    }
    fail_unless(message.find(path) != std::string::npos, "\"%s\" does not name the file",
                message.c_str());
  }
  g_remove(path.c_str());
  fail_unless_equals_int(warnings, 1);  // the same words each time
}

// A file of any size and depth is ignored, or used if it is a valid tuning file.
TEST(test_large_and_deep) {
  g_remove(glcl::tuning_file().c_str());
  glcl::save_tuning(unknown_kernel(), unknown_device(), "any", {{{"step", -1}}, 1, 2});
  const json good = read();
  count_warnings();
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const auto with = [&](const std::string &value) {
    const std::string text = good.dump();
    return "{\"more\": " + value + "," + text.substr(1);
  };
  write(with(nested(4)));
  fail_unless(!is_default());
  for (const std::string &text : {with(nested(500000)), with(std::string(500000, '[')),
                                  with("\"" + std::string(8 << 20, 'x') + "\"")}) {
    write(text);
    fail_unless(is_default());
  }
  // The next saved file replaces it.
  glcl::save_tuning(unknown_kernel(), unknown_device(), "any", {{{"step", -1}}, 1, 2});
  fail_unless(read() == good);
}

TEST(test_numbers_out_of_range) {
  g_remove(glcl::tuning_file().c_str());
  glcl::save_tuning(unknown_kernel(), unknown_device(), "any", {{{"step", -1}}, 1, 2});
  const std::string good = read().dump();
  count_warnings();
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    write(text);
  };
  // The second and third are -1 and 1 where bits are lost.
  for (const char *number : {"1e300", "18446744073709551615", "4294967297", "-1.0", "-1e-300",
                             "9223372036854775808", "1e999"}) {
    with("\"step\":-1", std::string("\"step\":") + number);
    fail_unless(is_default(), "step=%s was trusted", number);
  }
  for (const char *number : {"1e308", "-1e308", "18446744073709551615", "[]", "null"}) {
    with("\"microseconds\":1.0", std::string("\"microseconds\":") + number);
    fail_unless(!is_default(), "microseconds=%s is no reason", number);
  }
}

// Several processes write at once, each with several threads. No entry is lost.
TEST(test_writers) {
  constexpr int processes = 3, threads = 2, entries = 8;
  g_remove(glcl::tuning_file().c_str());
  const auto problem = [](int process, int thread, int entry) {
    return std::to_string(process) + "-" + std::to_string(thread) + "-" + std::to_string(entry);
  };
  const auto write_all = [&](int process) {
    std::vector<std::thread> all;
    for (int thread = 0; thread < threads; thread++)
      all.emplace_back([&, thread] {
        for (int entry = 0; entry < entries; entry++)
          glcl::save_tuning(unknown_kernel(), unknown_device(), problem(process, thread, entry),
                            {{{"step", -1}}, 1, 2});
      });
    for (std::thread &thread : all) thread.join();
  };
  std::vector<pid_t> children;
  for (int process = 0; process < processes; process++) {
    const pid_t child = fork();
    fail_unless(child >= 0);
    if (child == 0) {
      write_all(process);
      std::_Exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    fail_unless(waitpid(child, &status, 0) == child && status == 0, "a writer failed");
  }
  for (int process = 0; process < processes; process++)
    for (int thread = 0; thread < threads; thread++)
      for (int entry = 0; entry < entries; entry++)
        fail_unless(
            glcl::load_tuning(unknown_kernel(), unknown_device(), problem(process, thread, entry))
                .has_value(),
            "entry %s is lost", problem(process, thread, entry).c_str());
  fail_unless_equals_int(read()["entries"].size(), processes * threads * entries);
}

TEST(test_spaces) {
  const glcl::Device here = device();
  for (const Tunable *tunable : {&BilateralFilter::tunable(), &Grid::tunable()}) {
    fail_if(tunable->problems.empty());
    for (const std::string &problem : tunable->problems) {
      const std::vector<Parameters> all = glcl::variants(*tunable, here, problem);
      fail_unless(std::count(all.begin(), all.end(), tunable->defaults(here, problem)) == 1,
                  "%s: the default is not one of the variants", tunable->name.c_str());
    }
  }
}
