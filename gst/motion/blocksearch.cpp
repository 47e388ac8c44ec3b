// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blocksearch.h"

#include "opencl/buffer.h"

namespace glcl::motion {

using Method = MotionSettings::Method;
using Precision = MotionSettings::Precision;

BlockSearch::BlockSearch(Context &context, const MotionSettings &settings, const LumaPlane &layout,
                         DevicePool *pool)
    : search_(context, settings.search_block()),
      hierarchy_(context, settings.search_block(), layout.width, layout.height),
      hexagon_(context, settings.search_block()),
      subpel_(context, settings.search_block()),
      noise_gate_(context, settings.search_block()),
      keys_(make_buffer(context.cl(), search_.keys(layout) * sizeof(Key))),
      gated_keys_(make_buffer(context.cl(), search_.keys(layout) * sizeof(Key))),
      field_(context.cl(), VectorField(settings, layout.width, layout.height)) {
  if (pool)
    multi_device_ = std::make_unique<MultiDeviceSearch>(*pool, context, settings.search_block(),
                                                        layout.width, layout.height);
}

std::shared_ptr<const DeferredError> BlockSearch::search(Queue &queue, Queue &results,
                                                         uint64_t number,
                                                         const SearchPlanes &planes,
                                                         const MotionSettings &settings,
                                                         const SearchRange &range) {
  const auto &[current, reference] = planes;
  const auto search_fewer = [&](auto &engine) {
    engine.run(results, current, reference, settings.range, settings.lambda, keys_,
               search_.columns(current), search_.keys(current));
  };
  const SearchWindow window = SearchWindow::of_range(settings.range);
  if (settings.method == Method::hierarchical)
    search_fewer(hierarchy_);
  else if (settings.method == Method::hexagon)
    search_fewer(hexagon_);
  else if (multi_device_)
    return multi_device_->enqueue(queue, results, number, current, reference, settings.range,
                                  range.preliminary, settings.lambda, keys_);
  else if (range.adaptive)
    range.adaptive->search.run(results, current, reference, window, settings.lambda, keys_,
                               range.adaptive->range.ranges());
  else
    search_.run(results, current, reference, window, settings.lambda, keys_);
  return nullptr;
}

void BlockSearch::refine(Queue &queue, const SearchPlanes &planes, const MotionSettings &settings,
                         const cl::Buffer &halves) {
  subpel_.prepare(queue, planes.reference, settings.range, halves);
  subpel_.run(queue, planes.current, planes.reference, halves, settings.lambda,
              settings.precision == Precision::quarter, keys_);
}

const cl::Buffer &BlockSearch::gate(Queue &queue, const SearchPlanes &planes,
                                    const MotionSettings &settings, const noise::Noise &noise) {
  if (settings.noise == 0) return keys_;
  noise_gate_.run(queue, planes.current, planes.reference, settings.lambda, noise,
                  settings.has_subpel(), keys_, gated_keys_, search_.columns(planes.current),
                  search_.keys(planes.current));
  return gated_keys_;
}

}  // namespace glcl::motion
