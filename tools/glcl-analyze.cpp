// SPDX-License-Identifier: LGPL-2.1-or-later
// glcl-analyze: shots, motion, flow, histograms, objects, tracks and scopes of files, as tables and
// pages.
#include <gst/gst.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

#include "analyze/analysis.h"
#include "analyze/join.h"
#include "analyze/output.h"
#include "analyze/overview.h"
#include "analyze/report.h"
#include "analyze/ruleoption.h"
#include "analyze/settings.h"
#include "analyze/table.h"
#include "analyze/workers.h"
#include "command.h"
#include "printable.h"

namespace {

using namespace glcl::analyze;

constexpr char usage[] =
    "Usage: glcl-analyze [OPTIONS] [--] FILE...\n"
    "Analyses video files as fast as the device allows. Each file gets a folder of its name in "
    "DIR\n"
    "with these results: frames.csv (one row per frame), events.jsonl (shots, begin and end of\n"
    "objects and of black and frozen parts), objects.csv (boxes of objects), shots.jpg (one\n"
    "picture per shot), index.html (a page with all results) and summary.json. A folder with the\n"
    "name of its file is complete.\n"
    "\n"
    "  --elements LIST  any of shots,histogram,motion,flow,objects,tracks,scope\n"
    "                   (default: shots,histogram,motion)\n"
    "  --rules FILE     zones and lines, as for the property rules of glclmotion; adds objects:\n"
    "                   rules.csv has their events, summary.json and the page have counts\n"
    "  --set E.P=V      set the property P of the element E to V, for example\n"
    "                   glclmotion.block-size=8; may be repeated\n"
    "  --from T --to T  only the frames of this range, in seconds or H:MM:SS\n"
    "  --out DIR        folder of the results (default: glcl-analysis)\n"
    "  --format F       format of the table of frames: csv\n"
    "  --resume         keep complete results of the same file and settings, compute the others\n"
    "  --overwrite      replace existing results\n"
    "  --jobs N         number of files analysed in parallel (default: raised while it helps)\n"
    "  --device D       OpenCL device, as for the property device of the elements\n"
    "  --stall S        give up a file after S seconds without a frame (default: 300)\n"
    "  --help           print this text\n"
    "  --version        print the version\n"
    "\n"
    "For archives, see docs/archive.md:\n"
    "  --split S FILE   print the begin and end of parts of about S seconds, one part per line\n"
    "  --part           analyse the range --from to --to as a part that --join accepts\n"
    "  --join PART...   join the results in the folders of all parts of a file\n"
    "\n"
    "Progress is a bar on a terminal, otherwise lines of JSON on standard output. The exit status "
    "is\n"
    "0 if all files were analysed, 1 if some were not, 2 for a wrong command line.\n";

struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  Task task;
  std::vector<std::string> files;
  std::string out = "glcl-analysis";
  Output::Existing existing = Output::Existing::refuse;
  WorkerOptions workers;
  double split = 0;
  bool join = false, worker = false, help = false;
};

double number_of(const std::string &text, const std::string &option) {
  size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception &) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(value >= 0 && value < 1e9))
    throw WrongUsage(option + "=" + text + " is invalid: give a number of at least 0");
  return value;
}

/// Parses a time: seconds, M:S or H:M:S.
GstClockTime time_of(const std::string &text, const std::string &option) {
  double seconds = 0;
  int parts = 0;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':'); parts++)
    seconds = 60 * seconds + number_of(part, option);
  if (parts < 1 || parts > 3)
    throw WrongUsage(option + "=" + text + " is invalid: give seconds or H:MM:SS");
  return static_cast<GstClockTime>(std::llround(seconds * 1e9));
}

std::vector<std::string> elements_of(const std::string &text) {
  std::string choices;
  for (const std::string &name : all_elements) choices += (choices.empty() ? "" : ",") + name;
  std::set<std::string> wanted;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (std::find(all_elements.begin(), all_elements.end(), name) == all_elements.end())
      throw WrongUsage("--elements=" + text + ": unknown name " + name + "; choose from " +
                       choices);
    wanted.insert(name);
  }
  std::vector<std::string> elements;
  for (const std::string &name : all_elements)
    if (wanted.count(name)) elements.push_back(name);
  if (elements.empty()) throw WrongUsage("--elements is empty; choose from " + choices);
  return elements;
}

void check_format(const std::string &format) {
  if (format == "parquet")
    throw WrongUsage(
        "--format=parquet is not supported: it needs Apache Arrow, which Debian does not package. "
        "Use csv; DuckDB, pandas and Arrow convert frames.csv to Parquet");
  if (format != "csv")
    throw WrongUsage("--format=" + format + " is unknown: only csv is supported");
}

int whole_number(const std::string &text, const std::string &option, int least) {
  const double value = number_of(text, option);
  if (value != std::floor(value) || value < least || value > 1e6)
    throw WrongUsage(option + "=" + text + " is invalid: give a whole number of at least " +
                     std::to_string(least));
  return static_cast<int>(value);
}

/// Sets the rules of a task, which need objects.
void set_rules(Task &task, const std::string &path) {
  try {
    task.rules = rules_in(path);
  } catch (const Failure &error) {
    throw WrongUsage("--rules=" + path + " is invalid: " + error.what());
  }
}

void check_settings(const Task &task) {
  for (const std::string &setting : task.settings)
    if (const std::string fault = setting_fault(task, setting); !fault.empty())
      throw WrongUsage("--set=" + setting + " is invalid: " + fault);
}

/// Checks options that depend on each other.
void check(Options &options) {
  Task &task = options.task;
  if (options.files.empty()) throw WrongUsage("no file given");
  if (options.split > 0 && options.files.size() > 1)
    throw WrongUsage("--split takes one file, not " + std::to_string(options.files.size()));
  if (task.to <= task.from)
    throw WrongUsage("--to=" + seconds(task.to) + " is not after --from=" + seconds(task.from) +
                     ": give a later time");
  if (task.from > 0 && is_on_ground(task.rules))
    throw WrongUsage(
        "--from does not go with rules that have “anchor” ground, because they lie where they were "
        "drawn in the first frame of the file; remove one of them");
  if (!task.rules.empty() && !task.has("objects")) {
    std::string all = "objects";
    for (const std::string &name : task.elements) all += "," + name;
    task.elements = elements_of(all);
  }
  check_settings(task);
}

Options options_of(const std::vector<std::string> &words) {
  Options options;
  options.task.elements = {"shots", "histogram", "motion"};
  bool only_files = false;
  for (size_t i = 0; i < words.size(); i++) {
    const size_t equals = words[i].rfind("--", 0) == 0 ? words[i].find('=') : std::string::npos;
    const std::string word = words[i].substr(0, equals);
    const auto set = [&](auto &option, auto to) {
      if (equals != std::string::npos)
        throw WrongUsage(words[i] + ": " + word + " takes no value; remove the value");
      option = to;
    };
    const auto value = [&] {
      if (equals != std::string::npos) return words[i].substr(equals + 1);
      if (i + 1 >= words.size()) throw WrongUsage(word + " needs a value");
      return words[++i];
    };
    if (only_files || word.size() < 2 || word[0] != '-') {
      options.files.push_back(words[i]);
    } else if (word == "--") {
      only_files = true;
    } else if (word == "--elements") {
      options.task.elements = elements_of(value());
    } else if (word == "--rules") {
      set_rules(options.task, value());
    } else if (word == "--set") {
      options.task.settings.push_back(value());
    } else if (word == "--from") {
      options.task.from = time_of(value(), word);
    } else if (word == "--to") {
      options.task.to = time_of(value(), word);
    } else if (word == "--out") {
      options.out = value();
    } else if (word == "--format") {
      check_format(value());
    } else if (word == "--device") {
      options.task.device = value();
    } else if (word == "--jobs") {
      options.workers.jobs = whole_number(value(), word, 1);
    } else if (word == "--stall") {
      options.workers.stall = whole_number(value(), word, 1);
    } else if (word == "--split") {
      const std::string text = value();
      options.split = number_of(text, word);
      if (options.split < 1)
        throw WrongUsage("--split=" + text + " is too short: give at least 1 s");
    } else if (word == "--resume") {
      set(options.existing, Output::Existing::keep);
    } else if (word == "--overwrite") {
      set(options.existing, Output::Existing::replace);
    } else if (word == "--part") {
      set(options.task.part, true);
    } else if (word == "--join") {
      set(options.join, true);
    } else if (word == "--worker") {
      options.worker = true;
    } else if (word == "--help" || word == "-h") {
      options.help = true;
    } else {
      throw WrongUsage("unknown option " + word);
    }
  }
  if (options.help || options.worker) return options;
  check(options);
  return options;
}

std::string absolute(const std::string &path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? std::filesystem::absolute(path).lexically_normal().string() : real.string();
}

/// Prints the begin and end of parts of about `length`, s; no part is shorter than half of it. Any
/// time works, because a seek starts at the previous key frame.
void print_parts(const std::string &file, double length) {
  const Extent extent = extent_of(file);
  const bool known = GST_CLOCK_TIME_IS_VALID(extent.duration) && extent.seekable;
  const GstClockTime duration = known ? extent.duration : 0;
  const auto parts =
      std::max<guint64>(static_cast<guint64>(std::llround(double(duration) / 1e9 / length)), 1);
  for (guint64 i = 0; i < parts; i++)
    std::cout << seconds(duration / parts * i) << ' '
              << (i + 1 < parts ? seconds(duration / parts * (i + 1)) : "end") << '\n';
}

int join_parts(std::vector<std::string> parts, const Options &options) {
  Task task = joined_task(parts);
  Output output(options.out, options.existing);
  if (!output.begin(task)) return 0;
  try {
    join(task, parts);
    report(task);
    output.finish(task);
  } catch (...) {
    output.discard(task);
    throw;
  }
  return 0;
}

int run(const Options &options) {
  if (options.worker) return run_worker();
  if (options.split > 0) {
    print_parts(absolute(options.files[0]), options.split);
    return 0;
  }
  if (options.join) return join_parts(options.files, options);
  std::vector<Task> tasks;
  std::set<std::string> seen;
  for (const std::string &file : options.files) {
    Task task = options.task;
    task.file = absolute(file);
    if (seen.insert(task.file).second) tasks.push_back(std::move(task));
  }
  Output output(absolute(options.out), options.existing);
  const int status = run_tasks(std::move(tasks), output, options.workers);
  if (!options.task.part) write_overview(absolute(options.out));
  return status;
}

int run_command(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (glcl::prints_version("glcl-analyze", argc, argv)) return 0;
  try {
    const Options options = options_of({argv + 1, argv + argc});
    if (!options.help) return run(options);
    std::cout << usage;
    return 0;
  } catch (const WrongUsage &error) {
    std::cerr << "glcl-analyze: " << glcl::printable(error.what())
              << "\nRun glcl-analyze --help for a list of options.\n";
    return 2;
  } catch (const std::exception &error) {
    std::cerr << "glcl-analyze: " << glcl::printable(error.what()) << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char **argv) {
  return glcl::exit_status("glcl-analyze", run_command(argc, argv));
}
