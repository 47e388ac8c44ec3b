// SPDX-License-Identifier: LGPL-2.1-or-later
// Times what the engines of the elements do, without any pipeline.
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/decode.h"
#include "bench/device.h"
#include "bench/measure.h"
#include "bench/mode.h"
#include "bench/pipeline.h"
#include "bench/progress.h"
#include "bench/shared.h"
#include "bench/subject.h"
#include "opencl/error.h"
#include "table.h"

namespace {

using namespace glcl::bench;
using glcl::Context;
using glcl::Error;
using glcl::Parameters;
using Json = nlohmann::ordered_json;

// Wide where nobody looks at it: tables go to files.
const size_t line = isatty(STDOUT_FILENO) ? glcl::line_width() : 170;
constexpr int check_width = 219,
              check_height = 117;  // px, of the frame compared with the reference

struct Options {
  std::vector<std::string> elements;
  std::string device = "auto", devices, only, json, csv, decode;
  std::vector<std::string> ways{"gl", "external", "copy"};
  std::vector<std::pair<int, int>> sizes{{1920, 1080}};
  std::vector<Content> contents{Content::natural};
  bool chosen = false, kernels = false, ablation = false, sweep = false, pipeline = false;
  const Mode *mode = nullptr;
  bool sizes_chosen = false;
  int frames = 500;
  double seconds = 0.4;
};

std::string number(double value, int digits = 1) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value >= 1000 ? 0 : digits, value);
  return text;
}

std::string size_name(std::pair<int, int> size) {
  return std::to_string(size.first) + "×" + std::to_string(size.second);
}

/// Kernels on many devices have no event clock worth the name; the wall clock stands in.
double kernel_time(const Times &times) { return times.events > 0 ? times.events : times.wall; }

/// What the work achieves of its limit.
struct Share {
  std::string limit;
  double part = 0;
};

Share share_of(const Limits &limits, const Run &run, const Times &times) {
  Share share;
  share.part = limits.shortest(run.least, &share.limit) * 1e6 / kernel_time(times);
  return share;
}

std::string achieved(const Run &run, const Times &times) {
  const double seconds = kernel_time(times) / 1e6;
  const std::pair<const char *, double> amounts[] = {{"Gexp2/s", run.least.exp2},
                                                     {"Gvotes/s", run.least.local_atomics},
                                                     {"Gdiff/s", run.least.differences},
                                                     {"Gfma/s", run.least.fma},
                                                     {"GB/s", run.least.bytes}};
  for (const auto &[unit, amount] : amounts)
    if (amount > 0) return number(amount / seconds / 1e9) + " " + unit;
  return "";
}

Json to_json(const Parameters &parameters) {
  Json json = Json::object();
  for (const auto &[name, value] : parameters) json[name] = value;
  return json;
}

std::ofstream open_file(const std::string &path) {
  std::ofstream file(path);
  if (!file) throw Error(Error::Kind::settings, path + " can't be written.");
  return file;
}

class Bench {
 public:
  explicit Bench(const Options &options)
      : options_(options),
        context_(Context::of_device(glcl::choose_device(options.device))),
        limits_(measure_limits(*context_)) {
    const glcl::Device &device = context_->device();
    json_ = {{"device", device.name},
             {"driver", device.driver},
             {"platform", device.platform_name},
             {"limits",
              {{"read-GB/s", limits_.per_second.bytes / 1e9},
               {"Gfma/s", limits_.per_second.fma / 1e9},
               {"Gexp2/s", limits_.per_second.exp2 / 1e9},
               {"G-local-atomics/s", limits_.per_second.local_atomics / 1e9},
               {"G-differences/s", limits_.per_second.differences / 1e9},
               {"launch-us", limits_.launch * 1e6}}},
             {"results", Json::array()}};
    std::cout << device.name << ", driver " << device.driver << '\n';
    glcl::Table table({"limit", "measured"});
    for (const auto &[name, value] : json_["limits"].items())
      table.add({name, number(value.get<double>())});
    table.print(line);
  }

  void tasks(const Subject &subject, const std::vector<Task> &tasks) {
    struct Point {
      const Task *task;
      Parameters parameters;
      bool chosen;
      Scene scene;
    };
    std::vector<Point> points;
    for (const Task &task : tasks)
      for (const auto &size : wanted(task.name))
        for (Content content : options_.contents)
          for (const auto &[parameters, chosen] : variants_of(task))
            points.push_back({&task, parameters, chosen, {content, size.first, size.second}});

    glcl::Table table({"work", "frame", "variant", "kernels µs", "wall µs", "achieved", "of limit",
                       "against the reference"});
    Progress progress(points.size());
    for (const Point &point : points) {
      progress.step(point.task->name + " " + glcl::describe(point.parameters));
      const std::string frame = size_name({point.scene.width, point.scene.height}) + " " +
                                content_names[static_cast<int>(point.scene.content)];
      const std::string variant =
          glcl::describe(point.parameters) + (point.chosen ? " (in use)" : "");
      Json row = {{"element", subject.element},
                  {"work", point.task->name},
                  {"width", point.scene.width},
                  {"height", point.scene.height},
                  {"content", content_names[static_cast<int>(point.scene.content)]},
                  {"variant", to_json(point.parameters)},
                  {"in-use", point.chosen}};
      try {
        const Run run = point.task->make(*context_, point.parameters, point.scene);
        const Times times = measure(context_, run, options_.seconds);
        const Agreement agreement = agreement_of(*point.task, point.parameters, point.scene);
        const Share share = share_of(limits_, run, times);
        table.add({point.task->name, frame, variant, number(times.events), number(times.wall),
                   achieved(run, times), number(100 * share.part, 0) + " % " + share.limit,
                   (agreement.good ? "" : "WRONG: ") + agreement.text});
        if (options_.kernels)
          for (const auto &[name, time] : times.kernels)
            table.add({"  " + name, "", "", number(time), "", "", "", ""});
        failed_ = failed_ || !agreement.good;
        row.update({{"events-us", times.events},
                    {"wall-us", times.wall},
                    {"runs", times.runs},
                    {"kernels-us", times.kernels},
                    {"limit", share.limit},
                    {"share", share.part},
                    {"agrees", agreement.good},
                    {"agreement", agreement.text}});
      } catch (const Error &error) {
        table.add({point.task->name, frame, variant, "-", "-", "", "", error.what()});
        row["error"] = error.what();
      }
      json_["results"].push_back(row);
    }
    std::cout << '\n' << subject.element << '\n';
    table.print(line);
  }

  void peers(const Subject &subject) {
    if (subject.peers.empty()) return;
    glcl::Table table({"peer", "frame", "ms", "our work", "times as long", "quality"});
    Progress progress(subject.peers.size() * options_.sizes.size());
    for (const Peer &peer : subject.peers)
      for (const auto &size : options_.sizes) {
        progress.step(peer.name);
        const Scene scene{options_.contents.front(), size.first, size.second};
        const double ms = peer.time(scene, options_.seconds);
        if (ms <= 0) continue;
        const double ours = in_use(peer.task, scene);
        const std::string note = peer.note ? peer.note(*context_, scene) : "";
        table.add({peer.name, size_name(size), number(ms, 3), peer.task,
                   ours > 0 ? number(ms * 1000 / ours, 2) : "-", note});
        json_["peers"].push_back({{"element", subject.element},
                                  {"peer", peer.name},
                                  {"width", size.first},
                                  {"height", size.second},
                                  {"ms", ms},
                                  {"work", peer.task},
                                  {"quality", note},
                                  {"ratio", ours > 0 ? ms * 1000 / ours : 0}});
      }
    std::cout << '\n' << subject.element << ": the same work by others\n";
    table.print(line);
  }

  void ablations(const Subject &subject) {
    for (const Ablation &ablation : subject.ablations)
      for (const auto &size : wanted(ablation.title)) {
        glcl::Table table({"step", "kernels µs", "of the last", "of the first", "wall µs",
                           "to the exact result"});
        Progress progress(ablation.steps.size() + 1);
        const Scene scene{options_.contents.front(), size.first, size.second};
        double first = 0, last = 0;
        if (ablation.scalar) {
          progress.step("the reference");
          const double time = wall_time([&] { ablation.scalar(scene); });
          table.add({"the scalar reference, on the host", "", "", "", number(time), ""});
          json_["ablations"].push_back({{"element", subject.element},
                                        {"title", ablation.title},
                                        {"step", "reference"},
                                        {"width", size.first},
                                        {"height", size.second},
                                        {"wall-us", time}});
        }
        for (const Step &step : ablation.steps) {
          progress.step(step.name);
          Times times;
          Agreement agreement;
          try {
            times = measure(context_, step.make(*context_, scene), options_.seconds);
            glcl::Queue queue(context_);
            agreement =
                step.make(*context_, {scene.content, check_width, check_height}).compare(queue);
          } catch (const Error &error) {
            if (error.kind() != Error::Kind::settings) throw;
            table.add({step.name, "", "", "", "", "not on this device"});
            continue;
          }
          const double time = kernel_time(times);
          failed_ = failed_ || !agreement.good;
          if (first == 0) first = last = time;
          table.add({step.name, number(time), number(100 * time / last, 0) + " %",
                     number(100 * time / first, 1) + " %", number(times.wall),
                     (agreement.good ? "" : "WRONG: ") + agreement.text});
          if (options_.kernels)
            for (const auto &[name, kernel_time] : times.kernels)
              table.add({"  " + name, number(kernel_time), "", "", "", ""});
          json_["ablations"].push_back({{"element", subject.element},
                                        {"title", ablation.title},
                                        {"step", step.name},
                                        {"width", size.first},
                                        {"height", size.second},
                                        {"us", time},
                                        {"wall-us", times.wall},
                                        {"kernels-us", times.kernels},
                                        {"agrees", agreement.good},
                                        {"agreement", agreement.text}});
          last = time;
        }
        std::cout << '\n'
                  << subject.element << ": " << ablation.title << ", " << size_name(size) << '\n';
        table.print(line);
      }
  }

  void device() {
    glcl::Table table({"what", "variant", "µs", "achieved", "result"});
    json_["device-rates"] = Json::array();
    const std::vector<DeviceLine> rows = device_lines();
    Progress progress(rows.size());
    for (const DeviceLine &row : rows) {
      if (wanted(row.what).empty()) continue;
      progress.step(row.what + " " + row.variant);
      DeviceTime time;
      try {
        time = row.measure(context_);
      } catch (const cl::Error &error) {
        table.add({row.what, row.variant, "-", "",
                   std::string(error.what()) + ": " + glcl::error_name(error.err())});
        continue;
      } catch (const Error &error) {
        table.add({row.what, row.variant, "-", "", error.what()});
        continue;
      }
      failed_ = failed_ || !time.good;
      table.add({row.what, row.variant, number(time.microseconds),
                 number(time.rate) + " " + row.unit, time.good ? "right" : "WRONG"});
      json_["device-rates"].push_back({{"what", row.what},
                                       {"variant", row.variant},
                                       {"us", time.microseconds},
                                       {"rate", time.rate},
                                       {"unit", row.unit},
                                       {"right", time.good}});
    }
    std::cout << '\n';
    table.print(line);
  }

  void write() const {
    if (!options_.json.empty()) open_file(options_.json) << json_.dump(2) << '\n';
    if (options_.csv.empty()) return;
    std::ofstream file = open_file(options_.csv);
    file << "element,work,width,height,content,in-use,events-us,wall-us\n";
    for (const Json &row : json_["results"])
      if (row.contains("wall-us"))
        file << row["element"] << ',' << row["work"] << ',' << row["width"] << ',' << row["height"]
             << ',' << row["content"] << ',' << row["in-use"] << ',' << row["events-us"] << ','
             << row["wall-us"] << '\n';
  }

  bool failed() const { return failed_; }

 private:
  /// The sizes of what has this name: none where it is not asked for.
  std::vector<std::pair<int, int>> wanted(const std::string &name) const {
    if (name.find(options_.only) == std::string::npos) return {};
    return options_.sizes;
  }

  /// The variant in use first.
  std::vector<std::pair<Parameters, bool>> variants_of(const Task &task) const {
    if (!task.tunable) return {{{}, true}};
    const glcl::Tunable &tunable = *task.tunable;
    const std::string problem = task.problem.empty() ? tunable.problems.front() : task.problem;
    const Parameters in_use = glcl::tuned(tunable, context_->device(), problem);
    std::vector<std::pair<Parameters, bool>> list{{in_use, true}};
    if (!options_.chosen && !task.problem.empty())
      for (const Parameters &variant : glcl::variants(tunable, context_->device(), problem))
        if (variant != in_use) list.push_back({variant, false});
    return list;
  }

  Agreement agreement_of(const Task &task, const Parameters &parameters, Scene scene) {
    scene.width = check_width;
    scene.height = check_height;
    glcl::Queue queue(context_);
    return task.make(*context_, parameters, scene).compare(queue);
  }

  /// The time by the wall clock that was measured for a piece of work of ours, in µs.
  double in_use(const std::string &work, const Scene &scene) const {
    for (const Json &row : json_["results"])
      if (row["work"] == work && row["in-use"] == true && row["width"] == scene.width &&
          row["height"] == scene.height && row.contains("wall-us"))
        return row["wall-us"];
    return 0;
  }

  const Options &options_;
  std::shared_ptr<Context> context_;
  Limits limits_;
  Json json_;
  bool failed_ = false;
};

/// The elements to build pipelines of, which have to be there.
std::vector<std::string> elements_of_pipelines(const Options &options) {
  std::vector<std::string> elements =
      options.elements.empty() ? std::vector<std::string>{"glclinvert"} : options.elements;
  for (const std::string &element : elements) {
    const std::string name = element.substr(0, element.find(' '));
    GstElementFactory *factory = gst_element_factory_find(name.c_str());
    if (!factory)
      throw Error(Error::Kind::settings,
                  "no element " + name + "; GST_PLUGIN_PATH_1_0 names folders with plugins.");
    gst_object_unref(factory);
  }
  return elements;
}

/// A file decoded, alone and with four elements behind: ms a frame as fast as it goes; dropped
/// frames and the latency of each element where it plays at its own rate.
void bench_decoding(const Options &options) {
  constexpr int in_a_row = 4;
  if (!std::ifstream(options.decode))
    throw Error(Error::Kind::settings, "--decode " + options.decode + ": no such file.");
  if (decoders().empty())
    throw Error(Error::Kind::not_found,
                "GStreamer has no decoder for H.264: nvh264dec and vah264dec come with "
                "gstreamer1.0-plugins-bad and a GPU's driver, avdec_h264 with gstreamer1.0-libav.");
  Json json = Json::array();
  bool any = false;
  for (const std::string &element : elements_of_pipelines(options)) {
    glcl::Table table({"decoder", "behind it", "sharing", "frames", "ms/frame", "to alone",
                       "dropped", "latency ms, mean (longest)"});
    for (const std::string &decoder : decoders()) {
      std::vector<Decoding> rows{{decoder, "", "", 0}};
      for (const std::string &way : options.ways) rows.push_back({decoder, element, way, in_a_row});
      double alone = 0;
      for (const Decoding &row : rows) {
        std::string failure, dropped, latency;
        const auto result = row.run(options.decode, &failure);
        const std::string behind =
            row.count ? std::to_string(row.count) + " × " + element : "nothing";
        if (!result) {
          table.add({decoder, behind, row.way, "-", "-", "-", "-", failure});
          continue;
        }
        any = true;
        if (!row.count) alone = result->cost;
        Json elements = Json::array();
        for (const Decoding::Element &one : result->in_time) {
          dropped += (dropped.empty() ? "" : ", ") + std::to_string(one.dropped);
          latency += (latency.empty() ? "" : ", ") + number(one.latency, 2) + " (" +
                     number(one.longest, 1) + ")";
          elements.push_back({{"frames", one.frames},
                              {"dropped", one.dropped},
                              {"latency-ms", one.latency},
                              {"latency-max-ms", one.longest}});
        }
        table.add({decoder, behind, row.way, std::to_string(result->frames),
                   number(result->cost, 3), alone > 0 ? number(result->cost / alone, 2) : "-",
                   dropped, latency});
        json.push_back({{"decoder", decoder},
                        {"element", row.count ? element : ""},
                        {"count", row.count},
                        {"sharing", row.way},
                        {"frames", result->frames},
                        {"ms", result->cost},
                        {"in-time", elements}});
      }
    }
    table.print(line);
  }
  if (!options.json.empty()) open_file(options.json) << Json{{"decoding", json}}.dump(2) << '\n';
  if (!any)
    throw Error(Error::Kind::failed, "No decoder could play " + options.decode + ".",
                "it has to hold H.264 video");
}

/// What a frame costs in whole pipelines.
void bench_pipelines(const Options &options) {
  Json json = Json::array();
  for (const std::string &element : elements_of_pipelines(options)) {
    for (const auto &size : options.sizes) {
      const std::vector<Pipeline> list = pipelines(element, options.ways, size.first, size.second);
      // A row for each pipeline, a column for each way, the first for pipelines without ours.
      std::vector<std::string> ways{""};
      ways.insert(ways.end(), options.ways.begin(), options.ways.end());
      std::vector<std::vector<std::string>> rows;
      Progress progress(list.size());
      for (const Pipeline &pipeline : list) {
        progress.step(pipeline.name + " " + pipeline.way);
        const auto cost = pipeline.frame_cost(options.frames);
        auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const auto &one) { return one[0] == pipeline.name; });
        if (row == rows.end()) {
          rows.emplace_back(1 + ways.size())[0] = pipeline.name;
          row = rows.end() - 1;
        }
        (*row)[1 + (std::find(ways.begin(), ways.end(), pipeline.way) - ways.begin())] =
            cost ? number(cost->wall, 3) + " (" + number(cost->processor, 2) + ")" : "-";
        json.push_back({{"pipeline", pipeline.name},
                        {"sharing", pipeline.way},
                        {"width", size.first},
                        {"height", size.second},
                        {"ms", cost ? Json(cost->wall) : Json()},
                        {"processor-ms", cost ? Json(cost->processor) : Json()}});
      }
      std::vector<std::string> titles{"ms/frame (of processors), " + size_name(size) + " RGBA"};
      titles.insert(titles.end(), ways.begin(), ways.end());
      glcl::Table table(titles);
      for (const auto &row : rows) table.add(row);
      table.print(line);
    }
  }
  if (!options.json.empty()) open_file(options.json) << Json{{"pipelines", json}}.dump(2) << '\n';
}

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

std::vector<std::string> parse_ways(const std::string &text) {
  const Options defaults;
  std::vector<std::string> ways = split(text);
  for (const std::string &way : ways)
    if (std::find(defaults.ways.begin(), defaults.ways.end(), way) == defaults.ways.end())
      throw Error(Error::Kind::settings, "--sharing " + way + ": there are gl, external and copy.");
  return ways;
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

Options parse(int argc, char **argv) {
  Options options;
  Freed text;
  gboolean chosen = FALSE, kernels = FALSE, ablation = FALSE, sweep = FALSE, pipeline = FALSE;
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
  g_option_context_add_main_entries(context, entries.data(), nullptr);
  GError *error = nullptr;
  const bool good = g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  if (!good) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::settings, reason + ".");
  }
  options.chosen = chosen;
  options.kernels = kernels;
  options.ablation = ablation;
  options.sweep = sweep;
  options.pipeline = pipeline;
  const auto mode = std::find(asked.begin(), asked.end(), TRUE);
  if (mode != asked.end()) options.mode = modes()[mode - asked.begin()];
  options.sizes_chosen = text.size;
  if (text.device) options.device = text.device;
  if (text.devices) options.devices = text.devices;
  if (text.size) options.sizes = parse_sizes(text.size);
  if (text.sharing) options.ways = parse_ways(text.sharing);
  if (text.content) options.contents = parse_contents(text.content);
  if (text.only) options.only = text.only;
  if (text.json) options.json = text.json;
  if (text.decode) options.decode = text.decode;
  if (text.csv) options.csv = text.csv;
  if (!options.decode.empty() && !options.pipeline)
    throw Error(Error::Kind::settings, "--decode goes with --pipeline.");
  if (options.frames < 1) throw Error(Error::Kind::settings, "--frames must be 1 or more.");
  if (!(options.seconds > 0)) throw Error(Error::Kind::settings, "--seconds must be above 0.");
  for (gchar **element = text.rest; element && *element; element++)
    options.elements.push_back(*element);
  return options;
}

int bench(const Options &options) {
  if (options.pipeline) {
    (options.decode.empty() ? bench_pipelines : bench_decoding)(options);
    return 0;
  }
  if (options.mode) {
    const Request request{options.device, options.devices,
                          options.sizes_chosen ? options.sizes : decltype(options.sizes){},
                          options.seconds};
    return options.mode->run(request) ? 0 : 1;
  }
  if (!options.devices.empty())
    return print_shared(options.devices, options.sizes, options.seconds) ? 0 : 1;
  std::vector<const Subject *> chosen;
  bool device = false;
  for (const std::string &element : options.elements) {
    if (element == "device")
      device = true;
    else
      chosen.push_back(&subject(element));
  }
  if (options.elements.empty())
    for (const Subject &subject : subjects()) chosen.push_back(&subject);

  Bench bench(options);
  if (device) bench.device();
  for (const Subject *subject : chosen) {
    if (options.ablation) {
      bench.ablations(*subject);
    } else if (options.sweep) {
      bench.tasks(*subject, subject->sweep);
    } else {
      bench.tasks(*subject, subject->tasks);
      bench.peers(*subject);
    }
  }
  bench.write();
  return bench.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  setlocale(LC_ALL, "");
  setlocale(LC_NUMERIC, "C");
  try {
    const Options options = parse(argc, argv);
    if (options.pipeline) gst_init(nullptr, nullptr);
    return bench(options);
  } catch (const Error &error) {
    std::cerr << "glcl-bench: " << error.what() << '\n';
    if (!error.detail().empty()) std::cerr << error.detail() << '\n';
    return 2;
  } catch (const std::exception &error) {
    std::cerr << "glcl-bench: " << error.what() << '\n';
    return 2;
  }
}
