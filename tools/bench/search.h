// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>

#include "motion/search.h"
#include "reference/motion/motion.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

/// Two frames of a scene as luma planes on the device.
struct Planes {
  Planes(Context &context, const Scene &scene) {
    Queue queue(context.shared_from_this());
    motion::LumaConverter luma(context, Layout::buffer);
    for (const auto &[number, plane] : {std::pair{0, &reference}, {1, &current}}) {
      *plane = motion::make_plane(context.cl(), scene.width, scene.height);
      luma.run(queue, ::reference::upload(queue, scene.frame(number), Layout::buffer), *plane);
    }
    queue.cl().finish();
  }

  motion::LumaPlane reference, current;
};

constexpr int search_lambda = 4;

/// The minimum of a full search: every absolute difference, and both frames read once.
inline Amounts full_amounts(const Scene &scene, const motion::SearchWindow &window) {
  Amounts amounts;
  const double pixels = double(scene.width) * scene.height;
  amounts.bytes = 2 * pixels;
  amounts.differences = pixels * window.x.count * window.y.count;
  return amounts;
}

/// Prepares an engine with `run (queue, current, reference, window, lambda, keys)`.
template <class Engine>
Run search_run(Context &context, std::shared_ptr<Engine> engine, int block,
               const motion::SearchWindow &window, const Scene &scene, int lambda = search_lambda) {
  const auto planes = std::make_shared<Planes>(context, scene);
  const size_t count = motion::Search(context, block).keys(planes->current);
  const cl::Buffer keys(context.cl(), CL_MEM_READ_WRITE, count * sizeof(motion::Key));
  Run run;
  run.enqueue = [=](Queue &queue) {
    engine->run(queue, planes->current, planes->reference, window, lambda, keys);
  };
  run.compare = [=](Queue &queue) -> Agreement {
    engine->run(queue, planes->current, planes->reference, window, lambda, keys);
    return compare_equal(
        queue, keys,
        reference::full_search(reference::luma(scene.frame(1)), reference::luma(scene.frame(0)),
                               block, window, lambda),
        "vectors");
  };
  run.least = full_amounts(scene, window);
  return run;
}

}  // namespace glcl::bench
