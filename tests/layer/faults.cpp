// SPDX-License-Identifier: LGPL-2.1-or-later
#include "faults.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace glcl_layer {

namespace {

int error_code(const std::string &text) {
#define CODE(name) \
  { #name, name }
  static const std::map<std::string, int> codes = {
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
  };
#undef CODE
  const auto known = codes.find(text);
  return known != codes.end() ? known->second : std::atoi(text.c_str());
}

class Plan {
 public:
  Plan() {
    const char *text = std::getenv("GLCL_FAULT");
    if (!text) return;
    const std::string plan = text;
    counting_ = plan == "count";
    const size_t first = plan.find(':'), second = plan.rfind(':');
    if (counting_ || plan.empty()) return;
    if (first == second) {
      std::fprintf(stderr, "glcl-fault: GLCL_FAULT=%s is not FUNCTION:N:ERROR\n", text);
      std::exit(2);
    }
    function_ = plan.substr(0, first);
    const std::string which = plan.substr(first + 1, second - first - 1);
    call_ = std::atol(which.c_str());
    onwards_ = which.back() == '+';
    error_ = error_code(plan.substr(second + 1));
  }

  cl_int next(const char *function) {
    const std::lock_guard lock(mutex_);
    if (counting_) counts_[function]++;
    if (!concerns(function)) return CL_SUCCESS;
    seen_++;
    if (seen_ != call_ && !(onwards_ && seen_ > call_)) return CL_SUCCESS;
    std::fprintf(stderr, "glcl-fault: call %ld of %s fails with %d\n", seen_, function, error_);
    return error_;
  }

  void print() {
    const std::lock_guard lock(mutex_);
    for (const auto &[function, count] : counts_)
      std::fprintf(stderr, "glcl-fault: count %s %ld\n", function.c_str(), count);
  }

 private:
  bool concerns(const std::string &function) const {
    if (!function_.empty() && function_.back() == '*')
      return function.compare(0, function_.size() - 1, function_, 0, function_.size() - 1) == 0;
    return function == function_;
  }

  std::mutex mutex_;
  std::string function_;
  long call_ = 0, seen_ = 0;
  bool onwards_ = false, counting_ = false;
  cl_int error_ = CL_SUCCESS;
  std::map<std::string, long> counts_;
};

Plan &plan() {
  static auto *the = new Plan;
  return *the;
}

}  // namespace

cl_int injected(const char *function) { return plan().next(function); }

void print_counts() { plan().print(); }

}  // namespace glcl_layer
