// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "opencl/error.h"
#include "opencl/queuesync.h"
#include "opencl/waiting.h"

namespace glcl::motion {

namespace {

constexpr Size area_group{32, 4}, line_group{64, 1};
// Groups of motion_sums. The noise variance and the mean square of ranges follow their sums.
constexpr size_t sum_parts = BlockMotion::sums_bytes / (SUM_VALUES * sizeof(cl_long)) - 1;
constexpr size_t noise_at = sum_parts * SUM_VALUES * sizeof(cl_long);  // bytes
constexpr size_t range_at = noise_at + sizeof(cl_long);

// MotionSummary::fails()
constexpr double least_explained = 0.5;   // of the changed pixels
constexpr double most_unexplained = 0.2;  // of the frame

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }
size_t area(int columns, int rows) { return size_t(columns) * rows; }

int search_block(const BlockMotion::Settings &settings) {
  return settings.partitions ? Search::partitions : settings.block;
}

/// Columns and rows of the cells that lie in the frame, at least in part.
cl_int2 cells_inside(const BlockMotion::VectorField &field, int width, int height) {
  return {{(width + field.cell - 1) / field.cell, (height + field.cell - 1) / field.cell}};
}

}  // namespace

BlockMotion::VectorField::VectorField(const Settings &settings, int width, int height) {
  block = settings.partitions ? 16 : settings.block;
  cell = settings.partitions ? 4 : block;
  block_columns = (width + block - 1) / block;
  block_rows = (height + block - 1) / block;
  columns = block_columns * (block / cell);
  rows = block_rows * (block / cell);
  costs = aligned(area(columns, rows) * sizeof(Vector));
  shapes = costs + aligned(area(block_columns, block_rows) * sizeof(cl_uint));
  bytes = shapes + aligned(area(block_columns, block_rows) * sizeof(cl_ushort));
}

BlockMotion::MotionSummary::MotionSummary(const VectorField &field, int width, int height,
                                          const void *sums) {
  double total[SUM_VALUES]{};
  for (size_t i = 0; i < sum_parts * SUM_VALUES; i++) {
    cl_long sum;
    std::memcpy(&sum, static_cast<const cl_long *>(sums) + i, sizeof sum);
    total[i % SUM_VALUES] += static_cast<double>(sum);
  }
  const cl_int2 inside = cells_inside(field, width, height);
  const double cells = double(inside.s[0]) * inside.s[1];
  mse = total[0] / (double(width) * height);
  zero = total[1] / cells;
  mean_x = total[2] / (4 * cells);
  mean_y = total[3] / (4 * cells);
  changed = total[4] / (double(width) * height);
  explained = total[4] > 0 ? total[5] / total[4] : 0;
  cl_float variance;
  std::memcpy(&variance, static_cast<const char *>(sums) + noise_at, sizeof variance);
  noise = std::sqrt(variance);
  cl_int known;
  std::memcpy(&known, static_cast<const char *>(sums) + range_at, sizeof known);
  range = field.range ? field.range : static_cast<int>(std::lround(std::sqrt(known)));
}

double BlockMotion::MotionSummary::psnr() const { return 10 * std::log10(255 * 255 / mse); }

bool BlockMotion::MotionSummary::fails() const {
  return explained < least_explained && changed * (1 - explained) > most_unexplained;
}

int BlockMotion::largest_range(int width, int height) {
  return std::clamp(std::max(width, height) / 30, 64, motion::max_range);
}

BlockMotion::BlockMotion(Context &context, int width, int height, const FrameFormat &frame)
    : context_(&context),
      width_(width),
      height_(height),
      luma_(context, frame),
      noise_(context, noise::Noise::Texels::luma, width, height) {
  const Program field = context.program("motion/field.cl");
  field_kernel_ = Kernel(context, field, "motion_field", line_group);
  choose_ = Kernel(context, field, "motion_choose", line_group);
  predict_ = Kernel(context, field, "motion_predict", area_group);
  sums_kernel_ = Kernel(context, field, "motion_sums", {});
  try {
    for (int i = 0; i < 2; i++) planes_.push_back(make_plane(context.cl(), width, height));
    predicted_ = make_plane(context.cl(), width, height);
    halves_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, Subpel::halves_bytes(predicted_));
    sums_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sums_bytes);
  } catch (const cl::Error &error) {
    throw Error("Can't allocate memory for the motion search on " + context.device().name + ".",
                error);
  }
}

BlockMotion::~BlockMotion() {
  blocks_.clear();
  if (side_queue_) wait_noexcept(side_queue_->cl());
  adaptive_.clear();
}

void BlockMotion::share(std::unique_ptr<DevicePool> pool) {
  pool_ = std::move(pool);
  if (!pool_) return;
  try {
    side_queue_ = std::make_shared<Queue>(context_->shared_from_this());
    while (planes_.size() < size_t(most_in_flight))
      planes_.push_back(make_plane(context_->cl(), width_, height_));
  } catch (const cl::Error &error) {
    throw Error(
        "Can't allocate memory to share the motion search with " + context_->device().name + ".",
        error);
  }
  plane_ends_.resize(planes_.size());
}

void BlockMotion::reset() {
  frames_ = 0;
  noise_.reset();
}

BlockMotion::BlockEngines BlockMotion::build(const Settings &settings) const {
  const int block = search_block(settings);
  BlockEngines blocks{Search(*context_, block), Hierarchy(*context_, block, width_, height_),
                      Hexagon(*context_, block), Subpel(*context_, block),
                      NoiseGate(*context_, block)};
  const VectorField field(settings, width_, height_);
  const size_t count = area(field.block_columns, field.block_rows);
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, bytes);
  };
  blocks.keys = make(blocks.search.keys(predicted_) * sizeof(Key));
  blocks.gated_keys = make(blocks.search.keys(predicted_) * sizeof(Key));
  blocks.vectors = make(area(field.columns, field.rows) * sizeof(Vector));
  blocks.costs = make(count * sizeof(cl_uint));
  blocks.shapes = make(count * sizeof(cl_ushort));
  if (pool_)
    blocks.pool = std::make_unique<MultiDeviceSearch>(*pool_, *context_, block, width_, height_);
  return blocks;
}

void BlockMotion::prepare(const Settings &settings) {
  const int block = search_block(settings);
  blocks_[block].get([&] { return build(settings); });
  if (settings.range == 0) adaptive_[block].get([&] { return build_adaptive(block); });
}

BlockMotion::AdaptiveSearch BlockMotion::build_adaptive(int block) const {
  return {
      Search(*context_, block,
             tuned_parameters(Search::tunable(), context_->device(), Search::problem(block)), true),
      Range(*context_, width_, height_)};
}

/// Sets the range of a search. With range = 0 it selects the adaptive or the preliminary search.
void BlockMotion::choose_range(Settings &settings) {
  const AdaptiveSearch *before = std::exchange(adaptive_search_, nullptr);
  adapted_before_ = false;
  preliminary_ = {};
  if (settings.range) return;
  if (!settings.max_range) settings.max_range = largest_range(width_, height_);
  if (settings.method == Method::full && !pool_)
    adaptive_search_ =
        adaptive_[block_].poll([this, block = block_] { return build_adaptive(block); });
  adapted_before_ = adaptive_search_ && adaptive_search_ == before && frames_ > 2;
  if (settings.method == Method::full && pool_ && settings.target_psnr > 0 && frames_ > 1)
    preliminary_ = {std::min(settings.min_range, settings.max_range), largest_error(settings)};
  settings.range = settings.max_range;
}

/// The maximum squared error of a prediction that reaches the target.
double BlockMotion::largest_error(const Settings &settings) const {
  return 255 * 255 / std::pow(10, settings.target_psnr / 10) * width_ * height_;
}

bool BlockMotion::ready(const Settings &settings) {
  const int block = search_block(settings);
  const bool blocks = blocks_[block].poll([this, settings] { return build(settings); });
  const bool adapts = settings.range == 0 && settings.method == Method::full && !pool_;
  return (!adapts || adaptive_[block].poll([this, block] { return build_adaptive(block); })) &&
         blocks;
}

/// Makes the queue wait until the plane for this frame is free. Also marks the end of the use of
/// the last frame.
void BlockMotion::wait_for_plane(Queue &queue) {
  const size_t count = planes_.size();
  if (last_queue_) {
    last_queue_->cl().enqueueMarkerWithWaitList(nullptr, &plane_ends_[(number_ - 1) % count]);
    last_queue_->cl().flush();
  }
  // The earlier frame in this plane was also the reference of its successor.
  const std::vector<cl::Event> end{plane_ends_[(number_ + 1) % count]};
  if (end[0]()) queue.cl().enqueueBarrierWithWaitList(&end);
}

bool BlockMotion::next(Queue &queue, const Settings &requested, const Picture &in, bool shown) {
  Settings settings = requested;
  if (!block_) {
    prepare(settings);
  } else if (!ready(settings)) {
    settings.partitions = last_settings_.partitions;
    settings.block = last_settings_.block;
    settings.method = last_settings_.method;
    settings.range = last_settings_.range;
  }
  last_settings_ = settings;
  block_ = search_block(settings);
  field_ = VectorField(settings, width_, height_);
  deferred_error_ = nullptr;
  frames_++;
  number_++;
  choose_range(settings);
  field_.range = adaptive_search_ || preliminary_.range ? 0 : settings.range;
  shown_ = shown;
  Queue &results = this->results(queue);
  if (pool_) wait_for_plane(queue);
  luma_.run(queue, in, current());
  wait_for(results, queue);
  if (pool_) {
    if (last_queue_) wait_for(results, *last_queue_);  // differs from `results` if `shown` changed
    last_queue_ = results.shared_from_this();
  }
  search(queue, results, settings);
  predict_(results, {size_t(width_ + 3) / 4, size_t(height_)}, reference().buffer, halves_,
           current().pitch, static_cast<cl_int>(current().bytes()), blocks().vectors, field_.cell,
           field_.columns, predicted_.buffer, width_, height_);
  has_sums_ = adaptive_search_ && frames_ > 1 && settings.target_psnr > 0;
  if (has_sums_) sum_up(results);
  return frames_ > 1;
}

void BlockMotion::search(Queue &queue, Queue &results, const Settings &settings) {
  BlockEngines &b = blocks();
  const size_t count = area(field_.block_columns, field_.block_rows);
  if (frames_ == 1) {
    results.cl().enqueueFillBuffer(b.vectors, cl_int(0), 0,
                                   area(field_.columns, field_.rows) * sizeof(Vector));
    results.cl().enqueueFillBuffer(b.costs, cl_uint(0), 0, count * sizeof(cl_uint));
    results.cl().enqueueFillBuffer(b.shapes, cl_ushort(0), 0, count * sizeof(cl_ushort));
    return;
  }
  if (adaptive_search_) {
    Range::PredictionTarget target;
    if (has_sums_ && settings.target_psnr > 0)
      target = {sums_, static_cast<int>(sum_parts), largest_error(settings)};
    adaptive_search_->range.run(results, current(), reference(), settings.min_range,
                                settings.max_range, settings.lambda, target, adapted_before_);
  }
  const auto search_fewer = [&](auto &engine) {
    engine.run(results, current(), reference(), settings.range, settings.lambda, b.keys,
               field_.block_columns, b.search.keys(current()));
  };
  if (settings.method == Method::hierarchical)
    search_fewer(b.hierarchy);
  else if (settings.method == Method::hexagon)
    search_fewer(b.hexagon);
  else if (b.pool)
    deferred_error_ = b.pool->enqueue(queue, results, number_, current(), reference(),
                                      settings.range, preliminary_, settings.lambda, b.keys);
  else if (adaptive_search_)
    adaptive_search_->search.run(results, current(), reference(),
                                 SearchWindow::of_range(settings.range), settings.lambda, b.keys,
                                 adaptive_search_->range.ranges());
  else
    b.search.run(results, current(), reference(), SearchWindow::of_range(settings.range),
                 settings.lambda, b.keys);
  if (settings.precision != Precision::full) {
    b.subpel.prepare(results, reference(), settings.range, halves_);
    b.subpel.run(results, current(), reference(), halves_, settings.lambda,
                 settings.precision == Precision::quarter, b.keys);
  }
  if (settings.noise < 0)
    noise_.measure(results, noise_plane(reference()), noise_plane(current()));
  else
    noise_.set(results, settings.noise);
  if (settings.noise != 0)
    b.noise_gate.run(results, current(), reference(), settings.lambda, noise_,
                     settings.precision != Precision::full, b.keys, b.gated_keys,
                     field_.block_columns, b.search.keys(current()));
  const cl::Buffer &keys = settings.noise != 0 ? b.gated_keys : b.keys;
  if (settings.partitions)
    choose_(results, {size_t(field_.block_columns), size_t(field_.block_rows)}, keys, b.vectors,
            b.costs, b.shapes, settings.lambda, field_.block_columns, field_.block_rows);
  else
    field_kernel_(results, {count, 1}, keys, b.vectors, b.costs, b.shapes, cl_int(count));
}

void BlockMotion::copy_field(Queue &queue, const cl::Buffer &to) {
  const size_t count = area(field_.block_columns, field_.block_rows);
  const auto copy = [&](const cl::Buffer &from, size_t offset, size_t bytes) {
    queue.cl().enqueueCopyBuffer(from, to, 0, offset, bytes);
  };
  copy(blocks().vectors, 0, area(field_.columns, field_.rows) * sizeof(Vector));
  copy(blocks().costs, field_.costs, count * sizeof(cl_uint));
  copy(blocks().shapes, field_.shapes, count * sizeof(cl_ushort));
}

const cl::Buffer &BlockMotion::sum_up(Queue &queue) {
  sums_kernel_(queue, {SUMMERS * sum_parts, 1}, current().buffer, reference().buffer,
               predicted_.buffer, current().pitch, width_, height_, blocks().vectors,
               cells_inside(field_, width_, height_), field_.columns, noise_.variances(), sums_);
  queue.cl().enqueueCopyBuffer(noise_.variances(), sums_, 0, noise_at, sizeof(cl_float));
  if (adaptive_search_)
    queue.cl().enqueueCopyBuffer(adaptive_search_->range.mean_square(), sums_, 0, range_at,
                                 sizeof(cl_int));
  if (preliminary_.range)
    queue.cl().enqueueCopyBuffer(blocks().pool->range_square(), sums_, 0, range_at, sizeof(cl_int));
  return sums_;
}

}  // namespace glcl::motion
