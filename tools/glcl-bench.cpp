// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the engines of the elements, without a pipeline.
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/costs.h"
#include "bench/device.h"
#include "bench/exit.h"
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/pipelinetables.h"
#include "bench/progress.h"
#include "bench/shared.h"
#include "bench/start.h"
#include "bench/subject.h"
#include "bench/text.h"
#include "command.h"
#include "opencl/error.h"
#include "table.h"

namespace {

using namespace glcl::bench;
using glcl::Context;
using glcl::Error;
using glcl::Parameters;
using Json = nlohmann::ordered_json;

// Wide without a terminal, because tables go to files.
const size_t line = isatty(STDOUT_FILENO) ? glcl::line_width() : 170;
constexpr int check_width = 219,
              check_height = 117;  // px of the frame that is compared with the reference

/// Time of the kernels by events, or by the wall clock on devices without useful event clocks.
double kernel_time(const Times &times) { return times.events > 0 ? times.events : times.wall; }

/// The device limit that binds a run, and the part of it that the run achieves.
struct LimitShare {
  std::string limit;
  double part = 0;
};

LimitShare limit_share(const Limits &limits, const Run &run, const Times &times) {
  LimitShare share;
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
        const LimitShare share = limit_share(limits_, run, times);
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
    std::cout << '\n' << subject.element << ": the same work by other software\n";
    table.print(line);
  }

  void ablations(const Subject &subject) {
    for (const Ablation &ablation : subject.ablations)
      for (const auto &size : wanted(ablation.title)) {
        glcl::Table table({"step", "kernels µs", "of previous", "of first", "wall µs",
                           "error to the exact result"});
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

  /// Throws if nothing has the requested name.
  void expect_any() const {
    if (any_ || other_.empty()) return;
    std::string names;
    for (const std::string &name : other_) names += (names.empty() ? "" : "; ") + name;
    throw Error(Error::Kind::settings, "--only \"" + options_.only +
                                           "\": no work has this text in its name; choose from " +
                                           names + ".");
  }

  void write() const {
    if (!options_.json.empty()) open_file(options_.json) << json_.dump(2) << '\n';
    if (!options_.costs.empty()) add_costs(options_.costs, costs_of(json_, options_.command));
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
  /// The sizes of the work with this name; none if it is not requested.
  std::vector<std::pair<int, int>> wanted(const std::string &name) {
    if (name.find(options_.only) == std::string::npos) {
      other_.insert(name);
      return {};
    }
    any_ = true;
    return options_.sizes;
  }

  /// The variant in use first.
  std::vector<std::pair<Parameters, bool>> variants_of(const Task &task) const {
    if (!task.tunable) return {{{}, true}};
    const glcl::Tunable &tunable = *task.tunable;
    const std::string problem = task.problem.empty() ? tunable.problems.front() : task.problem;
    const Parameters in_use = glcl::tuned_parameters(tunable, context_->device(), problem);
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

  /// The measured wall-clock time of a piece of work, µs.
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
  bool failed_ = false, any_ = false;
  std::set<std::string> other_;  // names that were not requested
};

int bench(const Options &options) {
  if (options.start) {
    print_starts(options, line);
    return 0;
  }
  if (options.pipeline) {
    (!options.parallel.empty() ? print_parallel
     : options.decode.empty()  ? print_pipelines
                               : print_decoding)(options, line);
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
  bench.expect_any();
  bench.write();
  return bench.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char **argv) {
  setlocale(LC_ALL, "");
  setlocale(LC_NUMERIC, "C");
  try {
    if (glcl::prints_version("glcl-bench", argc, argv)) return glcl::exit_status("glcl-bench", 0);
    const Options options = parse(argc, argv);
    if (options.pipeline) gst_init(nullptr, nullptr);
    exit_at_once(glcl::exit_status("glcl-bench", bench(options)));
  } catch (const Error &error) {
    std::cerr << "glcl-bench: " << error.what() << '\n';
    if (!error.detail().empty()) std::cerr << error.detail() << '\n';
    return 2;
  } catch (const std::exception &error) {
    std::cerr << "glcl-bench: " << error.what() << '\n';
    return 2;
  }
}
