// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the best variant of every kernel on a device and keeps it for the elements.
#include <glib.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <iostream>

#include "bench/chain.h"
#include "bench/leave.h"
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

constexpr Scene full{Content::natural, 1920, 1080};  // what the kept times are of
constexpr Scene checks[] = {{Content::natural, 173, 71}, {Content::random, 64, 45}};

/// Whether a variant gives what the reference gives.
bool agrees(Context &context, const Task &task, const Parameters &variant) {
  glcl::Queue queue(context.shared_from_this());
  return std::all_of(std::begin(checks), std::end(checks), [&](const Scene &scene) {
    return task.make(context, variant, scene).compare(queue).good;
  });
}

/// µs of a run; nothing where the device can't do it or the result is wrong.
std::optional<double> time_of(const std::shared_ptr<Context> &context, const Task &task,
                              const Parameters &variant, double seconds) {
  try {
    if (!agrees(*context, task, variant)) {
      std::cerr << "  wrong and left out: " << glcl::describe(variant) << '\n';
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

/// The fastest variant: all of them briefly, the best few again for longer.
glcl::Tuning tune(const std::shared_ptr<Context> &context, const Task &task) {
  constexpr size_t finalists = 4;
  constexpr double brief = 0.05, long_enough = 0.5;
  const glcl::Device &device = context->device();
  const Parameters own = task.tunable->defaults(device, task.problem);
  const std::vector<Parameters> all = glcl::variants(*task.tunable, device, task.problem);

  std::vector<std::pair<double, Parameters>> ranked;
  {
    Progress progress(all.size());
    for (const Parameters &variant : all) {
      progress.step(task.name + " " + glcl::describe(variant));
      if (const auto time = time_of(context, task, variant, brief))
        ranked.push_back({*time, variant});
    }
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), finalists));

  const auto own_time = time_of(context, task, own, long_enough);
  if (!own_time)
    throw Error(Error::Kind::failed, task.name + ": the default variant does not work on " +
                                         device.name + ". Please report this.");
  glcl::Tuning best{own, *own_time, *own_time};
  for (const auto &[time, variant] : ranked) {
    const auto again = time_of(context, task, variant, long_enough);
    if (again && *again < best.microseconds) best = {variant, *again, *own_time};
  }
  return best;
}

std::string microseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

template <class Work>
void for_each_tuned(const std::vector<std::string> &elements, const Work &work) {
  if (!elements.empty()) {
    for (const std::string &element : elements)
      for (const Task &task : subject(element).tasks)
        if (!task.problem.empty()) work(task);
    return;
  }
  for (const Subject &subject : subjects())
    for (const Task &task : subject.tasks)
      if (!task.problem.empty()) work(task);
}

/// What is asked for: a chain of a file, or elements, all where none is named.
struct Work {
  std::vector<std::string> elements;
  std::optional<Task> chain;

  template <class Use>
  void each(const Use &use) const {
    if (chain)
      use(*chain);
    else
      for_each_tuned(elements, use);
  }
};

void tune_all(const std::string &wish, const Work &work) {
  const auto context = Context::of_device(glcl::choose_device(wish));
  std::cout << context->device().name << ", driver " << context->device().driver << '\n';
  glcl::Table table({"work", "best variant", "µs", "default µs"});
  work.each([&](const Task &task) {
    const glcl::Tuning best = tune(context, task);
    glcl::keep(*task.tunable, context->device(), task.problem, best);
    table.add({task.name, glcl::describe(best.parameters), microseconds(best.microseconds),
               microseconds(best.default_microseconds)});
  });
  table.print();
  std::cout << "kept in " << glcl::tuning_file() << '\n';
}

void show(const Work &work) {
  glcl::Table table({"device", "work", "variant", "µs", ""});
  for (const glcl::Device &device : glcl::devices())
    work.each([&](const Task &task) {
      const auto kept = glcl::kept(*task.tunable, device, task.problem);
      const glcl::Tuning tuning =
          kept.value_or(glcl::Tuning{task.tunable->defaults(device, task.problem)});
      table.add({device.id() + " " + device.name, task.name, glcl::describe(tuning.parameters),
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
    std::cout << "nothing was kept in " << path << '\n';
  else
    throw Error(Error::Kind::failed, path + " can't be removed.", g_strerror(errno));
}

void run(int argc, char **argv) {
  gchar *device = nullptr, *chain = nullptr, **rest = nullptr;
  gboolean showing = FALSE, resetting = FALSE;
  const GOptionEntry entries[] = {
      {"device", 'd', 0, G_OPTION_ARG_STRING, &device,
       "auto, P:D as glcl-info prints it, or a part of the name", "D"},
      {"chain", 0, 0, G_OPTION_ARG_FILENAME, &chain,
       "A file with a chain of filters for glclchain, in place of elements", "FILE"},
      {"show", 0, 0, G_OPTION_ARG_NONE, &showing, "Print the variants in use on every device",
       nullptr},
      {"reset", 0, 0, G_OPTION_ARG_NONE, &resetting, "Forget everything kept", nullptr},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rest, nullptr, nullptr},
      {}};
  GOptionContext *context = g_option_context_new("[ELEMENT…]");
  g_option_context_set_summary(
      context,
      "Measures every variant of the elements' kernels on a device, those alone whose result is "
      "right,\n"
      "and keeps the fastest in $XDG_DATA_HOME/glcl/tuning.json, where the elements find it.");
  g_option_context_set_description(context, "--version alone prints the version.");
  g_option_context_add_main_entries(context, entries, nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  const std::string wish = device ? device : "auto";
  const std::string file = chain ? chain : "";
  Work work;
  for (gchar **element = rest; element && *element; element++) work.elements.emplace_back(*element);
  g_free(device);
  g_free(chain);
  g_strfreev(rest);
  if (!good) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::settings, reason + ". glcl-tune --help lists the options.");
  }
  for (const std::string &element : work.elements) subject(element);
  if (!file.empty() && !work.elements.empty())
    throw Error(Error::Kind::settings, "--chain FILE or elements, not both.");
  if (!file.empty()) work.chain = chain_task(file);
  if (resetting) reset();
  if (showing) show(work);
  if (!resetting && !showing) tune_all(wish, work);
}

}  // namespace

int main(int argc, char **argv) {
  std::setlocale(LC_ALL, "");
  std::setlocale(LC_NUMERIC, "C");
  try {
    if (!glcl::prints_version("glcl-tune", argc, argv)) run(argc, argv);
    leave(glcl::exit_status("glcl-tune", EXIT_SUCCESS));
  } catch (const Error &error) {
    std::cerr << "glcl-tune: " << error.what() << '\n';
    if (!error.detail().empty()) std::cerr << error.detail() << '\n';
  } catch (const std::exception &error) {
    std::cerr << "glcl-tune: " << error.what() << '\n';
  }
  return 2;
}
