// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel.h"

#include <algorithm>
#include <utility>

#include "error.h"
#include "processexit.h"

namespace glcl {

namespace {

constexpr int frame_rows = 4;  // FRAME_ROWS of images
const char *const other_version = "kernels and plugin are of different versions.";

}  // namespace

Size frame_items(Layout layout, int width, int height) {
  const int two = 2 * frame_rows;  // of two items
  return {size_t(width), size_t(layout == Layout::buffer ? height : (height + two - 1) / two * 2)};
}

Size frame_group(Layout layout) { return layout == Layout::buffer ? Size{32, 4} : Size{16, 8}; }

Size block_items(const Picture &frame) {
  const Picture &plane = frame.chroma.empty() ? frame : frame.chroma.front();
  return {size_t(plane.width), size_t(plane.height)};
}

Size fit_group(const cl::Kernel &kernel, const cl::Device &device, Size wish) {
  // With a required size, some drivers allow more work-items than they report.
  const auto required = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device);
  if (required[0]) return {required[0], required[1]};
  const auto sides = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  const size_t limit = std::min(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device),
                                device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  Size group{std::max<size_t>(1, std::min(wish.x, sides[0])),
             std::max<size_t>(1, std::min(wish.y, sides[1]))};
  while (group.x * group.y > limit) {
    size_t &longer = group.x >= group.y ? group.x : group.y;
    longer /= 2;
  }
  return group;
}

size_t one_group(const cl::Device &device) {
  const size_t limit = std::min(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(),
                                device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>()[0]);
  size_t items = 1024;
  while (items > limit) items /= 2;
  return items;
}

std::string one_group_option(const cl::Device &device) {
  const bool cpu = device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU;
  return " -DONE_GROUP=" + std::to_string(cpu ? 1 : one_group(device));
}

Kernel::Kernel(Context &context, const cl::Program &program, const std::string &name, Size group)
    : name_(name), group_(group) {
  make(context.device(), program);
}

void Kernel::make(const Device &device, const cl::Program &program) const {
  try {
    cl::Kernel kernel(program, name_.c_str());
    const auto required = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device.device);
    group_ =
        required[0] ? Size{required[0], required[1]} : fit_group(kernel, device.device, group_);
    kernel_ = std::move(kernel);
  } catch (const cl::Error &error) {
    throw Error("The kernel " + name_ + " can't be used on " + device.name + ".", error);
  }
}

void Kernel::set(cl_uint &index, Kind kind, size_t bytes, const void *argument) {
  index++;
  if (!checked_ && index > kernel_.getInfo<CL_KERNEL_NUM_ARGS>())
    return;  // check_count() reports it
  if (!checked_) check_kind(index - 1, kind);
  try {
    kernel_.setArg(index - 1, bytes, argument);
  } catch (const cl::Error &error) {
    throw Error("Argument " + std::to_string(index) + " of the kernel " + name_ +
                    " does not fit its parameter: " + other_version,
                error);
  }
}

void Kernel::check_kind(cl_uint index, Kind kind) const {
  cl_kernel_arg_address_qualifier space;
  if (clGetKernelArgInfo(kernel_(), index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                         nullptr) != CL_SUCCESS)
    return;
  const std::string type = kernel_.getArgInfo<CL_KERNEL_ARG_TYPE_NAME>(index);
  const Kind parameter = space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? Kind::value
                         : space == CL_KERNEL_ARG_ADDRESS_LOCAL ? Kind::local
                         : type.compare(0, 5, "image") == 0     ? Kind::image
                                                                : Kind::buffer;
  const auto name = [](Kind of) {
    static const char *const names[] = {"a value", "a buffer", "an image", "local memory"};
    return std::string(names[static_cast<int>(of)]);
  };
  if (kind != parameter)
    throw Error(Error::Kind::failed, "Argument " + std::to_string(index + 1) + " of the kernel " +
                                         name_ + " is " + name(kind) + ", its parameter " +
                                         name(parameter) + ": " + other_version);
}

void Kernel::check_count(cl_uint arguments) {
  const auto parameters = kernel_.getInfo<CL_KERNEL_NUM_ARGS>();
  if (arguments != parameters)
    throw Error(Error::Kind::failed, "The kernel " + name_ + " has " + std::to_string(parameters) +
                                         " parameters, but is called with " +
                                         std::to_string(arguments) +
                                         " arguments: " + other_version);
  checked_ = true;
}

void Kernel::set(cl_uint &index, const Picture &picture) {
  set(index, FirstPlane{picture});
  set(index, picture.chroma);
}

void Kernel::set(cl_uint &index, const FirstPlane &plane) {
  if (plane.frame.layout == Layout::image) {
    set(index, plane.frame.image);
  } else {
    set(index, plane.frame.buffer);
    set(index, plane.frame.pitch);
  }
}

void Kernel::launch(Queue &queue, Size items) {
  const auto divided_up = [](size_t n, size_t by) { return (n + by - 1) / by; };
  const Size groups{divided_up(items.x, group_.x), divided_up(items.y, group_.y)};
  LaunchThrottle *throttle = LaunchThrottle::current();
  if (throttle && !std::exchange(launched_, true)) throttle->throttle_frame();
  if (throttle && speed_ && groups.y > 1 && is_long(groups))
    return launch_in_bands(queue, *throttle, groups);
  if (throttle && throttle->is_throttled())
    throttle->launched(queue, enqueue(queue, groups, 0), {work(groups), speed_});
  else
    enqueue(queue, groups, 0);
}

double Kernel::work(Size groups) const { return cost_ * double(groups.x) * double(groups.y); }

/// True if the launch takes longer than a band, or was never measured.
bool Kernel::is_long(Size groups) const {
  return *speed_ == speed_->zero() || *speed_ * work(groups) > LaunchThrottle::band;
}

/// Launches in bands. Without a measurement the first band is one row of groups, and its time
/// determines the others.
void Kernel::launch_in_bands(Queue &queue, LaunchThrottle &throttle, Size groups) {
  constexpr size_t growth = 8;  // most growth from one band to the next
  LaunchThrottle::Seconds speed = *speed_;
  const bool measured = speed > speed.zero();
  const double row = work({groups.x, 1});
  const auto fitting = [&](size_t most) {
    const double rows = LaunchThrottle::band / (speed * row);
    return rows < double(most) ? std::max<size_t>(1, static_cast<size_t>(rows)) : most;
  };
  throttle.throttle_frame();
  size_t rows = measured ? fitting(groups.y) : 1;
  LaunchThrottle::Seconds all{0};
  size_t all_rows = 0;
  bool counts = measured;  // skip the very first band: drivers are still compiling
  for (size_t done = 0; done < groups.y;) {
    rows = std::min(rows, groups.y - done);
    const LaunchThrottle::Seconds took =
        throttle.time(queue, enqueue(queue, {groups.x, rows}, done));
    done += rows;
    if (std::exchange(counts, true)) {
      all += took;
      all_rows += rows;
    }
    speed = took / (double(rows) * row);
    *speed_ = all_rows ? all / (double(all_rows) * row) : speed;
    rows = fitting(growth * rows);
  }
}

/// Enqueues rows of groups from `row` on. Returns null if no thread waits for them.
cl::Event Kernel::enqueue(Queue &queue, Size groups, size_t row) {
  const DriverWork work;
  const LaunchThrottle *throttle = LaunchThrottle::current();
  cl::Event event;
  cl::Event *profiled = queue.event(name_, row > 0);
  cl::Event *wanted = profiled ? profiled : throttle && throttle->is_throttled() ? &event : nullptr;
  try {
    queue.cl().enqueueNDRangeKernel(kernel_, row ? cl::NDRange(0, row * group_.y) : cl::NullRange,
                                    cl::NDRange(groups.x * group_.x, groups.y * group_.y),
                                    cl::NDRange(group_.x, group_.y), nullptr, wanted);
  } catch (const cl::Error &error) {
    throw Error(
        Error::Kind::failed,
        "Starting the kernel " + name_ + " failed on " + queue.context().device().name + ".",
        std::string(error.what()) + ": " + error_name(error.err()) + ", group " +
            std::to_string(group_.x) + "×" + std::to_string(group_.y));
  }
  return wanted ? *wanted : cl::Event();
}

}  // namespace glcl
