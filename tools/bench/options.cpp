// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include <glib.h>

#include <algorithm>
#include <cstdio>

#include "opencl/error.h"
#include "text.h"

namespace glcl::bench {

namespace {

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  gchar **list = g_strsplit(text.c_str(), ",", -1);
  for (gchar **part = list; *part; part++) parts.emplace_back(*part);
  g_strfreev(list);
  return parts;
}

std::vector<std::pair<int, int>> parse_sizes(const std::string &text) {
  std::vector<std::pair<int, int>> sizes;
  for (const std::string &part : split(text)) {
    int width = 0, height = 0, end = 0;
    if (std::sscanf(part.c_str(), "%dx%d%n", &width, &height, &end) != 2 ||
        static_cast<size_t>(end) != part.size() || width < 1 || height < 1 || width > 16384 ||
        height > 16384)
      throw Error(Error::Kind::settings,
                  "--size " + part + ": write WIDTHxHEIGHT, each 1 to 16384.");
    sizes.push_back({width, height});
  }
  return sizes;
}

std::vector<std::string> parse_methods(const std::string &text) {
  const Options defaults;
  std::vector<std::string> methods = split(text);
  for (const std::string &method : methods)
    if (std::find(defaults.methods.begin(), defaults.methods.end(), method) ==
        defaults.methods.end())
      throw Error(Error::Kind::settings,
                  "--sharing " + method + ": choose from gl, external, egl and copy.");
  return methods;
}

std::vector<int> parse_parallel(const std::string &text) {
  std::vector<int> counts;
  for (const std::string &part : split(text)) {
    int count = 0, end = 0;
    if (std::sscanf(part.c_str(), "%d%n", &count, &end) != 1 ||
        static_cast<size_t>(end) != part.size() || count < 1 || count > 1000)
      throw Error(Error::Kind::settings,
                  "--parallel " + part + ": give numbers of streams from 1 to 1000.");
    counts.push_back(count);
  }
  return counts;
}

std::vector<Content> parse_contents(const std::string &text) {
  std::vector<Content> contents;
  for (const std::string &part : split(text)) {
    const auto name = std::find(std::begin(content_names), std::end(content_names), part);
    if (name == std::end(content_names))
      throw Error(Error::Kind::settings,
                  "--content " + part + ": choose from random, natural and flat.");
    contents.push_back(static_cast<Content>(name - std::begin(content_names)));
  }
  return contents;
}

/// The command line without the file name of --costs.
std::string command_of(int argc, char **argv) {
  std::string command = "glcl-bench";
  for (int i = 1; i < argc; i++) {
    const std::string word = argv[i];
    if (word == "--costs")
      i++;
    else if (word.rfind("--costs=", 0) != 0)
      command += " " + word;
  }
  return command;
}

/// The options as given on the command line, not yet checked.
struct CommandLine {
  CommandLine() = default;
  CommandLine(const CommandLine &) = delete;
  ~CommandLine() {
    g_free(device), g_free(devices), g_free(size), g_free(content), g_free(only), g_free(json),
        g_free(csv), g_free(costs), g_free(sharing), g_free(decode), g_free(parallel),
        g_strfreev(rest);
  }
  std::vector<GOptionEntry> entries(Options &options);
  void read(Options &options, int argc, char **argv);

  gchar *device = nullptr, *devices = nullptr, *size = nullptr, *content = nullptr, *only = nullptr,
        *json = nullptr, *csv = nullptr, *costs = nullptr, *sharing = nullptr, *decode = nullptr,
        *parallel = nullptr;
  gchar **rest = nullptr;
  gboolean chosen = FALSE, kernels = FALSE, ablation = FALSE, sweep = FALSE, pipeline = FALSE,
           start = FALSE;
  std::vector<gboolean> selected_modes = std::vector<gboolean>(modes().size(), FALSE);
};

std::vector<GOptionEntry> CommandLine::entries(Options &options) {
  std::vector<GOptionEntry> list = {
      {"device", 'd', 0, G_OPTION_ARG_STRING, &device,
       "auto, P:D as glcl-info prints it, or part of the name", "D"},
      {"devices", 0, 0, G_OPTION_ARG_STRING, &devices,
       "Compare a block search shared by these devices with each device alone", "D,…"},
      {"size", 's', 0, G_OPTION_ARG_STRING, &size, "Frame sizes (1920x1080)", "WxH,…"},
      {"content", 'c', 0, G_OPTION_ARG_STRING, &content,
       "Frame contents: random, natural, flat (natural)", "C,…"},
      {"only", 0, 0, G_OPTION_ARG_STRING, &only,
       "Only work or ablations with this text in their names", "TEXT"},
      {"chosen", 0, 0, G_OPTION_ARG_NONE, &chosen,
       "Measure only the variants that the elements use", nullptr},
      {"kernels", 0, 0, G_OPTION_ARG_NONE, &kernels, "Also print the time of each kernel", nullptr},
      {"ablation", 0, 0, G_OPTION_ARG_NONE, &ablation,
       "Measure the gain of each optimisation step instead of the variants", nullptr},
      {"sweep", 0, 0, G_OPTION_ARG_NONE, &sweep,
       "Measure the time over a range of a property, for --csv and tools/plot.py", nullptr},
      {"pipeline", 0, 0, G_OPTION_ARG_NONE, &pipeline,
       "Measure the time per frame of whole pipelines (glclinvert) for each sharing method",
       nullptr},
      {"start", 0, 0, G_OPTION_ARG_NONE, &start,
       "Measure the time from PLAYING to the first frame, with cold and warm caches", nullptr},
      {"sharing", 0, 0, G_OPTION_ARG_STRING, &sharing,
       "Sharing methods for --pipeline (gl,external,egl,copy)", "W,…"},
      {"decode", 0, 0, G_OPTION_ARG_FILENAME, &decode,
       "With --pipeline: decode this H.264 file, alone and followed by four elements", "FILE"},
      {"parallel", 0, 0, G_OPTION_ARG_STRING, &parallel,
       "With --pipeline: frames/s, processor time, latency and drops of this many streams in one "
       "process",
       "N,…"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &options.frames, "Number of frames for --pipeline (500)",
       "N"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds,
       "Time of each measurement in seconds (0.4)", "S"},
      {"json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Write all results to this file", "FILE"},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Write the times to this file", "FILE"},
      {"costs", 0, 0, G_OPTION_ARG_FILENAME, &costs,
       "Add the times of the variants in use to this file, from which the manual takes its figures",
       "FILE"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &rest, nullptr, nullptr}};
  for (size_t i = 0; i < selected_modes.size(); i++)
    list.push_back({modes()[i]->option, 0, 0, G_OPTION_ARG_NONE, &selected_modes[i],
                    modes()[i]->help, nullptr});
  list.emplace_back();
  return list;
}

void CommandLine::read(Options &options, int argc, char **argv) {
  const std::vector<GOptionEntry> list = entries(options);
  GOptionContext *context = g_option_context_new("[ELEMENT…|device]");
  g_option_context_set_summary(
      context,
      "Times the work of the elements on frames that are already on the device: the median of "
      "many\n"
      "runs by OpenCL events and by the wall clock, as a share of the device's limit, and the\n"
      "agreement of the result with the reference. \"device\" measures the device itself.");
  g_option_context_set_description(context, "--version alone prints the version.");
  g_option_context_add_main_entries(context, list.data(), nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  if (!good) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::settings, reason + ". Run glcl-bench --help for a list of options.");
  }
}

}  // namespace

Options parse(int argc, char **argv) {
  Options options;
  options.command = command_of(argc, argv);
  CommandLine text;
  text.read(options, argc, argv);
  options.chosen = text.chosen;
  options.kernels = text.kernels;
  options.ablation = text.ablation;
  options.sweep = text.sweep;
  options.pipeline = text.pipeline;
  options.start = text.start;
  const auto mode = std::find(text.selected_modes.begin(), text.selected_modes.end(), TRUE);
  if (mode != text.selected_modes.end()) options.mode = modes()[mode - text.selected_modes.begin()];
  options.sizes_chosen = text.size;
  if (text.device) options.device = text.device;
  if (text.devices) options.devices = text.devices;
  if (text.size) options.sizes = parse_sizes(text.size);
  if (text.sharing) options.methods = parse_methods(text.sharing);
  if (text.parallel) options.parallel = parse_parallel(text.parallel);
  if (text.content) options.contents = parse_contents(text.content);
  if (text.only) options.only = text.only;
  if (text.json) options.json = text.json;
  if (text.decode) options.decode = text.decode;
  if (text.csv) options.csv = text.csv;
  if (text.costs) options.costs = text.costs;
  if (!options.decode.empty() && !options.pipeline)
    throw Error(Error::Kind::settings, "--decode needs --pipeline.");
  if (!options.parallel.empty() && !options.pipeline)
    throw Error(Error::Kind::settings, "--parallel needs --pipeline.");
  if (options.frames < 1)
    throw Error(Error::Kind::settings,
                "--frames " + std::to_string(options.frames) + ": give at least 1.");
  if (!(options.seconds > 0))
    throw Error(Error::Kind::settings,
                "--seconds " + number(options.seconds) + ": give a time above 0.");
  for (gchar **element = text.rest; element && *element; element++)
    options.elements.push_back(*element);
  return options;
}

}  // namespace glcl::bench
