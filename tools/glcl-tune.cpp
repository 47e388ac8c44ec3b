// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the best variant of every kernel on a device and saves it for the elements.
#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <sstream>

#include "bench/chain.h"
#include "bench/exit.h"
#include "bench/measure.h"
#include "bench/progress.h"
#include "bench/subject.h"
#include "command.h"
#include "opencl/error.h"
#include "table.h"

namespace {

using namespace glcl::bench;
using glcl::Context;
using glcl::Error;
using glcl::Parameters;
using Clock = std::chrono::steady_clock;

constexpr Scene full{Content::natural, 1920, 1080};  // the scene of the saved times
constexpr Scene checks[] = {{Content::natural, 173, 71}, {Content::random, 64, 45}};

/// True if a variant's result agrees with the reference.
bool agrees(Context &context, const Task &task, const Parameters &variant) {
  glcl::Queue queue(context.shared_from_this());
  return std::all_of(std::begin(checks), std::end(checks), [&](const Scene &scene) {
    return task.make(context, variant, scene).compare(queue).good;
  });
}

/// µs per run; nothing if the device can't run the variant or its result is wrong.
std::optional<double> time_of(const std::shared_ptr<Context> &context, const Task &task,
                              const Parameters &variant, double seconds) {
  try {
    if (!agrees(*context, task, variant)) {
      std::cerr << "  skipped, wrong result: " << glcl::describe(variant) << '\n';
      return {};
    }
    const Times times = measure(context, task.make(*context, variant, full), seconds);
    return times.events > 0 ? times.events : times.wall;
  } catch (const Error &) {
    return {};
  } catch (const cl::Error &) {
    return {};
  }
}

/// The settings for all jobs.
struct TuneSettings {
  std::string only;      ///< text that names of work must contain
  Parameters variants;   ///< values required of all variants
  double seconds = 120;  ///< limit for all work

  bool selects(const std::string &name) const { return name.find(only) != std::string::npos; }
  bool allows(const Parameters &variant) const {
    return std::all_of(variants.begin(), variants.end(), [&](const auto &value) {
      const auto known = variant.find(value.first);
      return known != variant.end() && known->second == value.second;
    });
  }
};

/// The variants to measure: the default one, then the others in an order that mixes all kinds
/// early, because time may not suffice for all.
std::vector<Parameters> candidates(const Task &task, const glcl::Device &device,
                                   const TuneSettings &settings) {
  const Parameters own = task.tunable->defaults(device, task.problem);
  std::vector<Parameters> others;
  for (const Parameters &variant : glcl::variants(*task.tunable, device, task.problem))
    if (variant != own && settings.allows(variant)) others.push_back(variant);
  std::mt19937 random(1);
  std::shuffle(others.begin(), others.end(), random);
  others.insert(others.begin(), own);
  return others;
}

Error default_fails(const Task &task, const glcl::Device &device) {
  return {Error::Kind::failed,
          task.name + ": the default variant fails on " + device.name + ". Please report this."};
}

/// Finds the fastest variant: measures all briefly while time is left, then the best few for
/// longer.
glcl::Tuning tune(const std::shared_ptr<Context> &context, const Task &task,
                  const TuneSettings &settings, double seconds) {
  constexpr size_t finalists = 4;
  constexpr double brief = 0.05, long_enough = 0.5;
  const glcl::Device &device = context->device();
  const std::vector<Parameters> all = candidates(task, device, settings);
  const Parameters &own = all.front();
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);

  std::vector<std::pair<double, Parameters>> ranked;
  size_t measured = 0;
  {
    Progress progress(all.size());
    for (const Parameters &variant : all) {
      if (measured > 0 && Clock::now() > deadline) break;
      progress.step(task.name + " " + glcl::describe(variant));
      measured++;
      if (const auto time = time_of(context, task, variant, brief))
        ranked.push_back({*time, variant});
      else if (variant == own)
        throw default_fails(task, device);
    }
  }
  if (measured < all.size())
    std::cerr << "  " << all.size() - measured << " of " << all.size()
              << " variants were not measured; raise --seconds\n";
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), finalists));

  const auto own_time = time_of(context, task, own, long_enough);
  if (!own_time) throw default_fails(task, device);
  glcl::Tuning best{own, *own_time, *own_time};
  for (const auto &[time, variant] : ranked) {
    const auto again = variant == own ? own_time : time_of(context, task, variant, long_enough);
    if (again && *again < best.microseconds) best = {variant, *again, *own_time};
  }
  return best;
}

std::string microseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// A tuning to measure: the best variant of a task, or costs of the device.
struct TuningJob {
  std::string name;
  const glcl::Tunable *tunable;
  std::string problem;
  std::function<glcl::Tuning(const std::shared_ptr<Context> &, const TuneSettings &,
                             double seconds)>
      tune;
};

TuningJob job_of(const Task &task) {
  return {task.name, task.tunable, task.problem,
          [&task](const auto &context, const TuneSettings &settings, double seconds) {
            return tune(context, task, settings, seconds);
          }};
}

TuningJob job_of(const DeviceCosts &costs) {
  return {costs.name, costs.tunable, costs.problem,
          [&costs](const auto &context, const TuneSettings &, double seconds) {
            return costs.measure(context, seconds);
          }};
}

/// The tunings of a chain from a file, or of elements, by default all elements.
struct TuningJobs {
  std::vector<std::string> elements;
  std::optional<Task> chain;

  template <class Use>
  void each(const Use &use) const {
    if (chain) return use(job_of(*chain));
    const auto all_of = [&](const Subject &subject) {
      for (const DeviceCosts &costs : subject.device_costs) use(job_of(costs));
      for (const Task &task : subject.tasks)
        if (!task.problem.empty()) use(job_of(task));
    };
    for (const std::string &element : elements) all_of(subject(element));
    if (elements.empty())
      for (const Subject &subject : subjects()) all_of(subject);
  }
};

void tune_all(const std::string &device_name, const TuningJobs &jobs,
              const TuneSettings &settings) {
  const auto context = Context::of_device(glcl::choose_device(device_name));
  std::cout << context->device().name << ", driver " << context->device().driver << '\n';
  glcl::Table table({"work", "best variant", "µs", "default µs"});
  size_t left = 0;
  jobs.each([&](const TuningJob &job) { left += settings.selects(job.name); });
  if (!left)
    throw Error(Error::Kind::settings,
                "--only \"" + settings.only + "\": no work has this text in its name.");
  const auto end = Clock::now() + std::chrono::duration<double>(settings.seconds);
  jobs.each([&](const TuningJob &job) {
    if (!settings.selects(job.name)) return;
    const std::chrono::duration<double> rest = end - Clock::now();
    const glcl::Tuning best = job.tune(context, settings, rest.count() / double(left--));
    glcl::save_tuning(*job.tunable, context->device(), job.problem, best);
    table.add({job.name, glcl::describe(best.parameters), microseconds(best.microseconds),
               microseconds(best.default_microseconds)});
  });
  table.print();
  std::cout << "saved in " << glcl::tuning_file() << '\n';
}

void show(const TuningJobs &jobs) {
  glcl::Table table({"device", "work", "variant", "µs", ""});
  for (const glcl::Device &device : glcl::devices())
    jobs.each([&](const TuningJob &job) {
      const auto kept = glcl::load_tuning(*job.tunable, device, job.problem);
      const glcl::Tuning tuning =
          kept.value_or(glcl::Tuning{job.tunable->defaults(device, job.problem)});
      table.add({device.id() + " " + device.name, job.name, glcl::describe(tuning.parameters),
                 kept ? microseconds(tuning.microseconds) : "-", kept ? "tuned" : "default"});
    });
  table.print();
  std::cout << glcl::tuning_file() << '\n';
}

void reset() {
  const std::string path = glcl::tuning_file();
  if (g_remove(path.c_str()) == 0)
    std::cout << path << " removed\n";
  else if (errno == ENOENT)
    std::cout << "no saved tuning in " << path << '\n';
  else
    throw Error(Error::Kind::failed, path + " can't be removed.", g_strerror(errno));
}

/// Parses "NAME=VALUE NAME=VALUE".
Parameters values_of(const std::string &text) {
  Parameters values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equal = word.find('=');
    char *end = nullptr;
    const long value = equal == std::string::npos ? 0 : std::strtol(&word[equal + 1], &end, 10);
    if (!end || *end || end == &word[equal + 1])
      throw Error(Error::Kind::settings,
                  "--variants \"" + text + "\": write NAME=NUMBER, as glcl-tune --show does.");
    values[word.substr(0, equal)] = static_cast<int>(value);
  }
  return values;
}

void run(int argc, char **argv) {
  gchar *device = nullptr, *chain = nullptr, *only = nullptr, *variants = nullptr, **rest = nullptr;
  TuneSettings settings;
  gboolean showing = FALSE, resetting = FALSE;
  const GOptionEntry entries[] = {
      {"device", 'd', 0, G_OPTION_ARG_STRING, &device,
       "auto, P:D as glcl-info prints it, or part of the name", "D"},
      {"chain", 0, 0, G_OPTION_ARG_FILENAME, &chain,
       "Tune a file with a chain of glclchain filters instead of elements", "FILE"},
      {"only", 0, 0, G_OPTION_ARG_STRING, &only, "Tune only work with this text in its name",
       "TEXT"},
      {"variants", 0, 0, G_OPTION_ARG_STRING, &variants,
       "Measure only the defaults and variants with these values: \"NAME=NUMBER …\"", "VALUES"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &settings.seconds,
       "Approximate time limit in seconds (120); later variants are not measured", "S"},
      {"show", 0, 0, G_OPTION_ARG_NONE, &showing, "Print the variants in use on every device",
       nullptr},
      {"reset", 0, 0, G_OPTION_ARG_NONE, &resetting, "Delete all saved tunings", nullptr},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rest, nullptr, nullptr},
      {}};
  GOptionContext *context = g_option_context_new("[ELEMENT…]");
  g_option_context_set_summary(
      context,
      "Measures every variant of the elements' kernels on a device, skips variants with a wrong\n"
      "result and saves the fastest in $XDG_DATA_HOME/glcl/tuning.json, which the elements read.");
  g_option_context_set_description(context, "--version alone prints the version.");
  g_option_context_add_main_entries(context, entries, nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  const std::string device_name = device ? device : "auto";
  const std::string file = chain ? chain : "", values = variants ? variants : "";
  settings.only = only ? only : "";
  TuningJobs jobs;
  for (gchar **element = rest; element && *element; element++) jobs.elements.emplace_back(*element);
  g_free(device);
  g_free(chain);
  g_free(only);
  g_free(variants);
  g_strfreev(rest);
  if (!good) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::settings, reason + ". Run glcl-tune --help for a list of options.");
  }
  settings.variants = values_of(values);
  if (!(settings.seconds > 0))
    throw Error(Error::Kind::settings, "--seconds: give a number above 0.");
  for (const std::string &element : jobs.elements) subject(element);
  if (!file.empty() && !jobs.elements.empty())
    throw Error(Error::Kind::settings,
                "--chain and elements exclude each other: give only one of them.");
  if (!file.empty()) jobs.chain = chain_task(file);
  if (resetting) reset();
  if (showing) show(jobs);
  if (!resetting && !showing) tune_all(device_name, jobs, settings);
}

}  // namespace

int main(int argc, char **argv) {
  std::setlocale(LC_ALL, "");
  std::setlocale(LC_NUMERIC, "C");
  try {
    if (!glcl::prints_version("glcl-tune", argc, argv)) run(argc, argv);
    exit_at_once(glcl::exit_status("glcl-tune", EXIT_SUCCESS));
  } catch (const Error &error) {
    std::cerr << "glcl-tune: " << error.what() << '\n';
    if (!error.detail().empty()) std::cerr << error.detail() << '\n';
  } catch (const std::exception &error) {
    std::cerr << "glcl-tune: " << error.what() << '\n';
  }
  return 2;
}
