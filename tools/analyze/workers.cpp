// SPDX-License-Identifier: LGPL-2.1-or-later
#include "workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "analysis.h"
#include "progress.h"
#include "report.h"

namespace glcl::analyze {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double window = 3;  // seconds over which JobTuner compares

volatile std::sig_atomic_t ended_by = 0;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A child process that analyses one file after the other.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void assign(const Task &task);
  /// Reads its new output, in whole lines. False once the process has ended.
  bool read(std::vector<Json> &lines);
  /// Ends the process; returns a text about how it ended.
  std::string end();
  int fd() const { return from_; }

  std::optional<Task> task;
  double part = 0;
  guint64 frames = 0;
  Clock::time_point last_progress;  ///< time of the last frame

 private:
  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
  std::string rest_;
};

Worker::Worker() {
  gchar program[] = "/proc/self/exe", option[] = "--worker";
  gchar *words[] = {program, option, nullptr};
  GError *error = nullptr;
  GPid process = 0;
  if (!g_spawn_async_with_pipes(nullptr, words, nullptr, G_SPAWN_DO_NOT_REAP_CHILD, nullptr,
                                nullptr, &process, &to_, &from_, nullptr, &error)) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Failure("cannot start a process: " + reason);
  }
  process_ = process;
  for (const int fd : {to_, from_}) fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(from_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() { end(); }

void Worker::assign(const Task &wanted) {
  task = wanted;
  part = 0;
  last_progress = Clock::now();
  const std::string line = dump(wanted.json()) + "\n";
  // read() reports a process that has died.
  if (write(to_, line.data(), line.size()) < 0) return;
}

bool Worker::read(std::vector<Json> &lines) {
  char bytes[4096];
  for (;;) {
    const ssize_t n = ::read(from_, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    rest_.append(bytes, n);
    for (size_t end; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) {
      Json line = Json::parse(rest_.substr(0, end), nullptr, false);
      if (line.is_object()) lines.push_back(std::move(line));
    }
  }
}

std::string Worker::end() {
  if (!process_) return "";
  close(to_);
  close(from_);
  int status = 0;
  // Give a closing process a moment, then kill it.
  for (int i = 0; i < 20 && waitpid(process_, &status, WNOHANG) == 0; i++) {
    if (i == 19 || task) kill(process_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (i == 19) waitpid(process_, &status, 0);
  }
  process_ = 0;
  return WIFSIGNALED(status) ? std::string("the process crashed: ") + strsignal(WTERMSIG(status))
                             : "the process that analysed it exited";
}

class WorkerPool {
 public:
  WorkerPool(std::vector<Task> tasks, Output &output, const WorkerOptions &options);
  int run();

 private:
  void fill();
  void poll_workers();
  void handle(Worker &worker, const Json &line);
  void fail_task(Worker &worker, const std::string &reason);
  void report_progress();
  double bytes_of(const Task &task) const;

  std::deque<Task> tasks_;
  Output &output_;
  WorkerOptions options_;
  JobTuner tuner_;
  ProgressReporter reporter_;
  std::vector<std::unique_ptr<Worker>> workers_;
  double all_bytes_ = 0, finished_bytes_ = 0;  // bytes of all files, and of the finished ones
  Clock::time_point begin_ = Clock::now(), window_begin_ = begin_;
  guint64 window_frames_ = 0;
  double rate_ = 0;
};

WorkerPool::WorkerPool(std::vector<Task> tasks, Output &output, const WorkerOptions &options)
    : tasks_(tasks.begin(), tasks.end()),
      output_(output),
      options_(options),
      tuner_(std::max(static_cast<int>(std::thread::hardware_concurrency()), 1), options.jobs) {
  for (const Task &task : tasks_) all_bytes_ += bytes_of(task);
}

double WorkerPool::bytes_of(const Task &task) const {
  struct stat status {};
  return stat(task.file.c_str(), &status) ? 1 : std::max<double>(status.st_size, 1);
}

/// Gives files to free workers, and starts workers.
void WorkerPool::fill() {
  const auto busy = [&] {
    return std::count_if(workers_.begin(), workers_.end(),
                         [](const auto &worker) { return worker->task.has_value(); });
  };
  while (!tasks_.empty() && busy() < tuner_.jobs()) {
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    bool wanted = false;
    try {
      wanted = output_.begin(task);
      if (!wanted) reporter_.kept(task, output_.place(task.file));
    } catch (const Failure &failure) {
      reporter_.failed(task, failure.what());
    }
    if (!wanted) {
      finished_bytes_ += bytes_of(task);
      continue;
    }
    reporter_.begins(task);
    auto free = std::find_if(workers_.begin(), workers_.end(),
                             [](const auto &worker) { return !worker->task; });
    if (free == workers_.end()) {
      workers_.push_back(std::make_unique<Worker>());
      free = workers_.end() - 1;
      window_begin_ = Clock::now();
      window_frames_ = 0;
    }
    (*free)->assign(task);
  }
}

void WorkerPool::fail_task(Worker &worker, const std::string &reason) {
  reporter_.failed(*worker.task, reason);
  finished_bytes_ += bytes_of(*worker.task);
  output_.discard(*worker.task);
  worker.task.reset();
}

void WorkerPool::handle(Worker &worker, const Json &line) {
  if (!worker.task) return;
  if (line.contains("failed")) {
    fail_task(worker, line["failed"]);
  } else if (line.contains("done")) {
    try {
      output_.finish(*worker.task);
      reporter_.done(*worker.task, output_.place(worker.task->file));
      finished_bytes_ += bytes_of(*worker.task);
      worker.task.reset();
    } catch (const Failure &failure) {
      fail_task(worker, failure.what());
    }
  } else {
    const guint64 frames = line.value("frames", guint64(0));
    worker.part = line.value("part", 0.0);
    window_frames_ += frames;
    if (frames) worker.last_progress = Clock::now();
  }
}

void WorkerPool::poll_workers() {
  std::vector<pollfd> waiting;
  for (const auto &worker : workers_) waiting.push_back({worker->fd(), POLLIN, 0});
  poll(waiting.data(), waiting.size(), 250);
  for (auto &worker : workers_) {
    std::vector<Json> lines;
    const bool lives = worker->read(lines);
    for (const Json &line : lines) handle(*worker, line);
    if (lives && worker->task && seconds_since(worker->last_progress) > options_.stall) {
      const std::string reason =
          "no frame arrived within " + std::to_string(options_.stall) + " s (--stall)";
      worker->end();
      fail_task(*worker, reason);
      worker.reset();
    } else if (!lives) {
      const std::string reason = worker->end();
      if (worker->task) fail_task(*worker, reason);
      worker.reset();
    }
  }
  workers_.erase(std::remove(workers_.begin(), workers_.end(), nullptr), workers_.end());
}

void WorkerPool::report_progress() {
  double done = finished_bytes_;
  size_t busy = 0;
  for (const auto &worker : workers_)
    if (worker->task) {
      done += worker->part * bytes_of(*worker->task);
      busy++;
    }
  const double time = seconds_since(window_begin_);
  if (time >= window) {
    rate_ = double(window_frames_) / time;
    if (!tuner_.settled() && rate_ > 0 && static_cast<int>(busy) == tuner_.jobs())
      tuner_.measured(rate_);
    window_begin_ = Clock::now();
    window_frames_ = 0;
  } else if (rate_ == 0 && time > 0.5) {
    reporter_.progress(all_bytes_ > 0 ? done / all_bytes_ : 0, seconds_since(begin_),
                       double(window_frames_) / time, busy);
    return;
  }
  reporter_.progress(all_bytes_ > 0 ? done / all_bytes_ : 0, seconds_since(begin_), rate_, busy);
}

int WorkerPool::run() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int which) { ended_by = which; });
  std::signal(SIGPIPE, SIG_IGN);
  for (;;) {
    fill();
    const bool busy = std::any_of(workers_.begin(), workers_.end(),
                                  [](const auto &worker) { return worker->task.has_value(); });
    if (ended_by || (!busy && tasks_.empty())) break;
    poll_workers();
    report_progress();
  }
  for (const auto &worker : workers_) {
    if (!worker->task) continue;
    worker->end();
    fail_task(*worker, "it was interrupted");
  }
  reporter_.sum_up(seconds_since(begin_));
  if (ended_by) return 128 + ended_by;
  return reporter_.any_failed() ? 1 : 0;
}

}  // namespace

void JobTuner::measured(double rate) {
  if (settled()) return;
  if (rate > 1.1 * best_) {
    best_ = rate;
    if (jobs_ < most_)
      jobs_++;
    else
      fixed_ = jobs_;
  } else {
    fixed_ = jobs_ = std::max(jobs_ - 1, 1);
  }
}

int run_tasks(std::vector<Task> tasks, Output &output, const WorkerOptions &options) {
  return WorkerPool(std::move(tasks), output, options).run();
}

int run_worker() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Libraries' output must not get into the progress lines.
  const int to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::signal(SIGINT, SIG_IGN);  // of the terminal; the parent process handles it
  std::signal(SIGXFSZ, SIG_IGN);
  const auto send = [to](const Json &json) {
    const std::string line = dump(json) + "\n";
    if (write(to, line.data(), line.size()) < 0) _exit(1);
  };
  for (std::string line; std::getline(std::cin, line);) {
    const Task task = Task::of(Json::parse(line));
    try {
      analyze(task, [&](const Progress &progress) {
        send({{"frames", progress.frames}, {"part", progress.part}});
      });
      if (!task.part) report(task);
      send({{"done", true}});
    } catch (const std::exception &error) {
      send({{"failed", error.what()}});
    }
  }
  return 0;
}

}  // namespace glcl::analyze
