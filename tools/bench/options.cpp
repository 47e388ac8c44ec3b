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
                  "--sharing " + method + ": there are gl, external and copy.");
  return methods;
}

std::vector<Content> parse_contents(const std::string &text) {
  std::vector<Content> contents;
  for (const std::string &part : split(text)) {
    const auto name = std::find(std::begin(content_names), std::end(content_names), part);
    if (name == std::end(content_names))
      throw Error(Error::Kind::settings,
                  "--content " + part + ": there are random, natural and flat.");
    contents.push_back(static_cast<Content>(name - std::begin(content_names)));
  }
  return contents;
}

struct Freed {
  ~Freed() {
    g_free(device), g_free(devices), g_free(size), g_free(content), g_free(only), g_free(json),
        g_free(csv), g_free(sharing), g_free(decode), g_strfreev(rest);
  }
  gchar *device = nullptr, *devices = nullptr, *size = nullptr, *content = nullptr, *only = nullptr,
        *json = nullptr, *csv = nullptr, *sharing = nullptr, *decode = nullptr;
  gchar **rest = nullptr;
};

}  // namespace

Options parse(int argc, char **argv) {
  Options options;
  Freed text;
  gboolean chosen = FALSE, kernels = FALSE, ablation = FALSE, sweep = FALSE, pipeline = FALSE,
           start = FALSE;
  std::vector<gboolean> asked(modes().size(), FALSE);
  std::vector<GOptionEntry> entries = {
      {"device", 'd', 0, G_OPTION_ARG_STRING, &text.device,
       "auto, P:D as glcl-info prints it, or a part of the name", "D"},
      {"devices", 0, 0, G_OPTION_ARG_STRING, &text.devices,
       "A block search shared by these devices, against each alone", "D,…"},
      {"size", 's', 0, G_OPTION_ARG_STRING, &text.size, "Sizes of frames (1920x1080)", "WxH,…"},
      {"content", 'c', 0, G_OPTION_ARG_STRING, &text.content,
       "What the frames show: random, natural, flat (natural)", "C,…"},
      {"only", 0, 0, G_OPTION_ARG_STRING, &text.only,
       "Only work, or ablations, with this in their names", "TEXT"},
      {"chosen", 0, 0, G_OPTION_ARG_NONE, &chosen, "Only the variants that the elements use",
       nullptr},
      {"kernels", 0, 0, G_OPTION_ARG_NONE, &kernels, "Each kernel's part of the time too", nullptr},
      {"ablation", 0, 0, G_OPTION_ARG_NONE, &ablation,
       "What each step of the optimisation gains, instead of the variants", nullptr},
      {"sweep", 0, 0, G_OPTION_ARG_NONE, &sweep,
       "The time over a range of a property, for --csv and tools/plot.py", nullptr},
      {"pipeline", 0, 0, G_OPTION_ARG_NONE, &pipeline,
       "What a frame costs in whole pipelines of an element (glclinvert), each way of sharing",
       nullptr},
      {"start", 0, 0, G_OPTION_ARG_NONE, &start,
       "The time from PLAYING to the first frame, with cold and with warm caches", nullptr},
      {"sharing", 0, 0, G_OPTION_ARG_STRING, &text.sharing,
       "Ways of sharing for --pipeline (gl,external,copy)", "W,…"},
      {"decode", 0, 0, G_OPTION_ARG_FILENAME, &text.decode,
       "With --pipeline: a file of H.264 decoded, alone and with four of an element behind",
       "FILE"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &options.frames, "Frames for --pipeline (500)", "N"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options.seconds, "How long to measure each (0.4)",
       "S"},
      {"json", 0, 0, G_OPTION_ARG_FILENAME, &text.json, "Write all results there", "FILE"},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &text.csv, "Write the times there", "FILE"},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &text.rest, nullptr, nullptr}};
  for (size_t i = 0; i < asked.size(); i++)
    entries.push_back(
        {modes()[i]->option, 0, 0, G_OPTION_ARG_NONE, &asked[i], modes()[i]->help, nullptr});
  entries.emplace_back();
  GOptionContext *context = g_option_context_new("[ELEMENT…|device]");
  g_option_context_set_summary(
      context,
      "Times what the elements compute, on frames that are on the device already: the median of "
      "many\n"
      "runs by OpenCL events and by the wall clock, as a share of what the device could do, with "
      "the\n"
      "result's agreement with a plain computation. \"device\" measures the device itself.");
  g_option_context_set_description(context, "--version alone prints the version.");
  g_option_context_add_main_entries(context, entries.data(), nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  if (!good) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::settings, reason + ". glcl-bench --help lists the options.");
  }
  options.chosen = chosen;
  options.kernels = kernels;
  options.ablation = ablation;
  options.sweep = sweep;
  options.pipeline = pipeline;
  options.start = start;
  const auto mode = std::find(asked.begin(), asked.end(), TRUE);
  if (mode != asked.end()) options.mode = modes()[mode - asked.begin()];
  options.sizes_chosen = text.size;
  if (text.device) options.device = text.device;
  if (text.devices) options.devices = text.devices;
  if (text.size) options.sizes = parse_sizes(text.size);
  if (text.sharing) options.methods = parse_methods(text.sharing);
  if (text.content) options.contents = parse_contents(text.content);
  if (text.only) options.only = text.only;
  if (text.json) options.json = text.json;
  if (text.decode) options.decode = text.decode;
  if (text.csv) options.csv = text.csv;
  if (!options.decode.empty() && !options.pipeline)
    throw Error(Error::Kind::settings, "--decode goes with --pipeline.");
  if (options.frames < 1)
    throw Error(Error::Kind::settings,
                "--frames " + std::to_string(options.frames) + ": give 1 or more.");
  if (!(options.seconds > 0))
    throw Error(Error::Kind::settings,
                "--seconds " + number(options.seconds) + ": give a time above 0.");
  for (gchar **element = text.rest; element && *element; element++)
    options.elements.push_back(*element);
  return options;
}

}  // namespace glcl::bench
