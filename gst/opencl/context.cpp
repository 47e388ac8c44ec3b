// SPDX-License-Identifier: LGPL-2.1-or-later
#include "context.h"

#include <atomic>

#include "error.h"
#include "source.h"

namespace glcl {

namespace {

std::atomic<unsigned> compiled{0};

/// Binaries by device and text. Never destroyed: OpenCL drivers don't survive calls at exit.
struct Binaries {
  std::mutex mutex;
  std::map<std::pair<cl_device_id, std::string>, std::vector<unsigned char>> by_text;
};

Binaries &binaries() {
  static auto *all = new Binaries;
  return *all;
}

/// PoCL compiles every kernel of a program before it gives the binary, and keeps on disk what it
/// has built anyway.
bool gives_binaries(const Device &device) {
  return device.platform_name != "Portable Computing Language";
}

/// What the compiler said, or why that is not known.
std::string build_log(const cl::Program &program, const cl::Device &device) {
  try {
    return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  } catch (const cl::Error &error) {
    return "no build log: " + error_name(error.err());
  }
}

cl::Program compile(const Context &context, const std::string &path, const std::string &text,
                    const std::string &options) {
  const cl::Device &device = context.device().device;
  cl::Program program(context.cl(), text);
  // Without warnings: PoCL prints how many there were, and an optimiser's are no user's concern.
  const std::string quiet = options + " -w";
  // Not CLHPP's build(): it fetches the log of good builds too, and fails where that does.
  const cl_int status = clBuildProgram(program(), 1, &device(), quiet.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS)
    throw Error(
        Error::Kind::failed,
        "The kernels of " + path + " do not build on " + context.device().name +
            ". Please report this with the build log of the debug text.",
        error_name(status) + " with options \"" + options + "\":\n" + build_log(program, device));
  compiled++;
  return program;
}

}  // namespace

std::shared_ptr<Context> Context::of_device(const Device &device) {
  static std::mutex mutex;
  static auto *contexts = new std::map<cl_device_id, std::weak_ptr<Context>>;
  const std::lock_guard lock(mutex);
  std::weak_ptr<Context> &known = (*contexts)[device.device()];
  std::shared_ptr<Context> context = known.lock();
  if (!context) known = context = std::make_shared<Context>(device);
  return context;
}

Context::Context(const Device &device, std::vector<cl_context_properties> properties)
    : device_(device) {
  properties.insert(
      properties.end(),
      {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform()), 0});
  try {
    context_ = cl::Context(device.device, properties.data());
  } catch (const cl::Error &error) {
    throw Error("No OpenCL context could be made on " + device.name + ".", error);
  }
}

cl::Program Context::program(const std::string &path, const std::string &options) {
  const std::string text = kernel_source(path);
  const std::string key = options + "\n" + text;
  const std::lock_guard lock(mutex_);
  const auto known = programs_.find(key);
  if (known != programs_.end()) return known->second;

  Binaries &cache = binaries();
  const std::lock_guard cache_lock(cache.mutex);
  std::vector<unsigned char> &binary = cache.by_text[{device_.device(), key}];
  cl::Program program;
  if (!binary.empty()) {
    try {
      program = cl::Program(context_, {device_.device}, {binary});
      program.build({device_.device}, options.c_str());
    } catch (const cl::Error &) {
      program =
          compile(*this, path, text, options);  // the driver does not take its own binary back
    }
  } else {
    program = compile(*this, path, text, options);
    if (gives_binaries(device_)) {
      const auto made = program.getInfo<CL_PROGRAM_BINARIES>();
      if (made.size() == 1) binary = made.front();
    }
  }
  return programs_.emplace(key, program).first->second;
}

unsigned programs_compiled() { return compiled; }

}  // namespace glcl
