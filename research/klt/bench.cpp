// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of Farias et al.'s tracker (table 2): pyramids, from an image and from a buffer, good
// features, by a sort of all candidates and by counting, and tracking.
#include "klt/klt.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/klt/klt.h"
#include "reference/transfer.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using klt::Klt;
using klt::Points;
using klt::Pyramids;
using klt::Selection;
using klt::Tracking;

constexpr int features = 1000, levels = 3;

Klt::Settings settings() {
  Klt::Settings result;
  result.features = features;
  result.quality = 0, result.min_eigenvalue = 1e-3;
  return result;
}

/// Two frames' pyramids, and points in the first.
struct Work {
  Work(Context &context, const Scene &scene, Layout layout)
      : frames{scene.detailed(0), scene.detailed(1)},
        queue(context.shared_from_this()),
        pictures{reference::upload(queue, frames[0], layout),
                 reference::upload(queue, frames[1], layout)},
        pyramids(context, scene.width, scene.height, layout),
        points(context, scene.width, scene.height),
        selection(context, scene.width, scene.height),
        tracking(context),
        noise(context, noise::Noise::Texels::gaussian, scene.width, scene.height),
        before(pyramids.make()),
        after(pyramids.make()) {
    noise.set(queue, 0);
    pyramids.build(queue, pictures[0], count(), before);
    pyramids.build(queue, pictures[1], count(), after);
    queue.cl().finish();
  }
  int count() const { return std::min(levels, int(pyramids.levels().size())); }
  void choose(Queue &own, bool keep = false) {
    points.next_occupancy_mark(own);
    points.update_slots(own, {features, 1, true, true});
    selection.run(own, settings(), pyramids.plane(before), noise.variances(), features, points,
                  keep);
  }
  /// What a sort of all eigenvalues gives.
  std::vector<reference::klt::Corner> expected(Queue &own) {
    reference::klt::Plane values(frames[0].width, frames[0].height);
    own.cl().enqueueReadBuffer(selection.values(), CL_TRUE, 0, values.values.size() * sizeof(float),
                               values.values.data());
    return reference::klt::select(values, settings(), 0, features);
  }
  std::vector<Points::PointRecord> read(Queue &own) {
    points.report(own, features, noise.variances(), true);
    Points::PointSummary summary;
    own.cl().enqueueReadBuffer(points.report(), CL_TRUE, 0, sizeof summary, &summary);
    std::vector<Points::PointRecord> list(summary.count);
    if (!list.empty())
      own.cl().enqueueReadBuffer(points.report(), CL_TRUE, sizeof summary,
                                 list.size() * sizeof list[0], list.data());
    return list;
  }

  reference::Frame frames[2];
  Queue queue;
  Picture pictures[2];
  Pyramids pyramids;
  Points points;
  Selection selection;
  Tracking tracking;
  noise::Noise noise;
  cl::Buffer before, after;
};

Agreement equal_if(bool good, const char *what) {
  return {good, good ? "equal" : std::string("other ") + what};
}

Step pyramid_step(const char *name, Layout layout) {
  return {name, [=](Context &context, const Scene &scene) {
            const auto work = std::make_shared<Work>(context, scene, layout);
            Run run;
            run.enqueue = [=](Queue &queue) {
              work->pyramids.build(queue, work->pictures[1], work->count(), work->after);
            };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              std::vector<float> texels(work->after.getInfo<CL_MEM_SIZE>() / sizeof(float));
              queue.cl().enqueueReadBuffer(work->after, CL_TRUE, 0,
                                           texels.size() * sizeof texels[0], texels.data());
              const auto expected = reference::klt::pyramid(work->frames[1], work->count());
              for (int i = 0; i < work->count(); i++) {
                const Pyramids::PyramidLevel &level = work->pyramids.levels()[i];
                for (int y = 0; y < level.height; y++)
                  for (int x = 0; x < level.width; x++)
                    if (!(std::abs(texels[level.offset + y * level.pitch + x] -
                                   expected[i].at(x, y)) <= 1e-3))
                      return Agreement{false, "other texels"};
              }
              return Agreement{true, "equal"};
            };
            return run;
          }};
}

Step counting_step() {
  return {"good features, by counting", [](Context &context, const Scene &scene) {
            const auto work = std::make_shared<Work>(context, scene, layout_for(context.device()));
            Run run;
            run.enqueue = [=](Queue &queue) { work->choose(queue); };
            run.compare = [=](Queue &queue) {
              work->choose(queue, true);
              const auto list = work->read(queue);
              const auto expected = work->expected(queue);
              bool good = list.size() == expected.size();
              for (size_t i = 0; i < list.size() && good; i++)
                good = int(list[i].x) == expected[i].x && int(list[i].y) == expected[i].y;
              return equal_if(good, "points");
            };
            return run;
          }};
}

/// `whole`: with the choice that goes before, whose candidates are sorted.
Step sort_step(const char *name, bool whole) {
  return {name, [=](Context &context, const Scene &scene) {
            const auto work = std::make_shared<Work>(context, scene, layout_for(context.device()));
            const Program program = context.program("research/klt/sort.cl");
            Kernel begin(context, program, "sort_begin", {128, 1}),
                step(context, program, "sort_step", {128, 1});
            const size_t room = size_t(scene.width + 1) / 2 * (size_t(scene.height + 1) / 2);
            size_t count = 128;
            while (count < room) count *= 2;
            const cl::Buffer sorted(context.cl(), CL_MEM_READ_WRITE, count * sizeof(cl_ulong));
            work->choose(work->queue, true);
            work->queue.cl().finish();
            Run run;
            run.enqueue = [=](Queue &queue) mutable {
              if (whole) work->choose(queue, true);
              begin(queue, {count, 1}, work->selection.keys(), work->points.state(),
                    static_cast<cl_int>(count), sorted);
              for (size_t part = 2; part <= count; part *= 2)
                for (size_t apart = part / 2; apart > 0; apart /= 2)
                  step(queue, {count, 1}, sorted, static_cast<cl_int>(count),
                       static_cast<cl_int>(part), static_cast<cl_int>(apart));
            };
            run.compare = [=, enqueue = run.enqueue](Queue &queue) {
              enqueue(queue);
              const auto expected = work->expected(queue);
              std::vector<cl_ulong> keys(std::min(count, size_t(features)));
              queue.cl().enqueueReadBuffer(sorted, CL_TRUE, 0, keys.size() * sizeof keys[0],
                                           keys.data());
              bool good = expected.size() <= keys.size();
              for (size_t i = 0; i < expected.size() && good; i++)
                good = cl_uint(keys[i]) == cl_uint(expected[i].y * scene.width + expected[i].x);
              return equal_if(good, "points");
            };
            return run;
          }};
}

Step track_step() {
  return {"tracking of 1000 points", [](Context &context, const Scene &scene) {
            const auto work = std::make_shared<Work>(context, scene, layout_for(context.device()));
            const auto follow = [=](Queue &queue) {
              work->points.next_occupancy_mark(queue);
              work->tracking.run(queue, settings(), work->pyramids, work->before, work->after,
                                 work->noise.variances(), features, 3, work->points);
            };
            work->choose(work->queue);
            work->queue.cl().finish();
            Run run;
            run.enqueue = follow;
            run.compare = [=](Queue &queue) {
              work->choose(queue);
              follow(queue);
              work->points.update_slots(queue, {features, 0, false, false});
              const auto list = work->read(queue);
              Klt::Settings own = settings();
              own.noise = 0, own.reselect = 0;
              reference::klt::Klt reference;
              for (const reference::Frame &frame : work->frames) reference.run(own, frame);
              const auto expected = reference.report();
              size_t off = 0;
              for (size_t i = 0; i < list.size() && list.size() == expected.size(); i++)
                off += !(std::hypot(list[i].x - expected[i].x, list[i].y - expected[i].y) <= 0.01);
              return equal_if(list.size() == expected.size() && off * 1000 <= list.size(),
                              "points");
            };
            return run;
          }};
}

const Registration registration("glclklt", [](Subject &subject) {
  subject.ablations.push_back({"stages of a tracker of 1000 points",
                               {pyramid_step("pyramid, from an image", Layout::image),
                                pyramid_step("pyramid, from a buffer", Layout::buffer),
                                sort_step("good features, by a sort of all", true),
                                sort_step("the sort alone", false), counting_step(), track_step()},
                               {}});
});

}  // namespace

}  // namespace glcl::research
