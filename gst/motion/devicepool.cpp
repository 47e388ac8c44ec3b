// SPDX-License-Identifier: LGPL-2.1-or-later
#include "devicepool.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "opencl/error.h"
#include "opencl/waiting.h"

namespace glcl::motion {

namespace {

// cl_khr_device_uuid, cl_khr_pci_bus_info
constexpr cl_device_info device_uuid = 0x106A, device_pci_bus = 0x410F;

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// An identifier of a device in 16 bytes; empty if the device does not have it.
std::optional<std::array<unsigned char, 16>> identifier(const Device &device, cl_device_info info,
                                                        const char *extension) {
  std::array<unsigned char, 16> value{};
  if (!device.has_extension(extension) ||
      clGetDeviceInfo(device.device(), info, value.size(), value.data(), nullptr) != CL_SUCCESS)
    return {};
  return value;
}

}  // namespace

DevicePool::DevicePool(const std::vector<Device> &devices) {
  if (devices.empty())
    throw Error(Error::Kind::settings,
                "No device is left to share the work. Check the property devices.");
  for (const Device &device : devices) {
    Worker worker;
    worker.context = Context::of_device(device);
    try {
      worker.queue = std::make_unique<Queue>(worker.context);
      worker.transfers = std::make_unique<Queue>(worker.context);
    } catch (const cl::Error &error) {
      throw Error(device.name + " can't share work with other devices. Remove it from devices.",
                  error);
    }
    for (const Queue *queue : {worker.queue.get(), worker.transfers.get()})
      at_exit_.emplace_back(queue->cl());
    workers_.push_back(std::move(worker));
  }
  task_queues_.resize(size());
  for (size_t i = 0; i < size(); i++) {
    threads_.emplace_back(&DevicePool::start_tasks, this, i);
    threads_.emplace_back(&DevicePool::wait_for_tasks, this, i);
  }
}

DevicePool::~DevicePool() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  lock.unlock();
  wake_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

std::vector<int> DevicePool::shares(int units) const {
  const std::lock_guard lock(mutex_);
  std::vector<int> shares(size(), 0);
  const auto slower = [](const Worker &a, const Worker &b) { return a.speed < b.speed; };
  const auto fastest = std::max_element(workers_.begin(), workers_.end(), slower);
  // Share first; then try the fastest worker alone if that may be quicker; then use the quicker
  // way.
  if (shared_time_.known() &&
      (single_time_.known() ? single_time_.mean() : 1 / fastest->speed) < shared_time_.mean()) {
    shares[fastest - workers_.begin()] = units;
    return shares;
  }
  const bool known = std::all_of(workers_.begin(), workers_.end(),
                                 [](const Worker &worker) { return worker.speed > 0; });
  double all = 0;
  for (const Worker &worker : workers_) all += known ? worker.speed : 1;
  double before = 0;
  int assigned = 0;
  for (size_t i = 0; i < size(); i++) {
    before += known ? workers_[i].speed : 1;
    shares[i] = static_cast<int>(std::lround(units * before / all)) - assigned;
    assigned += shares[i];
  }
  return shares;
}

size_t DevicePool::slowest() const {
  const std::lock_guard lock(mutex_);
  const auto slower = [](const Worker &a, const Worker &b) { return a.speed < b.speed; };
  return workers_.rend() - 1 - std::min_element(workers_.rbegin(), workers_.rend(), slower);
}

void DevicePool::start(const std::vector<int> &shares, const cl::Event &ready, Work work, Done done,
                       bool timed) {
  auto run = std::make_shared<Run>();
  run->shares = shares;
  run->begins.resize(shares.size());
  std::exclusive_scan(shares.begin(), shares.end(), run->begins.begin(), 0);
  run->ready = ready;
  run->work = std::move(work);
  run->done = std::move(done);
  run->timed = timed;
  run->start = Clock::now();
  std::unique_lock lock(mutex_);
  runs_.push_back(run);
  for (size_t i = 0; i < size(); i++)
    if (shares[i]) {
      task_queues_[i].waiting.push_back(run);
      run->unfinished++;
    }
  const bool nothing = !run->unfinished;
  lock.unlock();
  wake_.notify_all();
  if (nothing) report_finished();
}

void DevicePool::wait() {
  std::unique_lock lock(mutex_);
  reported_.wait(lock, [&] { return runs_.empty(); });
  if (const auto done_error = std::exchange(done_error_, nullptr))
    std::rethrow_exception(done_error);
}

void DevicePool::wait_noexcept() {
  std::unique_lock lock(mutex_);
  reported_.wait(lock, [&] { return runs_.empty(); });
}

void DevicePool::run(const std::vector<int> &shares, const Work &work) {
  std::exception_ptr failed;
  start(shares, {}, work, [&](const std::exception_ptr &failure) { failed = failure; });
  wait();
  if (failed) std::rethrow_exception(failed);
}

/// The thread that starts the tasks of worker `index`, until the pool ends.
void DevicePool::start_tasks(size_t index) {
  const TaskQueue &tasks = task_queues_[index];
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] {
      return tasks.waiting.empty() ? stopping_ && runs_.empty()
                                   : tasks.in_flight.size() < most_in_flight;
    });
    if (tasks.waiting.empty()) return;
    start_task(index, lock);
    wake_.notify_all();
  }
}

/// The thread that waits for the tasks in flight of worker `index`, until the pool ends.
void DevicePool::wait_for_tasks(size_t index) {
  const TaskQueue &tasks = task_queues_[index];
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !tasks.in_flight.empty() || (stopping_ && runs_.empty()); });
    if (tasks.in_flight.empty()) return;
    wait_for_task(index, lock);
  }
}

/// The current exception as the error of a worker. First waits for its queues, so that no command
/// uses the memory of the run.
std::exception_ptr DevicePool::failure_of(size_t index) {
  const Worker &worker = workers_[index];
  for (const Queue *queue : {worker.transfers.get(), worker.queue.get()})
    glcl::wait_noexcept(queue->cl());
  try {
    throw;
  } catch (const cl::Error &error) {
    return std::make_exception_ptr(
        Error(worker.context->device().name + " failed to compute its share of the work.", error));
  } catch (...) {
    return std::current_exception();
  }
}

void DevicePool::start_task(size_t index, std::unique_lock<std::mutex> &lock) {
  TaskQueue &tasks = task_queues_[index];
  TaskQueue::Task task{tasks.waiting.front(), {}, {}};
  tasks.waiting.pop_front();
  lock.unlock();
  Run &run = *task.run;
  std::exception_ptr failure;
  try {
    if (run.ready()) glcl::wait(run.ready);
    task.start = Clock::now();
    Worker &worker = workers_[index];
    run.work(index, worker, run.begins[index], run.begins[index] + run.shares[index]);
    worker.queue->cl().enqueueMarkerWithWaitList(nullptr, &task.end);
    worker.queue->cl().flush();
  } catch (...) {
    failure = failure_of(index);
  }
  lock.lock();
  if (failure && !run.failure) run.failure = failure;
  tasks.in_flight.push_back(std::move(task));
}

void DevicePool::wait_for_task(size_t index, std::unique_lock<std::mutex> &lock) {
  TaskQueue &tasks = task_queues_[index];
  const TaskQueue::Task &task = tasks.in_flight.front();  // push_back() keeps it valid
  lock.unlock();
  std::exception_ptr failure;
  try {
    if (task.end()) glcl::wait(task.end);
  } catch (...) {
    failure = failure_of(index);
  }
  const auto now = Clock::now();
  lock.lock();
  Run &run = *task.run;
  if (failure && !run.failure) run.failure = failure;
  double &speed = workers_[index].speed;
  const double newest = run.shares[index] / seconds(now - std::max(task.start, tasks.finished));
  if (run.timed) speed = speed > 0 ? (3 * speed + newest) / 4 : newest;
  tasks.finished = now;
  const bool last = --run.unfinished == 0;
  tasks.in_flight.pop_front();
  wake_.notify_all();
  if (!last) return;
  lock.unlock();
  report_finished();
  lock.lock();
}

/// Calls `done` of finished runs in the order of their start, up to the first unfinished run.
void DevicePool::report_finished() {
  const std::lock_guard reporting(reporting_);
  std::unique_lock lock(mutex_);
  while (!runs_.empty() && !runs_.front()->unfinished) {
    const std::shared_ptr<Run> run = runs_.front();
    const auto now = Clock::now();
    const auto working =
        std::count_if(run->shares.begin(), run->shares.end(), [](int n) { return n > 0; });
    const int units = std::accumulate(run->shares.begin(), run->shares.end(), 0);
    if (units && run->timed)
      (working > 1 ? shared_time_ : single_time_)
          .add(seconds(now - std::max(run->start, finished_)) / units);
    finished_ = now;
    lock.unlock();
    std::exception_ptr done_error;
    try {
      run->done(run->failure);
    } catch (...) {
      done_error = std::current_exception();
    }
    lock.lock();
    if (done_error && !done_error_) done_error_ = done_error;
    runs_.pop_front();
    reported_.notify_all();
    if (stopping_) wake_.notify_all();
  }
}

bool same_hardware(const Device &a, const Device &b) {
  if (a.device() == b.device()) return true;
  if (a.platform() == b.platform()) return false;
  if (a.is_cpu() && b.is_cpu()) return true;
  for (const auto &[info, extension] :
       {std::pair{device_uuid, "cl_khr_device_uuid"}, {device_pci_bus, "cl_khr_pci_bus_info"}}) {
    const auto of_a = identifier(a, info, extension), of_b = identifier(b, info, extension);
    if (of_a && of_b) return *of_a == *of_b;
  }
  return false;
}

std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &names,
                                   const std::string &failures) {
  std::vector<Device> chosen;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    Device device;
    try {
      device = choose_device(devices, name, {}, failures);
    } catch (const Error &error) {
      throw Error(error.kind(), "devices=\"" + names + "\": " + error.what(), error.detail());
    }
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](const Device &other) { return same_hardware(device, other); }))
      chosen.push_back(device);
  }
  return chosen;
}

}  // namespace glcl::motion
