// SPDX-License-Identifier: LGPL-2.1-or-later
#include "waiting.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "error.h"
#include "processexit.h"

namespace glcl {

namespace {

/// The contexts that were abandoned; they stay abandoned.
class AbandonedContexts {
 public:
  static AbandonedContexts &all() {
    static auto *contexts = new AbandonedContexts;
    return *contexts;
  }
  bool has(cl_context context) {
    if (!any_) return false;
    const std::lock_guard lock(mutex_);
    return contexts_.count(context) > 0;
  }
  void add(cl_context context) {
    const std::lock_guard lock(mutex_);
    // The reference prevents a new context at the same address.
    if (contexts_.insert(context).second) clRetainContext(context);
    any_ = true;
  }

 private:
  std::mutex mutex_;
  std::set<cl_context> contexts_;
  std::atomic<bool> any_{false};
};

/// The result of a callback, which may arrive after the waiting thread gave up.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool reached = false;
};

bool is_done(const cl::Event &event) {
  cl_int status = CL_QUEUED;
  return clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                        nullptr) == CL_SUCCESS &&
         status <= CL_COMPLETE;
}

cl_context context_of(const cl::Event &event) {
  cl_context context = nullptr;
  clGetEventInfo(event(), CL_EVENT_CONTEXT, sizeof context, &context, nullptr);
  return context;
}

/// Flushes the queue of the command, if it has one, because setting a callback does not flush.
bool flushed(const cl::Event &event) {
  cl_command_queue queue = nullptr;
  return clGetEventInfo(event(), CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr) ==
             CL_SUCCESS &&
         (!queue || clFlush(queue) == CL_SUCCESS);
}

/// Makes OpenCL notify `completion` when the command is done; false if OpenCL refuses.
bool called_back(const cl::Event &event, const std::shared_ptr<Completion> &completion) {
  const auto on_end = [](cl_event, cl_int, void *data) {
    const std::unique_ptr<std::shared_ptr<Completion>> completion(
        static_cast<std::shared_ptr<Completion> *>(data));
    const std::lock_guard lock((*completion)->mutex);
    (*completion)->reached = true;
    (*completion)->changed.notify_all();
  };
  auto data = std::make_unique<std::shared_ptr<Completion>>(completion);
  if (clSetEventCallback(event(), CL_COMPLETE, on_end, data.get()) != CL_SUCCESS) return false;
  (void)data.release();  // the callback owns it now
  return true;
}

/// Like is_done(), but exit() waits for the call. False once the process exits, because drivers are
/// being unloaded.
bool is_done_by_poll(const cl::Event &event) {
  if (process_exits()) return false;
  try {
    const DriverWork work;
    return is_done(event);
  } catch (const Error &) {
    return false;
  }
}

/// Waits until the command is done or its callback comes; false after device_timeout(). Callbacks
/// of NVIDIA's driver may be 20 ms late, so the event is also polled at growing intervals: the wait
/// is at most an eighth longer than the command.
bool is_reached(const cl::Event &event, Completion &completion) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds shortest(20e-6), longest(10e-3);
  const auto begin = Clock::now();
  for (;;) {
    const Seconds passed = Clock::now() - begin;
    if (passed >= device_timeout()) return false;
    std::unique_lock lock(completion.mutex);
    if (completion.changed.wait_for(lock, std::clamp(passed / 8, shortest, longest),
                                    [&] { return completion.reached; }))
      return true;
    lock.unlock();
    if (is_done_by_poll(event)) return true;
  }
}

/// Waits until the command is done; false if the device is given up. If OpenCL refuses the
/// callback, the wait has no limit.
bool is_done_in_time(const cl::Event &event) {
  if (is_done(event)) return true;
  const cl_context context = context_of(event);
  if (AbandonedContexts::all().has(context)) return false;
  const auto completion = std::make_shared<Completion>();
  if (!context || !flushed(event) || !called_back(event, completion)) {
    clWaitForEvents(1, &event());
    return true;
  }
  if (is_reached(event, *completion)) return true;
  AbandonedContexts::all().add(context);
  return false;
}

Error timeout_error(cl_context context) {
  std::string name = "The OpenCL device";
  try {
    name = cl::Context(context, true).getInfo<CL_CONTEXT_DEVICES>().at(0).getInfo<CL_DEVICE_NAME>();
  } catch (const std::exception &) {
    // Keep the generic name.
  }
  return {Error::Kind::failed,
          name +
              " did not finish its work in time and is no longer used. Restart the application to "
              "use it again.",
          "the limit was " + std::to_string(device_timeout().count()) +
              " s; set the environment variable GLCL_DEVICE_TIMEOUT to raise it"};
}

}  // namespace

void wait(const cl::Event &event) {
  if (!is_done_in_time(event)) throw timeout_error(context_of(event));
  event.wait();
  // NVIDIA's driver reports failed commands in wait(), but not failed user events.
  if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() < CL_COMPLETE)
    throw cl::Error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "clWaitForEvents");
}

void finish(const cl::CommandQueue &queue) {
  cl::Event all;
  if (clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &all()) == CL_SUCCESS)
    wait(all);
  else
    queue.finish();
}

bool wait_noexcept(const cl::Event &event) noexcept {
  try {
    if (!is_done_in_time(event)) return false;
    clWaitForEvents(1, &event());
    return true;
  } catch (...) {
    return !AbandonedContexts::all().has(context_of(event));
  }
}

bool wait_noexcept(const cl::CommandQueue &queue) noexcept {
  cl::Event event;
  if (clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &event()) == CL_SUCCESS)
    return wait_noexcept(event);
  clFinish(queue());
  return true;
}

std::chrono::duration<double> device_timeout() {
  constexpr double usual = 60;
  static const double seconds = [] {
    const char *text = std::getenv("GLCL_DEVICE_TIMEOUT");
    const double wish = text ? std::atof(text) : 0;
    return wish > 0 ? wish : usual;
  }();
  return std::chrono::duration<double>(seconds);
}

void abandon(const cl::Context &context) { AbandonedContexts::all().add(context()); }
bool is_abandoned(const cl::Context &context) { return AbandonedContexts::all().has(context()); }

}  // namespace glcl
