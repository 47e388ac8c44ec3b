// SPDX-License-Identifier: LGPL-2.1-or-later
#include "team.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "error.h"
#include "waiting.h"

namespace glcl {

namespace {

// cl_khr_device_uuid, cl_khr_pci_bus_info
constexpr cl_device_info device_uuid = 0x106A, device_pci_bus = 0x410F;

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// Sixteen bytes that a device tells of where it is; none where it doesn't.
std::optional<std::array<unsigned char, 16>> bytes(const Device &device, cl_device_info what,
                                                   const char *extension) {
  std::array<unsigned char, 16> value{};
  if (!device.has_extension(extension) ||
      clGetDeviceInfo(device.device(), what, value.size(), value.data(), nullptr) != CL_SUCCESS)
    return {};
  return value;
}

}  // namespace

Team::Team(const std::vector<Device> &devices) {
  if (devices.empty())
    throw Error(Error::Kind::settings, "There is no device to share work among.");
  for (const Device &device : devices) {
    Member member;
    member.context = Context::of_device(device);
    try {
      member.queue = std::make_unique<Queue>(member.context);
      member.transfers = std::make_unique<Queue>(member.context);
    } catch (const cl::Error &error) {
      throw Error(device.name + " can't share work with others. Leave it out.", error);
    }
    for (const Queue *queue : {member.queue.get(), member.transfers.get()})
      at_exit_.emplace_back(queue->cl());
    members_.push_back(std::move(member));
  }
  lines_.resize(size());
  for (size_t i = 0; i < size(); i++) {
    threads_.emplace_back(&Team::begin_all, this, i);
    threads_.emplace_back(&Team::finish_all, this, i);
  }
}

Team::~Team() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  lock.unlock();
  wake_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

std::vector<int> Team::shares(int units) const {
  const std::lock_guard lock(mutex_);
  std::vector<int> shares(size(), 0);
  const auto slower = [](const Member &a, const Member &b) { return a.speed < b.speed; };
  const auto fastest = std::max_element(members_.begin(), members_.end(), slower);
  // Shared at first, then alone if that might be quicker, then whichever was.
  if (shared_.known() && (alone_.known() ? alone_.mean() : 1 / fastest->speed) < shared_.mean()) {
    shares[fastest - members_.begin()] = units;
    return shares;
  }
  const bool known = std::all_of(members_.begin(), members_.end(),
                                 [](const Member &member) { return member.speed > 0; });
  double all = 0;
  for (const Member &member : members_) all += known ? member.speed : 1;
  double before = 0;
  int given = 0;
  for (size_t i = 0; i < size(); i++) {
    before += known ? members_[i].speed : 1;
    shares[i] = static_cast<int>(std::lround(units * before / all)) - given;
    given += shares[i];
  }
  return shares;
}

size_t Team::slowest() const {
  const std::lock_guard lock(mutex_);
  const auto slower = [](const Member &a, const Member &b) { return a.speed < b.speed; };
  return members_.rend() - 1 - std::min_element(members_.rbegin(), members_.rend(), slower);
}

void Team::start(const std::vector<int> &shares, const cl::Event &ready, Work work, Done done,
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
      lines_[i].waiting.push_back(run);
      run->left++;
    }
  const bool nothing = !run->left;
  lock.unlock();
  wake_.notify_all();
  if (nothing) tell();
}

void Team::wait() {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return runs_.empty(); });
  if (const auto untold = std::exchange(untold_, nullptr)) std::rethrow_exception(untold);
}

void Team::settle() {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return runs_.empty(); });
}

void Team::run(const std::vector<int> &shares, const Work &work) {
  std::exception_ptr failed;
  start(shares, {}, work, [&](const std::exception_ptr &failure) { failed = failure; });
  wait();
  if (failed) std::rethrow_exception(failed);
}

/// Begins what member `index` has to do until the team ends, as soon as it is ready.
void Team::begin_all(size_t index) {
  const Line &line = lines_[index];
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] {
      return line.waiting.empty() ? stopping_ && runs_.empty() : line.under_way.size() < ahead;
    });
    if (line.waiting.empty()) return;
    begin(index, lock);
    wake_.notify_all();
  }
}

/// Waits for what it has begun.
void Team::finish_all(size_t index) {
  const Line &line = lines_[index];
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return !line.under_way.empty() || (stopping_ && runs_.empty()); });
    if (line.under_way.empty()) return;
    finish(index, lock);
  }
}

/// What is being thrown at a member, once all that was enqueued has let go of the run's memory.
std::exception_ptr Team::failure_of(size_t index) {
  const Member &member = members_[index];
  for (const Queue *queue : {member.transfers.get(), member.queue.get()}) glcl::settle(queue->cl());
  try {
    throw;
  } catch (const cl::Error &error) {
    return std::make_exception_ptr(
        Error(member.context->device().name + " failed at its share of the work.", error));
  } catch (...) {
    return std::current_exception();
  }
}

void Team::begin(size_t index, std::unique_lock<std::mutex> &lock) {
  Line &line = lines_[index];
  Line::Job job{line.waiting.front(), {}, {}};
  line.waiting.pop_front();
  lock.unlock();
  Run &run = *job.run;
  std::exception_ptr failure;
  try {
    if (run.ready()) glcl::wait(run.ready);
    job.start = Clock::now();
    Member &member = members_[index];
    run.work(index, member, run.begins[index], run.begins[index] + run.shares[index]);
    member.queue->cl().enqueueMarkerWithWaitList(nullptr, &job.end);
    member.queue->cl().flush();
  } catch (...) {
    failure = failure_of(index);
  }
  lock.lock();
  if (failure && !run.failure) run.failure = failure;
  line.under_way.push_back(std::move(job));
}

void Team::finish(size_t index, std::unique_lock<std::mutex> &lock) {
  Line &line = lines_[index];
  const Line::Job &job = line.under_way.front();  // deques keep it in place
  lock.unlock();
  std::exception_ptr failure;
  try {
    if (job.end()) glcl::wait(job.end);
  } catch (...) {
    failure = failure_of(index);
  }
  const auto now = Clock::now();
  lock.lock();
  Run &run = *job.run;
  if (failure && !run.failure) run.failure = failure;
  double &speed = members_[index].speed;
  const double newest = run.shares[index] / seconds(now - std::max(job.start, line.finished));
  if (run.timed) speed = speed > 0 ? (3 * speed + newest) / 4 : newest;
  line.finished = now;
  const bool last = --run.left == 0;
  line.under_way.pop_front();
  wake_.notify_all();
  if (!last) return;
  lock.unlock();
  tell();
  lock.lock();
}

/// Calls the `done` of runs that have finished, as far as all before them have.
void Team::tell() {
  const std::lock_guard telling(telling_);
  std::unique_lock lock(mutex_);
  while (!runs_.empty() && !runs_.front()->left) {
    const std::shared_ptr<Run> run = runs_.front();
    const auto now = Clock::now();
    const auto working =
        std::count_if(run->shares.begin(), run->shares.end(), [](int n) { return n > 0; });
    const int units = std::accumulate(run->shares.begin(), run->shares.end(), 0);
    if (units && run->timed)
      (working > 1 ? shared_ : alone_).add(seconds(now - std::max(run->start, finished_)) / units);
    finished_ = now;
    lock.unlock();
    std::exception_ptr untold;
    try {
      run->done(run->failure);
    } catch (...) {
      untold = std::current_exception();
    }
    lock.lock();
    if (untold && !untold_) untold_ = untold;
    runs_.pop_front();
    told_.notify_all();
    if (stopping_) wake_.notify_all();
  }
}

bool same_hardware(const Device &a, const Device &b) {
  if (a.device() == b.device()) return true;
  if (a.platform() == b.platform()) return false;
  if (a.is_cpu() && b.is_cpu()) return true;
  for (const auto &[what, extension] :
       {std::pair{device_uuid, "cl_khr_device_uuid"}, {device_pci_bus, "cl_khr_pci_bus_info"}}) {
    const auto of_a = bytes(a, what, extension), of_b = bytes(b, what, extension);
    if (of_a && of_b) return *of_a == *of_b;
  }
  return false;
}

std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &wishes,
                                   const std::string &failures) {
  std::vector<Device> chosen;
  std::istringstream list(wishes);
  for (std::string wish; std::getline(list, wish, ',');) {
    Device device;
    try {
      device = choose_device(devices, wish, {}, failures);
    } catch (const Error &error) {
      throw Error(error.kind(), "devices=\"" + wishes + "\": " + error.what(), error.detail());
    }
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](const Device &other) { return same_hardware(device, other); }))
      chosen.push_back(device);
  }
  return chosen;
}

}  // namespace glcl
