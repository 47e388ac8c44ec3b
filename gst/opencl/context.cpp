// SPDX-License-Identifier: LGPL-2.1-or-later
#include "context.h"

#include "error.h"
#include "processexit.h"
#include "source.h"
#include "waiting.h"

namespace glcl {

std::shared_ptr<Context> Context::of_device(const Device &device) {
  static std::mutex mutex;
  static auto *contexts = new std::map<cl_device_id, std::weak_ptr<Context>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Context> &known = (*contexts)[device.device()];
  std::shared_ptr<Context> context = known.lock();
  if (!context || is_abandoned(context->cl())) known = context = std::make_shared<Context>(device);
  return context;
}

Context::Context(const Device &device, std::vector<cl_context_properties> properties,
                 std::shared_ptr<void> keep)
    : Context(device, std::move(properties), std::move(keep),
              CompilerPool::useful_threads(device)) {}

Context::Context(const Device &device, std::vector<cl_context_properties> properties,
                 std::shared_ptr<void> keep, unsigned compilers)
    : keep_(std::move(keep)), device_(device), compiler_pool_(compilers) {
  properties.insert(
      properties.end(),
      {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform()), 0});
  const DriverWork work;
  try {
    context_ = cl::Context(device.device, properties.data());
  } catch (const cl::Error &error) {
    throw Error("Can't create an OpenCL context on " + device.name + ".", error);
  }
}

Program Context::program(const std::string &path, const std::string &options) {
  const std::string text = kernel_source(path);
  Program program;
  {
    const std::lock_guard lock(mutex_);
    Program &known = programs_[options + "\n" + text];
    const bool first = !known;
    if (first) known = Program(context_, device_, path, text, options, keep_);
    program = known;
    if (first) compiler_pool_.add(program);
  }
  ProgramRecorder::record(program);
  return program;
}

const cl::CommandQueue &Context::releasing_queue() {
  const std::lock_guard lock(mutex_);
  if (!releasing_queue_()) releasing_queue_ = cl::CommandQueue(context_, device_.device);
  return releasing_queue_;
}

}  // namespace glcl
