// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "opencl/processexit.h"
#include "opencl/queue.h"

namespace glcl::motion {

/// A pool of devices, of any platforms, that share work in equal units. Each device has a thread
/// that starts its runs and one that waits for them. Shares follow the measured speeds of earlier
/// runs. If the fastest device is quicker alone, it does all the work.
class DevicePool {
 public:
  /// Maximum runs of a worker in flight: transfers of one overlap with kernels of the other.
  static constexpr size_t most_in_flight = 2;

  /// A device of the pool with its queues.
  struct Worker {
    std::shared_ptr<Context> context;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Queue> transfers;  ///< in parallel to `queue`
    double speed = 0;  ///< units per second with transfers; 0 before its first timed run
  };

  /// Enqueues units begin … end − 1 with their transfers on worker `index`. The last command must
  /// be on its `queue`, and the function must not wait. A thread of the pool calls it while at most
  /// one earlier run of the worker is in flight.
  using Work = std::function<void(size_t index, Worker &worker, int begin, int end)>;
  /// A thread of the pool, or start() for an empty run, calls it when a run has finished.
  /// `failure`: the error of the run, or null. wait() rethrows the exceptions of this function.
  using Done = std::function<void(std::exception_ptr failure)>;

  /// Throws Error::settings without devices, Error::failed if a device can't take part.
  explicit DevicePool(const std::vector<Device> &devices);
  /// Waits for all started runs.
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;

  size_t size() const { return workers_.size(); }
  Worker &worker(size_t index) { return workers_[index]; }

  /// Starts a run with these shares (units per worker, possibly 0) and returns at once. Workers
  /// begin when `ready`, an event of any context, has completed (null: at once). Runs execute in
  /// the order of their start, and `done` is called in that order; it may start another run. Only
  /// `timed` runs update the speeds.
  void start(const std::vector<int> &shares, const cl::Event &ready, Work work, Done done,
             bool timed = true);
  /// Waits until all started runs have finished. Rethrows an exception of their `done`.
  void wait();
  /// As wait(), but ignores errors.
  void wait_noexcept();

  /// Starts a run, waits for it, and rethrows the exception of any worker.
  void run(const std::vector<int> &shares, const Work &work);
  /// The same with shares(units).
  void run(int units, const Work &work) { run(shares(units), work); }
  /// The shares of a run of `units` units by the measured speeds; equal until all speeds are known.
  std::vector<int> shares(int units) const;
  /// The index of the slowest worker; of equal speeds, as before the first runs, the last one.
  size_t slowest() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// Work that is divided among the workers.
  struct Run {
    std::vector<int> shares, begins;
    cl::Event ready;
    Work work;
    Done done;
    bool timed = true;
    Clock::time_point start;
    size_t unfinished = 0;  // workers that have not finished
    std::exception_ptr failure;
  };

  /// The tasks of a worker.
  struct TaskQueue {
    /// The part of a run in flight on the worker.
    struct Task {
      std::shared_ptr<Run> run;
      cl::Event end;
      Clock::time_point start;
    };

    std::deque<std::shared_ptr<Run>> waiting;
    std::deque<Task> in_flight;
    Clock::time_point finished;  // end of the last task
  };

  /// The mean duration of runs of one kind, s per unit, without the first runs. It is known after
  /// some runs.
  struct UnitTime {
    static constexpr int warm_up = 2, enough = 6;
    int runs = 0;
    double sum = 0;

    void add(double time) { sum += ++runs > warm_up ? time : 0; }
    bool known() const { return runs >= enough; }
    double mean() const { return sum / (runs - warm_up); }
  };

  void start_tasks(size_t index);
  void wait_for_tasks(size_t index);
  void start_task(size_t index, std::unique_lock<std::mutex> &lock);
  void wait_for_task(size_t index, std::unique_lock<std::mutex> &lock);
  void report_finished();
  std::exception_ptr failure_of(size_t index);

  std::vector<Worker> workers_;
  std::list<QueueWork> at_exit_;        // waits for their queues when the process exits
  std::vector<TaskQueue> task_queues_;  // by worker

  mutable std::mutex mutex_;  // guards all below, the task queues and the speeds
  std::condition_variable wake_, reported_;
  std::deque<std::shared_ptr<Run>> runs_;  // in the order of their start, until `done` was called
  Clock::time_point finished_;             // the end of the last run
  std::exception_ptr done_error_;          // the first one that a `done` threw
  UnitTime shared_time_, single_time_;
  bool stopping_ = false;
  std::mutex reporting_;  // serializes calls of `done`
  std::vector<std::thread> threads_;
};

/// The devices of a comma-separated list of names for choose_device(). A device that several
/// platforms offer, or that is named twice, occurs once. `failures`: the reasons for missing
/// devices, from devices(). Throws Error::not_found.
std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &names,
                                   const std::string &failures = {});

/// True if two entries are the same hardware: the same UUID or PCI address, or both the host's CPU.
bool same_hardware(const Device &a, const Device &b);

}  // namespace glcl::motion
