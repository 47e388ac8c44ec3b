// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion/motion.h"

#include <cstdio>

#include "motion/thesis.h"
#include "peers.h"
#include "planes.h"
#include "reference/motion/motion.h"
#include "thesis.h"

namespace glcl::bench {

namespace {

using motion::Key;
using motion::Search;
using motion::Subpel;
using motion::Thesis;
using motion::Window;

constexpr int lambda = 4;

/// Every absolute difference that a full search can't do without; both frames are read once.
Amounts full_amounts(const Scene &scene, const Window &window) {
  Amounts amounts;
  const double pixels = double(scene.width) * scene.height;
  amounts.bytes = 2 * pixels;
  amounts.differences = pixels * window.x.count * window.y.count;
  return amounts;
}

/// Work of an engine that has `run (queue, current, reference, window, lambda, keys)`.
template <class Engine>
Run search_run(Context &context, std::shared_ptr<Engine> engine, int block, const Window &window,
               const Scene &scene) {
  const auto planes = std::make_shared<Planes>(context, scene);
  const size_t count = Search(context, block).keys(planes->current);
  const cl::Buffer keys(context.cl(), CL_MEM_READ_WRITE, count * sizeof(Key));
  Run run;
  run.enqueue = [=](Queue &queue) {
    engine->run(queue, planes->current, planes->reference, window, lambda, keys);
  };
  run.compare = [=](Queue &queue) -> Agreement {
    engine->run(queue, planes->current, planes->reference, window, lambda, keys);
    std::vector<Key> found(count);
    queue.cl().enqueueReadBuffer(keys, CL_TRUE, 0, count * sizeof(Key), found.data());
    const bool equal =
        found == reference::full_search(reference::luma(scene.frame(1)),
                                        reference::luma(scene.frame(0)), block, window, lambda);
    return {equal, equal ? "equal" : "other vectors"};
  };
  run.least = full_amounts(scene, window);
  return run;
}

Task search_task(int block, const Window &window, const std::string &name,
                 const std::string &problem) {
  return {name, &Search::tunable(), problem,
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            return search_run(context, std::make_shared<Search>(context, block, variant), block,
                              window, scene);
          }};
}

/// Quarter pixels for what a full search found: all blocks, or all 41 partitions of macroblocks.
Task refine_task(int block, const std::string &name) {
  const Window window = Window::of_range(16);
  const auto make = [=](Context &context, const Parameters &, const Scene &scene) {
    const auto planes = std::make_shared<Planes>(context, scene);
    const auto subpel = std::make_shared<Subpel>(context, block);
    Search search(context, block);
    const size_t count = search.keys(planes->current);
    const auto buffer = [&](size_t bytes) {
      return cl::Buffer(context.cl(), CL_MEM_READ_WRITE, bytes);
    };
    const cl::Buffer found = buffer(count * sizeof(Key)), keys = buffer(count * sizeof(Key)),
                     halves = buffer(Subpel::halves_bytes(planes->reference));
    Queue queue(context.shared_from_this());
    search.run(queue, planes->current, planes->reference, window, lambda, found);
    queue.cl().finish();
    Run run;
    run.enqueue = [=](Queue &queue) {
      queue.cl().enqueueCopyBuffer(found, keys, 0, 0, count * sizeof(Key));
      subpel->prepare(queue, planes->reference, halves);
      subpel->run(queue, planes->current, planes->reference, halves, lambda, true, keys);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      run.enqueue(queue);
      std::vector<Key> refined(count);
      queue.cl().enqueueReadBuffer(keys, CL_TRUE, 0, count * sizeof(Key), refined.data());
      const reference::Plane current = reference::luma(scene.frame(1)),
                             before = reference::luma(scene.frame(0));
      std::vector<Key> twin = reference::full_search(current, before, block, window, lambda);
      reference::refine(twin, current, reference::Samples(before, 16 + 3), block, lambda, true);
      const bool equal = refined == twin;
      return {equal, equal ? "equal" : "other vectors"};
    };
    // The vector, eight neighbours half a pixel away and eight a quarter; partitions of seven
    // sizes.
    const double pixels = double(scene.width) * scene.height;
    run.least.bytes = 2 * pixels;
    run.least.differences = pixels * (1 + 8 + 8) * (block == Search::partitions ? 7 : 1);
    return run;
  };
  return {name, &Search::tunable(), "", make};
}

Step thesis_step(const std::string &name, Thesis::Form form, const Window &window) {
  return {name, [=](Context &context, const Scene &scene) {
            return search_run(context, std::make_shared<Thesis>(context, form), Thesis::block,
                              window, scene);
          }};
}

/// The forms of the thesis and ours at one of its windows.
Ablation thesis_ablation(int side) {
  using Form = Thesis::Form;
  const Window window = Window::of_window(side, Thesis::block);
  Ablation ablation{"full search, blocks of 16 px, W=" + std::to_string(side), {}};
  ablation.steps = {thesis_step("reference, naive", Form::reference_naive, window),
                    thesis_step("reference, local memory", Form::reference_local, window),
                    thesis_step("collaborative, naive", Form::collaborative_naive, window),
                    thesis_step("collaborative, local memory", Form::collaborative_local, window),
                    thesis_step("collaborative, one launch", Form::collaborative_single, window),
                    thesis_step("unaligned rows", Form::unaligned, window),
                    {"several candidates per item", [=](Context &context, const Scene &scene) {
                       return search_run(context, std::make_shared<Search>(context, Thesis::block),
                                         Thesis::block, window, scene);
                     }}};
  return ablation;
}

}  // namespace

Subject motion_subject() {
  Subject subject;
  subject.element = "glclmotion";
  const Window range = Window::of_range(16);
  for (int block : {4, 8, 16, 32})
    subject.tasks.push_back(search_task(
        block, range, std::to_string(block) + "×" + std::to_string(block) + ", range 16",
        Search::problem(block)));
  subject.tasks.push_back(search_task(Search::partitions, range, "partitions, range 16",
                                      Search::problem(Search::partitions)));
  subject.tasks.push_back(refine_task(16, "16×16, quarter-pel of the found"));
  subject.tasks.push_back(refine_task(Search::partitions, "partitions, quarter-pel of all 41"));
  for (int side : thesis_windows)
    subject.sweep.push_back(
        search_task(16, Window::of_window(side, 16), "16×16, W=" + std::to_string(side), ""));
  for (int side : {31, 47}) subject.ablations.push_back(thesis_ablation(side));
  subject.peers = motion_peers();
  return subject;
}

}  // namespace glcl::bench
