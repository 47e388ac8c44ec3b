// SPDX-License-Identifier: LGPL-2.1-or-later
#include "search.h"

#include "motion/noisegate.h"
#include "motion/subpel.h"
#include "reference/motion/motion.h"

namespace glcl::bench {

namespace {

using motion::Key;
using motion::NoiseGate;
using motion::Search;
using motion::SearchWindow;
using motion::Subpel;
using noise::Noise;

Task search_task(int block, const SearchWindow &window, const std::string &name,
                 const std::string &problem) {
  return {name, &Search::tunable(), problem,
          [=](Context &context, const Parameters &variant, const Scene &scene) {
            return search_run(context, std::make_shared<Search>(context, block, variant), block,
                              window, scene);
          }};
}

/// The result of a full search of range 16, and a copy that a run may change.
struct Found {
  Found(Context &context, const Scene &scene, int block)
      : planes(std::make_shared<Planes>(context, scene)) {
    Search search(context, block);
    columns = search.columns(planes->current);
    count = search.keys(planes->current);
    for (cl::Buffer *buffer : {&found, &keys})
      *buffer = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, count * sizeof(Key));
    Queue queue(context.shared_from_this());
    search.run(queue, planes->current, planes->reference, range, search_lambda, found);
    queue.cl().finish();
  }

  void restore(Queue &queue) const {
    queue.cl().enqueueCopyBuffer(found, keys, 0, 0, count * sizeof(Key));
  }
  static std::vector<Key> expected(const reference::Plane &current, const reference::Plane &before,
                                   int block) {
    return reference::full_search(current, before, block, range, search_lambda);
  }

  static inline const SearchWindow range = SearchWindow::of_range(16);
  std::shared_ptr<Planes> planes;
  cl::Buffer found, keys;
  int columns = 0;
  size_t count = 0;
};

/// Quarter-pixel refinement of the vectors of a full search: all blocks, or all 41 partitions of
/// macroblocks.
Task refine_task(int block, const std::string &name) {
  const auto make = [=](Context &context, const Parameters &, const Scene &scene) {
    const auto found = std::make_shared<Found>(context, scene, block);
    const auto subpel = std::make_shared<Subpel>(context, block);
    const Planes &planes = *found->planes;
    const cl::Buffer halves(context.cl(), CL_MEM_READ_WRITE,
                            Subpel::halves_bytes(planes.reference));
    Run run;
    run.enqueue = [=, &planes](Queue &queue) {
      found->restore(queue);
      subpel->prepare(queue, planes.reference, Found::range.x.last(), halves);
      subpel->run(queue, planes.current, planes.reference, halves, search_lambda, true,
                  found->keys);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      run.enqueue(queue);
      const reference::Plane current = reference::luma(scene.frame(1)),
                             before = reference::luma(scene.frame(0));
      std::vector<Key> expected = Found::expected(current, before, block);
      reference::refine(expected, current, reference::Samples(before, 16 + 3), block, search_lambda,
                        true);
      return compare_equal(queue, found->keys, expected, "vectors");
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

/// The measurement of the frames' noise, and the noise gate on the result of a full search.
Task noise_task(int block, const std::string &name) {
  const auto make = [=](Context &context, const Parameters &, const Scene &scene) {
    const auto found = std::make_shared<Found>(context, scene, block);
    const auto still = std::make_shared<NoiseGate>(context, block);
    const cl::Buffer kept(context.cl(), CL_MEM_READ_WRITE, found->count * sizeof(Key));
    const auto noise =
        std::make_shared<Noise>(context, Noise::Texels::luma, scene.width, scene.height);
    const Planes &planes = *found->planes;
    Run run;
    run.enqueue = [=, &planes](Queue &queue) {
      found->restore(queue);
      noise->measure(queue, motion::noise_plane(planes.reference),
                     motion::noise_plane(planes.current));
      still->run(queue, planes.current, planes.reference, search_lambda, *noise, false, found->keys,
                 kept, found->columns, found->count);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      noise->reset();
      run.enqueue(queue);
      const reference::Plane current = reference::luma(scene.frame(1)),
                             before = reference::luma(scene.frame(0));
      std::vector<Key> expected = Found::expected(current, before, block);
      reference::keep_still(expected, current, before, block, search_lambda,
                            reference::noise_of(before, current), false);
      return compare_equal(queue, kept, expected, "vectors");
    };
    const double pixels = double(scene.width) * scene.height;
    run.least.bytes = 2 * pixels;
    run.least.differences = pixels;
    return run;
  };
  return {name, &Search::tunable(), "", make};
}

const Registration registration("glclmotion", [](Subject &subject) {
  const SearchWindow range = SearchWindow::of_range(16);
  for (int block : {4, 8, 16, 32})
    subject.tasks.push_back(search_task(
        block, range, std::to_string(block) + "×" + std::to_string(block) + ", range 16",
        Search::problem(block)));
  subject.tasks.push_back(search_task(Search::partitions, range, "partitions, range 16",
                                      Search::problem(Search::partitions)));
  subject.tasks.push_back(refine_task(16, "16×16, quarter-pel of the found"));
  subject.tasks.push_back(refine_task(Search::partitions, "partitions, quarter-pel of all 41"));
  subject.tasks.push_back(noise_task(16, "16×16, noise kept from moving the found"));
  for (int side : {25, 31, 36, 40, 47, 55, 70})
    subject.sweep.push_back(
        search_task(16, SearchWindow::of_window(side, 16), "16×16, W=" + std::to_string(side), ""));
});

}  // namespace

}  // namespace glcl::bench
