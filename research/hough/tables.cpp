// SPDX-License-Identifier: LGPL-2.1-or-later
// The three spaces of the fast generalised Hough transform in the forms of Gómez Luna's thesis
// (2012), tables 5.3 to 5.5. Also copies of the space of positions, beside the classic transform.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base.h"
#include "classic.h"
#include "reference/hough/edgepairs.h"
#include "reference/hough/scenes.h"
#include "reference/textured.h"
#include "reference/transfer.h"
#include "sweep.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"
#include "tools/bench/progress.h"
#include "tools/bench/text.h"
#include "tools/table.h"

namespace glcl::research {

namespace {

using namespace bench;
using hough::Canny;
using hough::EdgePairs;
using hough::Transform;

constexpr size_t capacity = size_t(1) << 20;  // edge pairs
constexpr double most_on_cpus = 2e9;          // comparisons, of unsorted lists
constexpr size_t chunk = 128;
constexpr int usual_copies = 16;

/// As many edges as the thesis's videos have in a frame of 352×288 px. Those are not at hand: here
/// two frames of clutter, moved by some px, with noise of 8 levels.
struct Video {
  const char *name;
  size_t edges;
};
constexpr Video videos[] = {{"Cycling", 2778}, {"Movie", 1436}, {"Basket", 5061}, {"Drama", 2684}};

/// Two frames' edges, and what the scalar reference makes of them.
struct Work {
  Work(Context &context, const Video &video, int frame_width, int frame_height, unsigned seed);

  const Video &video;
  int width, height;
  std::vector<uint16_t> maps[2];
  cl::Buffer buffers[2];
  std::unique_ptr<reference::EdgePairs> lists[2];
  int rotation, scale;
  std::vector<uint32_t> scales, positions;
};

Work::Work(Context &context, const Video &of, int frame_width, int frame_height, unsigned seed)
    : video(of), width(frame_width), height(frame_height) {
  Queue queue(context.shared_from_this());
  const Layout layout = layout_for(context.device());
  const reference::Frame scene = reference::clutter_frame(width + 8, height + 8, seed);
  for (int i = 0; i < 2; i++) {
    const reference::Frame frame =
        reference::noisy(reference::crop(scene, 5 * i, 3 * i, width, height), 8, 2 * seed + i);
    Canny canny(context, width, height, layout);
    canny.run(queue, {3, 6, false}, reference::upload(queue, frame, layout));
    queue.cl().finish();
    buffers[i] = canny.edges();
    maps[i].resize(size_t(width) * height);
    queue.cl().enqueueReadBuffer(buffers[i], CL_TRUE, 0, maps[i].size() * sizeof maps[i][0],
                                 maps[i].data());
    lists[i] = std::make_unique<reference::EdgePairs>(maps[i], width, video.edges, capacity);
  }
  const auto most = [](const auto &values) {
    return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
  };
  rotation = most(reference::correlation(*lists[0], *lists[1]));
  scales = reference::scale_votes(*lists[0], *lists[1], rotation);
  scale = most(scales);
  positions = reference::shift_votes(*lists[0], *lists[1], rotation, scale, 0);
}

/// What two lists, each in sub-lists, cost to compare.
struct Counts {
  double comparisons = 0, loads = 0;  ///< loads: of tuples
  void add(size_t n, size_t m) {
    if (!n || !m) return;
    comparisons += double(n) * double(m);
    const size_t stretches = (n + chunk - 1) / chunk;
    loads += double(n + stretches * m);
  }
};

enum Form { base, balanced, saving };
constexpr const char *form_names[] = {"BASE", "LB", "SSM"};

/// Of edge pairs, scales and positions: those of unsorted lists, and of sorted ones.
struct Costs {
  explicit Costs(const Work &work);
  Counts unsorted_pairs, unsorted, sorted_pairs, sorted;
};

Costs::Costs(const Work &work) {
  constexpr int steps = EdgePairs::steps, kinds = EdgePairs::kinds;
  const auto &[before, after] = work.lists;
  std::vector<size_t> directions(steps);
  for (const uint32_t index : after->indices) directions[(work.maps[1][index] & 127) - 1]++;
  unsorted_pairs.add(after->indices.size(), after->indices.size());
  for (int i = 0; i < steps; i++)
    sorted_pairs.add(directions[i], directions[(i + steps / 2) % steps]);
  unsorted.add(before->pairs.size(), after->pairs.size());
  for (int i = 0; i < kinds; i++)
    sorted.add(before->space[i], after->space[(i + work.rotation * steps) % kinds]);
}

/// Times of one row, each checked.
class Measured {
 public:
  Measured(Context &context, const Work &work, double seconds);

  bool edge_pairs(Form form);
  bool scales(Form form);
  bool positions(Form form, int copies);
  bool classic();

  /// Of the last one, ms.
  double kernel = 0, rest = 0;

 private:
  /// `kernels`: those of the stage, by how their names end.
  void time(const Run &run, const char *kernels);
  Transform &transform(Form form, int copies);

  std::shared_ptr<Context> context_;
  Queue queue_;
  const Work &work_;
  double seconds_;
  std::unique_ptr<EdgePairs> lists_[2];
  std::unique_ptr<BaseEdgePairs> base_[2];
  std::unique_ptr<Transform> known_;
};

Measured::Measured(Context &context, const Work &work, double seconds)
    : context_(context.shared_from_this()), queue_(context_), work_(work), seconds_(seconds) {
  for (int i = 0; i < 2; i++) {
    lists_[i] = std::make_unique<EdgePairs>(context, work.width, work.height, work.video.edges,
                                            capacity, EdgePairs::balanced);
    lists_[i]->run(queue_, work.buffers[i], {0, 0, work.width, work.height});
    base_[i] = std::make_unique<BaseEdgePairs>(context, work.width, work.height, work.video.edges,
                                               capacity);
    base_[i]->run(queue_, work.buffers[i]);
  }
  known_ = std::make_unique<Transform>(context, work.width, work.height, Transform::Settings(),
                                       EdgePairs::balanced);
  known_->run(queue_, *lists_[0], *lists_[1]);
  queue_.cl().finish();
}

void Measured::time(const Run &run, const char *kernels) {
  const Times times = measure(context_, run, seconds_);
  if (times.events <= 0) {
    kernel = times.wall / 1e3, rest = 0;
    return;
  }
  const std::string ending = kernels;
  kernel = 0;
  for (const auto &[name, us] : times.kernels)
    if (name.size() >= ending.size() &&
        name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
      kernel += us / 1e3;
  rest = std::max(times.events / 1e3 - kernel, 0.0);
}

bool Measured::edge_pairs(Form form) {
  Run run;
  if (form == base) {
    run.enqueue = [&](Queue &queue) { base_[1]->run(queue, work_.buffers[1]); };
    time(run, "base_edge_pairs");
    run.enqueue(queue_);
    return compare_equal(queue_, base_[1]->space(), work_.lists[1]->space, "").good;
  }
  EdgePairs list(*context_, work_.width, work_.height, work_.video.edges, capacity,
                 form == saving ? EdgePairs::saving : EdgePairs::balanced);
  run.enqueue = [&](Queue &queue) {
    list.run(queue, work_.buffers[1], {0, 0, work_.width, work_.height});
  };
  time(run, "edge_pairs_vote");
  run.enqueue(queue_);
  return compare_equal(queue_, list.space(), work_.lists[1]->space, "").good;
}

bool Measured::scales(Form form) {
  BaseTransform unsorted(*context_, work_.width, work_.height, 1);
  Transform sorted(*context_, work_.width, work_.height, Transform::Settings(),
                   form == saving ? EdgePairs::saving : EdgePairs::balanced);
  sorted.find_rotation(queue_, *lists_[0], *lists_[1]);
  queue_.cl().finish();
  Run run;
  run.enqueue = [&](Queue &queue) {
    if (form == base)
      unsorted.find_scale(queue, *base_[0], *base_[1], *known_);
    else
      sorted.find_scale(queue, *lists_[0], *lists_[1]);
  };
  time(run, "_scale");
  run.enqueue(queue_);
  return compare_equal(queue_, form == base ? unsorted.scale_votes() : sorted.scale_votes(),
                       work_.scales, "")
      .good;
}

bool Measured::positions(Form form, int copies) {
  BaseTransform unsorted(*context_, work_.width, work_.height, copies);
  Transform::Settings settings;
  settings.copies = copies;
  Transform sorted(*context_, work_.width, work_.height, settings,
                   form == saving ? EdgePairs::saving : EdgePairs::balanced);
  sorted.find_rotation(queue_, *lists_[0], *lists_[1]);
  sorted.find_scale(queue_, *lists_[0], *lists_[1]);
  queue_.cl().finish();
  Run run;
  run.enqueue = [&](Queue &queue) {
    if (form == base)
      unsorted.find_position(queue, *base_[0], *base_[1], *known_);
    else
      sorted.find_position(queue, *lists_[0], *lists_[1]);
  };
  time(run, "_shift");
  kernel += rest, rest = 0;  // copies are added up
  run.enqueue(queue_);
  return compare_equal(queue_, form == base ? unsorted.position_votes() : sorted.position_votes(),
                       work_.positions, "")
      .good;
}

bool Measured::classic() {
  Classic engine(*context_, work_.width, work_.height, work_.video.edges);
  Run run;
  run.enqueue = [&](Queue &queue) { engine.run(queue, *lists_[0], *lists_[1], *known_); };
  time(run, "");
  run.enqueue(queue_);
  EdgeList edges[2];
  for (int i = 0; i < 2; i++) {
    edges[i] = {work_.width, work_.height, work_.lists[i]->indices, {}};
    for (const uint32_t index : edges[i].indices)
      edges[i].directions.push_back((work_.maps[i][index] & 127) - 1);
  }
  return compare_equal(queue_, engine.most(), classic_most(edges[0], edges[1]), "").good;
}

std::string cell(bool good, double ms) { return number(ms, 3) + (good ? "" : " WRONG"); }

void print_costs(const std::vector<std::unique_ptr<Work>> &works) {
  std::printf(
      "\ncomparisons and loads of tuples (tables 5.3 and 5.4); of sorted lists also in %% of "
      "BASE\n");
  Table table({"video", "edges", "pairings", "of frames", "comparisons", "sorted", "%", "loads",
               "sorted", "%"});
  for (const auto &work : works) {
    const Costs costs(*work);
    const auto add = [&](const char *space, const Counts &unsorted, const Counts &sorted) {
      table.add({work->video.name, std::to_string(work->lists[1]->indices.size()),
                 std::to_string(work->lists[1]->pairs.size()), space,
                 number(unsorted.comparisons, 0), number(sorted.comparisons, 0),
                 number(100 * sorted.comparisons / std::max(unsorted.comparisons, 1.0), 2),
                 number(unsorted.loads, 0), number(sorted.loads, 0),
                 number(100 * sorted.loads / std::max(unsorted.loads, 1.0), 2)});
    };
    add("pairings (SP)", costs.unsorted_pairs, costs.sorted_pairs);
    add("scales, positions (S, D)", costs.unsorted, costs.sorted);
  }
  table.print();
}

void print_kernels(Context &context) {
  std::printf("\nwhat a kernel takes, by the driver (table 5.4)\n");
  Table table({"kernel", "form", "local bytes a group", "private bytes an item", "items at most"});
  const cl::Device &device = context.device().device;
  const auto add = [&](const Program &program, const char *name, Form form) {
    const cl::Kernel kernel(program.get(), name);
    table.add({name, form_names[form],
               std::to_string(kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device)),
               std::to_string(kernel.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(device)),
               std::to_string(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device))});
  };
  const Program unsorted = context.program("research/hough/base.cl");
  for (const auto &[own, name] : {std::pair{"base_edge_pairs", "edge_pairs_vote"},
                                  {"base_scale", "edge_pairs_scale"},
                                  {"base_shift", "edge_pairs_shift"}}) {
    add(unsorted, own, base);
    add(context.program("hough/edgepairs.cl", "-DFORM=0"), name, balanced);
    add(context.program("hough/edgepairs.cl", "-DFORM=1"), name, saving);
  }
  table.print();
}

bool print_times(Context &context, const std::vector<std::unique_ptr<Work>> &works,
                 double seconds) {
  Table times(
      {"video", "form", "pairings (SP)", "lists", "scales (S)", "positions (D)", "classic"});
  Table copies({"video", "form", "R = 1", "2", "4", "8", "16", "32", "64"});
  bool good = true;
  Progress progress(works.size());
  for (const auto &work : works) {
    progress.step(work->video.name);
    Measured measured(context, *work, seconds);
    const bool much = context.device().is_cpu() && Costs(*work).unsorted.comparisons > most_on_cpus;
    for (const Form form : {base, balanced, saving}) {
      Table::Row row = {work->video.name, form_names[form]};
      const auto add = [&](bool right) {
        good = good && right;
        row.push_back(cell(right, measured.kernel));
      };
      add(measured.edge_pairs(form));
      row.push_back(number(measured.rest, 3));
      if (form == base && much) {
        row.insert(row.end(), {"too much for a CPU", "", ""});
      } else {
        add(measured.scales(form));
        add(measured.positions(form, usual_copies));
        if (form == base)
          add(measured.classic());
        else
          row.emplace_back();
      }
      times.add(row);
      if (form == base) continue;
      Table::Row swept = {work->video.name, form_names[form]};
      for (int count = 1; count <= 64; count *= 2) {
        const bool right = measured.positions(form, count);
        good = good && right;
        swept.push_back(cell(right, measured.kernel));
      }
      copies.add(swept);
    }
  }
  std::printf("\nms, by OpenCL events where there are any (table 5.5)\n");
  times.print();
  std::printf("\npositions (D) with R copies of their space, ms\n");
  copies.print();
  return good;
}

bool print(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  std::printf("%s, driver %s\n", context->device().name.c_str(), context->device().driver.c_str());
  const std::vector<std::pair<int, int>> usual{{352, 288}};
  bool good = true;
  for (const auto &[width, height] : request.sizes.empty() ? usual : request.sizes) {
    std::printf("%s\n", size_name({width, height}).c_str());
    std::vector<std::unique_ptr<Work>> works;
    for (const Video &video : videos)
      works.push_back(std::make_unique<Work>(*context, video, width, height, works.size() + 1));
    print_costs(works);
    good = print_times(*context, works, request.seconds) && good;
  }
  print_kernels(*context);
  return print_sweep(*context, request.seconds) && good;
}

const Mode mode("hough",
                "The spaces of the fast generalised Hough transform in every form, at 352x288 or "
                "--size",
                print);

}  // namespace

}  // namespace glcl::research
