// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion.h"

#include <utility>

#include "opencl/error.h"
#include "opencl/waiting.h"

namespace glcl::motion {

BlockMotion::BlockMotion(Context &context, int width, int height, const FrameFormat &frame) try
    : context_(&context),
      history_(context, width, height, frame),
      engines_(context, width, height),
      converter_(context),
      compensation_(context, width, height),
      statistics_(context),
      noise_(context, noise::Noise::Texels::luma, width, height) {
} catch (const cl::Error &error) {
  throw Error("Can't allocate memory for the motion search on " + context.device().name + ".",
              error);
}

BlockMotion::~BlockMotion() {
  engines_.clear_blocks();
  if (side_queue_) wait_noexcept(side_queue_->cl());
}

void BlockMotion::share(std::unique_ptr<DevicePool> pool) {
  engines_.share(std::move(pool));
  if (!engines_.shared()) return;
  try {
    side_queue_ = std::make_shared<Queue>(context_->shared_from_this());
    history_.keep(context_->cl(), most_in_flight);
  } catch (const cl::Error &error) {
    throw Error(
        "Can't allocate memory to share the motion search with " + context_->device().name + ".",
        error);
  }
}

void BlockMotion::reset() {
  history_.reset();
  noise_.reset();
}

bool BlockMotion::next(Queue &queue, const Settings &requested, const Picture &in, bool shown) {
  Settings settings = requested;
  if (!last_settings_) {
    prepare(settings);
  } else if (!ready(settings)) {
    settings.partitions = last_settings_->partitions;
    settings.block = last_settings_->block;
    settings.method = last_settings_->method;
    settings.range = last_settings_->range;
  }
  last_settings_ = settings;
  field_ = VectorField(settings, predicted().width, predicted().height);
  deferred_error_ = nullptr;
  history_.begin_frame();
  range_ = engines_.select_range(settings, std::exchange(range_, {}), history_.frames());
  field_.range = range_.adaptive || range_.preliminary.range ? 0 : settings.range;
  shown_ = shown;
  Queue &results = this->results(queue);
  history_.add(queue, results, in);
  search(queue, results, settings);
  compensation_.run(results, planes(), field_, vectors());
  has_sums_ = range_.adaptive && history_.frames() > 1 && settings.target_psnr > 0;
  if (has_sums_) sum_up(results);
  return history_.frames() > 1;
}

void BlockMotion::search(Queue &queue, Queue &results, const Settings &settings) {
  BlockSearch &blocks = engines_.blocks(settings.search_block());
  if (history_.frames() == 1) {
    blocks.field().clear(results, field_);
    return;
  }
  if (range_.adaptive) adapt_range(results, settings);
  deferred_error_ = blocks.search(queue, results, history_.number(), planes(), settings, range_);
  if (settings.has_subpel()) blocks.refine(results, planes(), settings, compensation_.halves());
  if (settings.noise < 0)
    noise_.measure(results, noise_plane(planes().reference), noise_plane(planes().current));
  else
    noise_.set(results, settings.noise);
  const cl::Buffer &keys = blocks.gate(results, planes(), settings, noise_);
  converter_.run(results, settings, field_, keys, blocks.field());
}

/// Enqueues finding the range of each area.
void BlockMotion::adapt_range(Queue &queue, const Settings &settings) {
  Range::PredictionTarget target;
  if (has_sums_ && settings.target_psnr > 0)
    target = {statistics_.sums(), MotionStatistics::parts, engines_.largest_error(settings)};
  range_.adaptive->range.run(queue, planes().current, planes().reference, settings.min_range,
                             settings.max_range, settings.lambda, target, range_.follows);
}

const cl::Buffer &BlockMotion::sum_up(Queue &queue) {
  const cl::Buffer *range_square = range_.adaptive ? &range_.adaptive->range.mean_square()
                                   : range_.preliminary.range ? &blocks().range_square()
                                                              : nullptr;
  statistics_.run(queue, planes(), predicted(), field_, vectors(), noise_, range_square);
  return statistics_.sums();
}

}  // namespace glcl::motion
