// SPDX-License-Identifier: LGPL-2.1-or-later
#include "detectors.h"

#include <cstdlib>
#include <memory>

#include "histogram/shapeshots.h"
#include "histogram/shotvalues.h"
#include "hough/edgepairs.h"
#include "opencl/device.h"
#include "points.h"
#include "reference/transfer.h"

namespace accuracy {

namespace {

using glcl::histogram::ShapeShots;

const std::shared_ptr<glcl::Context> &context() {
  const char *wish = std::getenv("GLCL_TEST_DEVICE");
  static const auto context =
      glcl::Context::of_device(glcl::choose_device(glcl::devices(), wish ? wish : "auto"));
  return context;
}

}  // namespace

FoundShots find_by_shape(const std::vector<reference::Frame> &frames) {
  glcl::Queue queue(context());
  const glcl::Layout layout = glcl::layout_for(context()->device());
  glcl::hough::FrameEdgePairs edge_pairs(*context(), frames[0].width, frames[0].height, layout,
                                         ShapeShots::edges);
  glcl::histogram::ShotValues shot_values(*context(), layout, ShapeShots::counts);
  ShapeShots detector;
  FoundShots all;
  std::vector<uint32_t> values(ShapeShots::values);
  for (size_t i = 0; i < frames.size(); i++) {
    const glcl::Picture in = reference::upload(queue, frames[i], layout);
    queue.cl().enqueueReadBuffer(shot_values.run(queue, in, edge_pairs.run(queue, in)), CL_TRUE, 0,
                                 values.size() * sizeof(uint32_t), values.data());
    const auto shots = detector.add(i, values.data());
    all.insert(all.end(), shots.begin(), shots.end());
  }
  const auto shots = detector.finish();
  all.insert(all.end(), shots.begin(), shots.end());
  return all;
}

FoundShots find_by_points(const std::vector<reference::Frame> &frames) {
  glcl::Queue queue(context());
  const glcl::Layout layout = glcl::layout_for(context()->device());
  glcl::klt::Klt klt(*context(), frames[0].width, frames[0].height, layout);
  glcl::klt::Klt::Settings settings;
  settings.features = 300;
  FoundShots all;
  for (size_t i = 0; i < frames.size(); i++) {
    klt.run(queue, settings, reference::upload(queue, frames[i], layout));
    if (read_report(queue, klt).summary.cut)
      all.push_back({i, glcl::histogram::Shots::Kind::cut, 1});
  }
  return all;
}

}  // namespace accuracy
