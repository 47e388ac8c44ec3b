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

#include "ending.h"
#include "queue.h"

namespace glcl {

/// Several devices, of any platforms, that share work which comes in equal units, whatever it is;
/// each has a thread that begins its runs and one that waits for them.
/// Shares follow the speeds that earlier runs showed; where all of it on the fastest device alone
/// is quicker, that one works alone.
class DevicePool {
 public:
  /// Runs of a worker that are enqueued at a time, so that one's transfers go with the other's
  /// kernels.
  static constexpr size_t ahead = 2;

  struct Worker {
    std::shared_ptr<Context> context;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Queue> transfers;  ///< beside what `queue` does
    double speed = 0;                  ///< units per second, copies included; 0 until it has worked
  };

  /// Enqueues units begin … end − 1 with all that they need on worker `index`, the last of it on
  /// its `queue`; must not wait. On a thread of the pool. What its last run but one began has
  /// finished by then.
  using Work = std::function<void(size_t index, Worker &worker, int begin, int end)>;
  /// Called when a run has finished, with what went wrong, if anything did. On a thread of the
  /// pool. What it throws itself, wait() throws.
  using Done = std::function<void(std::exception_ptr failure)>;

  /// Throws Error::settings where there are no devices, Error::failed where one can't take part.
  explicit DevicePool(const std::vector<Device> &devices);
  /// Waits for what has been started.
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;

  size_t size() const { return workers_.size(); }
  Worker &worker(size_t index) { return workers_[index]; }

  /// Starts a run with these shares, units of each worker, 0 for none, and returns at once. Workers
  /// begin when `ready`, an event of any context, has completed (null: at once) and take runs in
  /// the order in which they were started; that is also the order of the calls of `done`, which may
  /// start another run. Shares follow the runs that are `timed`.
  void start(const std::vector<int> &shares, const cl::Event &ready, Work work, Done done,
             bool timed = true);
  /// Waits until everything that was started has finished. Throws what a `done` threw.
  void wait();
  /// As wait(), but ignores errors.
  void settle();

  /// Starts a run, waits for it, and throws what any worker threw.
  void run(const std::vector<int> &shares, const Work &work);
  /// Splits `units` among the workers, as equally as their speeds are until all have shown theirs.
  void run(int units, const Work &work) { run(shares(units), work); }
  /// The shares of the next run.
  std::vector<int> shares(int units) const;
  /// The worker with the least speed; of equal ones, as before all have shown theirs, the last.
  size_t slowest() const;

 private:
  using Clock = std::chrono::steady_clock;

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

  /// What a worker has to do.
  struct TaskQueue {
    struct Task {
      std::shared_ptr<Run> run;
      cl::Event end;
      Clock::time_point start;
    };

    std::deque<std::shared_ptr<Run>> waiting;
    std::deque<Task> under_way;
    Clock::time_point finished;  // the last one
  };

  /// How long runs of a kind take, s per unit; known after some, without the first ones.
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
  std::exception_ptr unreported_;          // what a `done` threw
  Throughput shared_, alone_;
  bool stopping_ = false;
  std::mutex reporting_;  // calls of done
  std::vector<std::thread> threads_;
};

/// The devices of a list of wishes, separated by commas, each as for choose_device. A device that
/// several platforms offer, or that is named twice, is taken once. `failures` is why devices may be
/// missing, as devices() tells. Throws Error::not_found.
std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &wishes,
                                   const std::string &failures = {});

/// Whether two entries stand for one piece of hardware: the same UUID or PCI address, or both the
/// host's CPU.
bool same_hardware(const Device &a, const Device &b);

}  // namespace glcl
