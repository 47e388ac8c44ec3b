// SPDX-License-Identifier: LGPL-2.1-or-later
// The detector by vectors and the forms of RANSAC of Gómez Luna's thesis (2012), with as many
// vectors as it has: 5888 of 640×480 px.
#include <cmath>
#include <memory>

#include "camera/ransac.h"
#include "clusters.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using reference::CameraVector;

constexpr int width = 640, height = 480, count = 5888, iterations = 300;
constexpr camera::SimilarityMotion motion{-3, 2, 0.004f, -0.003f};

/// One in ten of something that goes its own way.
std::vector<CameraVector> vectors() {
  std::vector<CameraVector> list;
  for (int i = 0; i < count; i++) {
    const int column = i % 92, row = i / 92;
    const float x = float(column) * 6.9f - 320, y = float(row) * 7.4f - 240;
    const std::complex<float> v = reference::vector_at(motion, {x, y});
    const bool one = std::hypot(x + 60, y - 30) < 80, other = std::hypot(x - 150, y + 90) < 60;
    list.push_back({x, y,
                    v.real() + (one     ? 9.0f
                                : other ? -14.0f
                                        : 0.2f * std::sin(float(i))),
                    v.imag() + (one     ? -5.0f
                                : other ? 3.0f
                                        : 0.0f)});
  }
  return list;
}

cl::Buffer on_device(Context &context, std::vector<CameraVector> list) {
  return cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    list.size() * sizeof(CameraVector), list.data());
}

Step detector(const char *name, Clusters::Form form, bool whole, int copies) {
  return {name, [=](Context &context, const Scene &) {
            const auto engine = std::make_shared<Clusters>(context, form, width, height, count);
            const cl::Buffer list = on_device(context, vectors());
            const Clusters::Settings settings{motion, copies, 16};
            Run run;
            run.enqueue = [=](Queue &queue) {
              if (whole)
                engine->run(queue, settings, list, count);
              else
                engine->histogram(queue, settings, list, count);
            };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              const auto expected = Clusters::scalar(settings, width, height, vectors());
              return whole ? compare_equal(queue, engine->pixels(), expected.pixels, "clusters")
                           : compare_equal(queue, engine->votes(), expected.votes, "votes");
            };
            run.least.bytes = double(count) * sizeof(CameraVector) + (whole ? width * height : 0);
            return run;
          }};
}

camera::Ransac::Settings ransac_settings() {
  camera::Ransac::Settings settings;
  settings.converged = 0;
  settings.max_iterations = iterations;
  return settings;
}

Agreement agrees(float inliers, float expected) {
  return std::abs(inliers - expected) <= 0.01f * expected ? Agreement{true, "as many inliers"}
                                                          : Agreement{false, "other inliers"};
}

/// In one launch, with groups of so many items.
Step on_one_launch(const char *name, size_t items) {
  return {name, [=](Context &context, const Scene &) {
            const auto engine = std::make_shared<camera::Ransac>(
                context, context.device().is_cpu() ? size_t(1) : items);
            const cl::Buffer list = on_device(context, vectors()),
                             state(context.cl(), CL_MEM_READ_WRITE, sizeof(camera::CameraState));
            Run run;
            run.enqueue = [=](Queue &queue) {
              engine->run(queue, ransac_settings(), list, count, state);
            };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              camera::CameraState result;
              queue.cl().enqueueReadBuffer(state, CL_TRUE, 0, sizeof result, &result);
              const reference::Ransac expected(vectors(), ransac_settings());
              int inliers = 0;
              expected.fitted(expected.best, &inliers);
              return agrees(result.inliers, float(inliers));
            };
            run.least.bytes = double(count) * sizeof(CameraVector);
            return run;
          }};
}

Step driven_by_host() {
  return {"the host, two launches and a wait for each iteration",
          [](Context &context, const Scene &) {
            const auto engine = std::make_shared<HostRansac>(context);
            const cl::Buffer list = on_device(context, vectors());
            const auto inliers = std::make_shared<int>();
            Run run;
            run.enqueue = [=](Queue &queue) {
              *inliers = engine->run(queue, list, count, 0, iterations, 1.5f).second;
            };
            run.compare = [=](Queue &queue) {
              run.enqueue(queue);
              const reference::Ransac expected(vectors(), ransac_settings());
              return agrees(float(*inliers), float(expected.inliers[size_t(expected.best)]));
            };
            run.least.bytes = double(count) * sizeof(CameraVector);
            return run;
          }};
}

const Registration registration("glclmotion", [](Subject &subject) {
  using Form = Clusters::Form;
  subject.ablations.push_back(
      {"objects by vectors, 640×480, 5888 vectors",
       {detector("plain", Form::plain, true, 16), detector("compacted", Form::compacted, true, 16),
        detector("compacted and sorted", Form::sorted, true, 16)},
       [](const Scene &) {
         Clusters::scalar({motion, 16, 16}, width, height, vectors());
       }});
  Ablation copies{"vectors left and their 127×127 histogram, in copies", {}, {}};
  for (const auto &[name, number] :
       {std::pair{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {"32", 32}})
    copies.steps.push_back(detector(name, Form::plain, false, number));
  subject.ablations.push_back(copies);
  subject.ablations.push_back(
      {"RANSAC, 300 iterations, 5888 vectors",
       {driven_by_host(), on_one_launch("a group of 512 for each iteration", 512),
        on_one_launch("32 items for each iteration", 32)},
       {}});
});

}  // namespace

}  // namespace glcl::research
