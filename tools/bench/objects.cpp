// SPDX-License-Identifier: LGPL-2.1-or-later
#include "objects/objects.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "reference/camera/ransac.h"
#include "reference/objects/objects.h"
#include "reference/transfer.h"
#include "subject.h"

namespace glcl::bench {

namespace {

/// 300 iterations over 9600 vectors; half of them follow the camera.
Task ransac_task() {
  const auto make = [](Context &context, const Parameters &, const Scene &) {
    const auto vectors = std::make_shared<std::vector<reference::CameraVector>>();
    const camera::SimilarityMotion motion{-3, 2, 0.004f, -0.003f};
    for (int i = 0; i < 9600; i++) {
      const int column = i % 120, row = i / 120;
      const std::complex<float> z(float(column) * 16 - 960, float(row) * 13 - 540),
          v = reference::vector_at(motion, z);
      const float off = 0.3f * std::sin(float(i) * 12.9f);
      vectors->push_back(
          i % 2 ? reference::CameraVector{z.real(), z.imag(), v.real() + off, v.imag() - off}
                : reference::CameraVector{z.real(), z.imag(), 20 * std::sin(float(i)),
                                          20 * std::cos(float(i) * 3)});
    }
    const cl::Buffer list(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          vectors->size() * sizeof(reference::CameraVector), vectors->data());
    const cl::Buffer state(context.cl(), CL_MEM_READ_WRITE, sizeof(camera::CameraState));
    const auto ransac = std::make_shared<camera::Ransac>(context);
    camera::Ransac::Settings settings = camera::Ransac::defaults(context.device());
    settings.converged = 0;
    Run run;
    run.enqueue = [=](Queue &queue) {
      ransac->run(queue, settings, list, int(vectors->size()), state);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      run.enqueue(queue);
      camera::CameraState result;
      queue.cl().enqueueReadBuffer(state, CL_TRUE, 0, sizeof result, &result);
      const reference::Ransac expected(*vectors, settings);
      int inliers = 0;
      expected.fitted(expected.best, &inliers);
      return std::abs(result.inliers - float(inliers)) <= 0.01f * float(inliers)
                 ? Agreement{true, "as many inliers"}
                 : Agreement{false, "other inliers"};
    };
    run.least.bytes = double(vectors->size()) * sizeof(reference::CameraVector);
    return run;
  };
  return {"camera, 300 × 9600 vectors", nullptr, "", make};
}

/// All steps after the search: camera, background model, regions.
Task objects_task(camera::Compensation compensation, const std::string &name) {
  const auto make = [=](Context &context, const Parameters &, const Scene &scene) {
    const Layout layout = layout_for(context.device());
    const auto search =
        std::make_shared<motion::BlockMotion>(context, scene.width, scene.height, layout);
    const auto objects =
        std::make_shared<objects::Objects>(context, scene.width, scene.height, layout);
    Queue queue(context.shared_from_this());
    motion::BlockMotion::Settings settings;
    settings.noise = -1;
    Picture in;
    for (int i = 0; i < 2; i++) {
      in = reference::upload(queue, scene.frame(i), layout);
      const bool moved = search->next(queue, settings, in);
      objects->sample_colours(queue, {compensation}, in);
      objects->next(queue, {compensation}, *search, !moved);
    }
    queue.cl().finish();
    Run run;
    run.enqueue = [=](Queue &queue) {
      objects->sample_colours(queue, {compensation}, in);
      objects->next(queue, {compensation}, *search, false);
    };
    run.compare = [=](Queue &queue) -> Agreement {
      run.enqueue(queue);
      const cl_int2 size = objects->frame().size;
      std::vector<uint8_t> foreground(size_t(size.s[0]) * size.s[1]);
      queue.cl().enqueueReadBuffer(objects->foreground(), CL_TRUE, 0, foreground.size(),
                                   foreground.data());
      std::vector<float> small(foreground.size());
      queue.cl().enqueueReadBuffer(objects->small(), CL_TRUE, 0, small.size() * sizeof(float),
                                   small.data());
      objects::RegionList result;
      queue.cl().enqueueReadBuffer(objects->regions(), CL_TRUE, 0, sizeof result, &result);
      const float scale = objects->frame().reduction;
      const double least =
          objects::Objects::least_area({}, scene.width, scene.height) / (2 * scale * scale);
      const auto expected =
          reference::regions(foreground, small, size.s[0], size.s[1], std::max(int(least), 1));
      return result.state.cut || result.count == int(expected.size())
                 ? Agreement{true, "equal regions"}
                 : Agreement{false, "other regions"};
    };
    run.least.bytes = double(scene.width) * scene.height;
    return run;
  };
  return {name, nullptr, "", make};
}

const Registration registration("glclmotion", [](Subject &subject) {
  subject.tasks.push_back(ransac_task());
  subject.tasks.push_back(objects_task(camera::Compensation::none, "objects, still camera"));
  subject.tasks.push_back(
      objects_task(camera::Compensation::first_order_flow, "objects, moving camera"));
});

}  // namespace

}  // namespace glcl::bench
