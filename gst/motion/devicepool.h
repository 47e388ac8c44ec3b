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

#include "opencl/ending.h"
#include "opencl/queue.h"

namespace glcl::motion {

/// Several devices, of any platforms, that share work in equal units. Each device has a thread that
/// starts its runs and one that waits for them. Shares follow the measured speeds of earlier runs.
/// If the fastest device is quicker alone, it does all the work.
class DevicePool {
 public:
  /// Runs of a worker that are enqueued at the same time, so that transfers of one overlap with
  /// kernels of the other.
  static constexpr size_t ahead = 2;

  /// A device of the pool with its queues.
  struct Worker {
    std::shared_ptr<Context> context;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Queue> transfers;  ///< in parallel to `queue`
    double speed = 0;                  ///< units per second, copies included; 0 until it has worked
  };

  /// Enqueues units begin … end − 1 with their transfers on worker `index`, with the last command
  /// on its `queue`; must not wait. On a thread of the pool. The worker's run before the previous
  /// one has finished by then.
  using Work = std::function<void(size_t index, Worker &worker, int begin, int end)>;
  /// Called when a run has finished, with its error, if any. On a thread of the pool. wait()
  /// rethrows its exceptions.
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
  /// Waits until all started runs have finished. Rethrows the exception of a `done`.
  void wait();
  /// As wait(), but ignores errors.
  void settle();

  /// Starts a run, waits for it, and rethrows the exception of any worker.
  void run(const std::vector<int> &shares, const Work &work);
  /// Splits `units` among the workers by their speeds; equally until all speeds are known.
  void run(int units, const Work &work) { run(shares(units), work); }
  /// The shares of the next run.
  std::vector<int> shares(int units) const;
  /// The slowest worker; the last one of equal speeds, as before the first runs.
  size_t slowest() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// A piece of work, divided among the devices.
  struct Run {
    std::vector<int> shares, begins;
    cl::Event ready;
    Work work;
    Done done;
    bool timed = true;
    Clock::time_point start;
    size_t left = 0;  // workers that have not finished
    std::exception_ptr failure;
  };

  /// Tasks of a worker.
  struct TaskQueue {
    /// A device's part of a run.
    struct Task {
      std::shared_ptr<Run> run;
      cl::Event end;
      Clock::time_point start;
    };

    std::deque<std::shared_ptr<Run>> waiting;
    std::deque<Task> under_way;
    Clock::time_point finished;  // end of the last task
  };

  /// Duration of runs of one kind, s per unit; known after some runs, excluding the first ones.
  struct Throughput {
    static constexpr int first = 2, enough = 6;
    int runs = 0;
    double sum = 0;

    void add(double time) { sum += ++runs > first ? time : 0; }
    bool known() const { return runs >= enough; }
    double mean() const { return sum / (runs - first); }
  };

  void begin_all(size_t index);
  void finish_all(size_t index);
  void begin(size_t index, std::unique_lock<std::mutex> &lock);
  void finish(size_t index, std::unique_lock<std::mutex> &lock);
  void report_finished();
  std::exception_ptr failure_of(size_t index);

  std::vector<Worker> workers_;
  std::list<QueueWork> at_exit_;        // of their queues
  std::vector<TaskQueue> task_queues_;  // by worker

  mutable std::mutex mutex_;  // of all below, the task queues and the workers' speeds
  std::condition_variable wake_, reported_;
  std::deque<std::shared_ptr<Run>> runs_;  // in order, until done has been called
  Clock::time_point finished_;             // the last run
  std::exception_ptr unreported_;          // the error of a `done`
  Throughput shared_, alone_;
  bool stopping_ = false;
  std::mutex reporting_;  // calls of done
  std::vector<std::thread> threads_;
};

/// The devices of a comma-separated list, each as for choose_device. A device that several
/// platforms offer, or that is named twice, is used once. `failures` are the reasons for missing
/// devices, from devices(). Throws Error::not_found.
std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &wishes,
                                   const std::string &failures = {});

/// True if two entries are the same hardware: the same UUID or PCI address, or both the host's CPU.
bool same_hardware(const Device &a, const Device &b);

}  // namespace glcl::motion
