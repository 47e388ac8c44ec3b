// SPDX-License-Identifier: LGPL-2.1-or-later
#include "motion.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "opencl/error.h"

namespace glcl::motion {

namespace {

constexpr Size area_group{32, 4}, line_group{64, 1};
constexpr size_t summers = 64;  // work-items of a group of motion_sums
constexpr size_t sum_parts = Motion::sums_bytes / (4 * sizeof(cl_long));  // its groups

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }
size_t area(int columns, int rows) { return size_t(columns) * rows; }

int kind(const Motion::Settings &settings) {
  return settings.partitions ? Search::partitions : settings.block;
}

/// Columns and rows of the cells that lie in the frame, at least in part.
cl_int2 cells_inside(const Motion::Field &field, int width, int height) {
  return {{(width + field.cell - 1) / field.cell, (height + field.cell - 1) / field.cell}};
}

/// Completes a user event. Where OpenCL lacks resources for that, it is tried again: the queue
/// waits until it has worked.
void complete(const cl::UserEvent &event) {
  for (;;) {
    const cl_int status = clSetUserEventStatus(event(), CL_COMPLETE);
    if (status != CL_OUT_OF_RESOURCES && status != CL_OUT_OF_HOST_MEMORY) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// A call of one of the kernels that show something, on pictures of either layout.
template <class... Arguments>
void show(Kernel &kernel, Queue &queue, Size items, const Picture &in, const Picture &out,
          const Arguments &...arguments) {
  if (in.layout == Layout::buffer)
    kernel(queue, items, in.buffer, in.pitch, out.buffer, out.pitch, arguments...);
  else
    kernel(queue, items, in.image, out.image, arguments...);
}

}  // namespace

Motion::Field::Field(const Settings &settings, int width, int height) {
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

Motion::Summary::Summary(const Field &field, int width, int height, const void *sums) {
  double total[4]{};
  for (size_t i = 0; i < sum_parts * 4; i++) {
    cl_long sum;
    std::memcpy(&sum, static_cast<const cl_long *>(sums) + i, sizeof sum);
    total[i % 4] += static_cast<double>(sum);
  }
  const cl_int2 inside = cells_inside(field, width, height);
  const double cells = double(inside.s[0]) * inside.s[1];
  mse = total[0] / (double(width) * height);
  zero = total[1] / cells;
  mean_x = total[2] / (4 * cells);
  mean_y = total[3] / (4 * cells);
}

double Motion::Summary::psnr() const { return 10 * std::log10(255 * 255 / mse); }

Motion::Motion(Context &context, int width, int height, Layout layout)
    : context_(&context), width_(width), height_(height), luma_(context, layout) {
  const cl::Program field = context.program("motion/field.cl");
  field_kernel_ = Kernel(context, field, "motion_field", line_group);
  choose_ = Kernel(context, field, "motion_choose", line_group);
  predict_ = Kernel(context, field, "motion_predict", area_group);
  sums_kernel_ = Kernel(context, field, "motion_sums", {});
  const cl::Program display =
      context.program("motion/display.cl", layout == Layout::buffer ? "-DBUFFERS" : "");
  plane_ = Kernel(context, display, "motion_show_plane", area_group);
  residual_ = Kernel(context, display, "motion_show_residual", area_group);
  grid_ = Kernel(context, display, "motion_show_grid", area_group);
  arrows_ = Kernel(context, display, "motion_show_arrows", area_group);
  try {
    for (Plane *plane : {&planes_[0], &planes_[1], &predicted_})
      *plane = make_plane(context.cl(), width, height);
    halves_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, Subpel::halves_bytes(predicted_));
    sums_ = cl::Buffer(context.cl(), CL_MEM_READ_WRITE, sums_bytes);
  } catch (const cl::Error &error) {
    throw Error("There is no memory for a motion search on " + context.device().name + ".", error);
  }
}

Motion::~Motion() {
  to_come_.clear();
  blocks_.clear();
  for (const auto &[event, keys] : written_) clWaitForEvents(1, &event());
}

void Motion::share(std::unique_ptr<Team> team) {
  to_come_.clear();
  blocks_.clear();
  kind_ = 0;
  team_ = std::move(team);
}

void Motion::reset() { frames_ = before_frame_ = 0; }

Motion::Blocks Motion::build(const Settings &settings) const {
  const int kind = motion::kind(settings);
  Blocks blocks{Search(*context_, kind), Hierarchy(*context_, kind, width_, height_),
                Hexagon(*context_, kind), Subpel(*context_, kind)};
  const Field field(settings, width_, height_);
  const size_t count = area(field.block_columns, field.block_rows);
  const auto make = [&](size_t bytes) {
    return cl::Buffer(context_->cl(), CL_MEM_READ_WRITE, bytes);
  };
  blocks.keys = make(blocks.search.keys(predicted_) * sizeof(Key));
  blocks.vectors = make(area(field.columns, field.rows) * sizeof(Vector));
  blocks.costs = make(count * sizeof(cl_uint));
  blocks.shapes = make(count * sizeof(cl_ushort));
  if (team_) {
    blocks.shared = std::make_unique<SharedSearch>(*team_, *context_, kind, width_, height_);
    blocks.shared_keys =
        std::make_unique<PinnedPool>(*context_, blocks.shared->keys() * sizeof(Key));
  }
  return blocks;
}

void Motion::prepare(const Settings &settings) {
  const int kind = motion::kind(settings);
  if (blocks_.count(kind)) return;
  const auto to_come = to_come_.find(kind);
  if (to_come == to_come_.end()) {
    blocks_.emplace(kind, build(settings));
    return;
  }
  std::future<Blocks> building = std::move(to_come->second);
  to_come_.erase(to_come);
  blocks_.emplace(kind, building.get());
}

/// Whether there is what the settings need; has it built where it is not.
bool Motion::has_built(const Settings &settings) {
  const int kind = motion::kind(settings);
  if (blocks_.count(kind)) return true;
  std::future<Blocks> &building = to_come_[kind];
  if (!building.valid()) {
    building = std::async(std::launch::async, &Motion::build, this, settings);
    return false;
  }
  if (building.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  prepare(settings);
  return true;
}

bool Motion::next(Queue &queue, const Settings &wanted, const Picture &in) {
  Settings settings = wanted;
  if (!kind_) {
    prepare(settings);
  } else if (!has_built(settings)) {
    settings.partitions = kind_ == Search::partitions;
    if (!settings.partitions) settings.block = kind_;
  }
  kind_ = kind(settings);
  field_ = Field(settings, width_, height_);
  outcome_ = nullptr;
  frames_++;
  luma_.run(queue, in, current());
  search(queue, settings);
  predict_(queue, {size_t(width_ + 3) / 4, size_t(height_)}, reference().buffer, halves_,
           current().pitch, static_cast<cl_int>(current().bytes()), blocks().vectors, field_.cell,
           field_.columns, predicted_.buffer, width_, height_);
  return frames_ > 1;
}

void Motion::search(Queue &queue, const Settings &settings) {
  Blocks &b = blocks();
  const size_t count = area(field_.block_columns, field_.block_rows);
  if (frames_ == 1) {
    queue.cl().enqueueFillBuffer(b.vectors, cl_int(0), 0,
                                 area(field_.columns, field_.rows) * sizeof(Vector));
    queue.cl().enqueueFillBuffer(b.costs, cl_uint(0), 0, count * sizeof(cl_uint));
    queue.cl().enqueueFillBuffer(b.shapes, cl_ushort(0), 0, count * sizeof(cl_ushort));
    return;
  }
  const auto fast = [&](auto &engine) {
    engine.run(queue, current(), reference(), settings.range, settings.lambda, b.keys,
               field_.block_columns, b.search.keys(current()));
  };
  if (settings.method == Method::hierarchical)
    fast(b.hierarchy);
  else if (settings.method == Method::hexagon)
    fast(b.hexagon);
  else if (b.shared)
    search_together(queue, settings);
  else
    b.search.run(queue, current(), reference(), Window::of_range(settings.range), settings.lambda,
                 b.keys);
  if (settings.precision != Precision::full) {
    b.subpel.prepare(queue, reference(), halves_);
    b.subpel.run(queue, current(), reference(), halves_, settings.lambda,
                 settings.precision == Precision::quarter, b.keys);
  }
  if (settings.partitions)
    choose_(queue, {size_t(field_.block_columns), size_t(field_.block_rows)}, b.keys, b.vectors,
            b.costs, b.shapes, settings.lambda, field_.block_columns, field_.block_rows);
  else
    field_kernel_(queue, {count, 1}, b.keys, b.vectors, b.costs, b.shapes, cl_int(count));
}

/// Enqueues a copy of a plane to the host.
SharedSearch::Luma Motion::fetch(Queue &queue, const Plane &plane) {
  SharedSearch::Luma luma = blocks().shared->frame();
  queue.cl().enqueueReadBuffer(plane.buffer, CL_FALSE, 0, plane.bytes(), luma.bytes(), nullptr,
                               &luma.arrived);
  return luma;
}

/// The queue goes on when the devices have told what they found; the host does not wait for them.
void Motion::search_together(Queue &queue, const Settings &settings) {
  Blocks &b = blocks();
  if (before_frame_ != frames_ - 1 || before_kind_ != kind_) before_ = fetch(queue, reference());
  const SharedSearch::Luma before = std::exchange(before_, fetch(queue, current()));
  before_frame_ = frames_;
  before_kind_ = kind_;
  queue.cl().flush();

  const std::shared_ptr<Pinned> keys = b.shared_keys->take();
  const cl::UserEvent found(context_->cl());
  const auto outcome = std::make_shared<Outcome>();
  outcome_ = outcome;
  const auto done = [found, keys, outcome](const std::exception_ptr &failure) {
    if (failure) {
      std::fill_n(static_cast<Key *>(keys->data()), keys->bytes() / sizeof(Key), key_of(0, {}));
      outcome->set_failure(failure);
    }
    complete(found);
  };
  b.shared->start(before_, before, Window::of_range(settings.range), settings.lambda,
                  static_cast<Key *>(keys->data()), done);
  const std::vector<cl::Event> wait{found};
  while (!written_.empty() &&
         written_.front().first.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() <= CL_COMPLETE)
    written_.pop_front();
  cl::Event written;
  queue.cl().enqueueWriteBuffer(b.keys, CL_FALSE, 0, keys->bytes(), keys->data(), &wait, &written);
  written_.push_back({written, keys});
}

void Motion::copy_field(Queue &queue, const cl::Buffer &to) {
  const size_t count = area(field_.block_columns, field_.block_rows);
  const auto copy = [&](const cl::Buffer &from, size_t offset, size_t bytes) {
    queue.cl().enqueueCopyBuffer(from, to, 0, offset, bytes);
  };
  copy(blocks().vectors, 0, area(field_.columns, field_.rows) * sizeof(Vector));
  copy(blocks().costs, field_.costs, count * sizeof(cl_uint));
  copy(blocks().shapes, field_.shapes, count * sizeof(cl_ushort));
}

const cl::Buffer &Motion::sum_up(Queue &queue) {
  sums_kernel_(queue, {summers * sum_parts, 1}, current().buffer, predicted_.buffer,
               current().pitch, width_, height_, blocks().vectors,
               cells_inside(field_, width_, height_), field_.columns, sums_);
  return sums_;
}

void Motion::show_prediction(Queue &queue, const Picture &in, const Picture &out) {
  show(plane_, queue, {size_t(width_), size_t(height_)}, in, out, predicted_.buffer,
       predicted_.pitch, width_, height_);
}

void Motion::show_residual(Queue &queue, const Picture &in, const Picture &out) {
  show(residual_, queue, {size_t(width_), size_t(height_)}, in, out, current().buffer,
       predicted_.buffer, predicted_.pitch, width_, height_);
}

void Motion::show_vectors(Queue &queue, const Picture &in, const Picture &out) {
  const Blocks &b = blocks();
  show(grid_, queue, {size_t(width_), size_t(height_)}, in, out, b.shapes, field_.block,
       field_.block_columns, width_, height_);
  show(arrows_, queue, {size_t(field_.columns), size_t(field_.rows)}, in, out, b.vectors, b.shapes,
       field_.cell, field_.columns, field_.rows, field_.block, width_, height_);
}

}  // namespace glcl::motion
