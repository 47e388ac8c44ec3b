// SPDX-License-Identifier: LGPL-2.1-or-later
#include "context.h"

#include <cstdlib>

#include "error.h"
#include "processexit.h"
#include "source.h"
#include "waiting.h"

namespace glcl {

namespace {

/// The contexts of devices without OpenGL.
struct DeviceContexts {
  struct Known {
    std::weak_ptr<Context> context;
    std::shared_ptr<Context> kept;
  };

  /// Never destroyed.
  static DeviceContexts &of_process() {
    static auto *all = new DeviceContexts;
    return *all;
  }

  std::mutex mutex;
  std::map<cl_device_id, Known> known;              // guarded by the mutex
  std::vector<std::shared_ptr<Context>> abandoned;  // the same; their end may wait for the device

 private:
  DeviceContexts() {
    call_at_exit([this] { drop_kept(); });
  }

  void drop_kept() {
    const std::lock_guard lock(mutex);
    for (auto &[device, entry] : known)
      if (entry.kept && !is_abandoned(entry.kept->cl())) entry.kept.reset();
  }
};

}  // namespace

size_t Context::max_programs() {
  constexpr size_t usual = 32;
  const char *text = std::getenv("GLCL_KEPT_PROGRAMS");
  char *end = nullptr;
  const unsigned long wish = text ? std::strtoul(text, &end, 10) : 0;
  return text && end != text ? wish : usual;
}

std::shared_ptr<Context> Context::of_device(const Device &device) {
  DeviceContexts &all = DeviceContexts::of_process();
  const std::lock_guard lock(all.mutex);
  DeviceContexts::Known &known = all.known[device.device()];
  std::shared_ptr<Context> context = known.context.lock();
  if (context && !is_abandoned(context->cl())) return context;
  if (known.kept) all.abandoned.push_back(std::move(known.kept));
  known.context = context = std::make_shared<Context>(device);
  if (device.is_cpu() && max_programs() > 0) known.kept = context;
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

Program Context::program(const std::string &path, const std::string &own_options) {
  const std::string text = kernel_source(path), options = own_options + device_.options();
  Program program;
  {
    const std::lock_guard lock(mutex_);
    Entry &entry = programs_[options + "\n" + text];
    const bool first = !entry.program;
    if (first) entry.program = Program(context_, device_, path, text, options, keep_);
    entry.last_request = ++requests_;
    program = entry.program;
    if (first) {
      compiler_pool_.add(program);
      drop_unused();
    }
  }
  ProgramRecorder::record(program);
  return program;
}

void Context::drop_unused() {
  const size_t most = max_programs();
  while (programs_.size() > most) {
    auto oldest = programs_.end();
    for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
      if (entry->second.program.is_shared()) continue;
      if (oldest == programs_.end() || entry->second.last_request < oldest->second.last_request)
        oldest = entry;
    }
    if (oldest == programs_.end()) return;
    programs_.erase(oldest);
  }
}

const cl::CommandQueue &Context::releasing_queue() {
  const std::lock_guard lock(mutex_);
  if (!releasing_queue_()) releasing_queue_ = cl::CommandQueue(context_, device_.device);
  return releasing_queue_;
}

}  // namespace glcl
