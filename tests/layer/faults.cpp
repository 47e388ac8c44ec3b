// SPDX-License-Identifier: LGPL-2.1-or-later
#include "faults.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "control.h"

namespace glcl_layer {

namespace {

const std::map<std::string, int> &error_codes() {
#define CODE(name) \
  { #name, name }
  static const auto *codes = new std::map<std::string, int>{
      CODE(CL_DEVICE_NOT_FOUND),
      CODE(CL_DEVICE_NOT_AVAILABLE),
      CODE(CL_COMPILER_NOT_AVAILABLE),
      CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
      CODE(CL_OUT_OF_RESOURCES),
      CODE(CL_OUT_OF_HOST_MEMORY),
      CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
      CODE(CL_BUILD_PROGRAM_FAILURE),
      CODE(CL_MAP_FAILURE),
      CODE(CL_INVALID_VALUE),
      CODE(CL_INVALID_CONTEXT),
      CODE(CL_INVALID_COMMAND_QUEUE),
      CODE(CL_INVALID_BINARY),
      CODE(CL_INVALID_KERNEL_NAME),
      CODE(CL_INVALID_ARG_VALUE),
      CODE(CL_INVALID_OPERATION),
      {"CL_INVALID_GL_OBJECT", -60},
      {"CL_INVALID_EGL_OBJECT_KHR", -1093},
  };
#undef CODE
  return *codes;
}

int error_code(const std::string &text) {
  const auto known = error_codes().find(text);
  return known != error_codes().end() ? known->second : std::atoi(text.c_str());
}

std::string name_of(int code) {
  for (const auto &[name, value] : error_codes())
    if (value == code) return name;
  return std::to_string(code);
}

/// An error that a function in want of something gives.
int likely_error(const std::string &function) {
  static const auto *errors = new std::map<std::string, const char *>{
      {"clBuildProgram", "CL_BUILD_PROGRAM_FAILURE"},
      {"clCreateFromGLTexture", "CL_INVALID_GL_OBJECT"},
      {"clCreateFromEGLImageKHR", "CL_INVALID_EGL_OBJECT_KHR"},
      {"clCreateBuffer", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {"clCreateImage", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {"clCreateImageWithProperties", "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {"clCreateContext", "CL_DEVICE_NOT_AVAILABLE"},
      {"clGetDeviceIDs", "CL_DEVICE_NOT_FOUND"},
      {"clCreateKernel", "CL_OUT_OF_HOST_MEMORY"},
  };
  const auto known = errors->find(function);
  return error_code(known != errors->end() ? known->second : "CL_OUT_OF_RESOURCES");
}

bool begins(const std::string &text, const std::string &with) {
  return text.compare(0, with.size(), with) == 0;
}

/// Fails on handles only that never were valid.
bool never_fails(const std::string &function) {
  return begins(function, "clRetain") || begins(function, "clRelease");
}

/// Spreads numbers evenly (the finalizer of SplitMix64).
uint64_t spread(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Plan {
 public:
  explicit Plan(const char *text) {
    const std::string plan = text ? text : "";
    printing_ = plan == "count";
    if (printing_ || plan.empty()) return;
    const size_t first = plan.find(':'), second = plan.find(':', first + 1);
    if (first == std::string::npos) {
      std::fprintf(stderr, "glcl-fault: GLCL_FAULT=%s is not FUNCTION:N[:ERROR]\n", text);
      std::exit(2);
    }
    function_ = plan.substr(0, first);
    const std::string which = plan.substr(first + 1, second - first - 1);
    const std::string last = second == std::string::npos ? "" : plan.substr(second + 1);
    if (function_ == "random") {
      seed_ = std::strtoull(which.c_str(), nullptr, 10);
      one_in_ = std::strtoull(last.c_str(), nullptr, 10);
      return;
    }
    call_ = std::atol(which.c_str());
    onwards_ = which.back() == '+';
    if (!last.empty()) error_ = error_code(last);
  }

  cl_int next(const char *function) {
    const std::lock_guard lock(mutex_);
    const long call = ++counts_[function];
    if (one_in_ ? !chosen(function, call) : !meant(function)) return CL_SUCCESS;
    const cl_int error = error_ ? error_ : likely_error(function);
    std::fprintf(stderr, "glcl-fault: call %ld of %s fails with %d\n", one_in_ ? call : seen_,
                 function, error);
    injected_ += std::string(function) + " " + name_of(error) + "\n";
    return error;
  }

  void print() {
    const std::lock_guard lock(mutex_);
    for (const auto &[function, count] : counts_)
      if (printing_) std::fprintf(stderr, "glcl-fault: count %s %ld\n", function.c_str(), count);
  }

  std::map<std::string, long> counts() {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  std::string injected() {
    const std::lock_guard lock(mutex_);
    return injected_;
  }

 private:
  bool meant(const std::string &function) {
    if (function_.empty()) return false;
    const bool concerned = function_.back() == '*'
                               ? begins(function, function_.substr(0, function_.size() - 1))
                               : function == function_;
    if (!concerned) return false;
    seen_++;
    return seen_ == call_ || (onwards_ && seen_ > call_);
  }

  bool chosen(const std::string &function, long call) const {
    if (never_fails(function)) return false;
    uint64_t hash = spread(seed_);
    for (const char c : function) hash = spread(hash + static_cast<unsigned char>(c));
    return spread(hash + static_cast<uint64_t>(call)) % one_in_ == 0;
  }

  std::mutex mutex_;
  std::string function_;
  long call_ = 0, seen_ = 0;
  bool onwards_ = false, printing_ = false;
  cl_int error_ = CL_SUCCESS;
  uint64_t seed_ = 0, one_in_ = 0;
  std::map<std::string, long> counts_;
  std::string injected_;
};

std::mutex &plan_mutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

/// Calls may be under way by an older one.
std::shared_ptr<Plan> plan(std::shared_ptr<Plan> by = {}) {
  static auto *the = new std::shared_ptr<Plan>(std::make_shared<Plan>(std::getenv("GLCL_FAULT")));
  const std::lock_guard lock(plan_mutex());
  if (by) *the = std::move(by);
  return *the;
}

}  // namespace

cl_int injected(const char *function) { return plan()->next(function); }

void print_counts() { plan()->print(); }

}  // namespace glcl_layer

#define GLCL_EXPORT extern "C" __attribute__((visibility("default")))

GLCL_EXPORT void glcl_layer_plan(const char *text) {
  glcl_layer::plan(std::make_shared<glcl_layer::Plan>(text));
}

GLCL_EXPORT void glcl_layer_counts(void (*each)(const char *, long, void *), void *data) {
  for (const auto &[function, count] : glcl_layer::plan()->counts())
    each(function.c_str(), count, data);
}

GLCL_EXPORT const char *glcl_layer_injected() {
  static auto *text = new std::string;
  *text = glcl_layer::plan()->injected();
  return text->c_str();
}
