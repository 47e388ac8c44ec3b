// SPDX-License-Identifier: LGPL-2.1-or-later
#include "search.h"

#include "motion/subpel.h"
#include "reference/motion/motion.h"

namespace glcl::bench {

namespace {

using motion::Key;
using motion::Search;
using motion::Subpel;
using motion::Window;

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
    search.run(queue, planes->current, planes->reference, window, search_lambda, found);
    queue.cl().finish();
    Run run;
    run.enqueue = [=](Queue &queue) {
      queue.cl().enqueueCopyBuffer(found, keys, 0, 0, count * sizeof(Key));
      subpel->prepare(queue, planes->reference, halves);
      subpel->run(queue, planes->current, planes->reference, halves, search_lambda, true, keys);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      run.enqueue(queue);
      const reference::Plane current = reference::luma(scene.frame(1)),
                             before = reference::luma(scene.frame(0));
      std::vector<Key> expected =
          reference::full_search(current, before, block, window, search_lambda);
      reference::refine(expected, current, reference::Samples(before, 16 + 3), block, search_lambda,
                        true);
      return compare_equal(queue, keys, expected, "vectors");
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

const Registration registration("glclmotion", [](Subject &subject) {
  const Window range = Window::of_range(16);
  for (int block : {4, 8, 16, 32})
    subject.tasks.push_back(search_task(
        block, range, std::to_string(block) + "×" + std::to_string(block) + ", range 16",
        Search::problem(block)));
  subject.tasks.push_back(search_task(Search::partitions, range, "partitions, range 16",
                                      Search::problem(Search::partitions)));
  subject.tasks.push_back(refine_task(16, "16×16, quarter-pel of the found"));
  subject.tasks.push_back(refine_task(Search::partitions, "partitions, quarter-pel of all 41"));
  for (int side : {25, 31, 36, 40, 47, 55, 70})
    subject.sweep.push_back(
        search_task(16, Window::of_window(side, 16), "16×16, W=" + std::to_string(side), ""));
});

}  // namespace

}  // namespace glcl::bench
