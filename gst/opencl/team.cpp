// SPDX-License-Identifier: LGPL-2.1-or-later
#include "team.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>

#include "error.h"

namespace glcl {

namespace {

using Clock = std::chrono::steady_clock;

// cl_khr_device_uuid, cl_khr_pci_bus_info
constexpr cl_device_info device_uuid = 0x106A, device_pci_bus = 0x410F;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

/// Finishes each member that works once all of its commands have completed, in the order in which
/// they do.
template <class Finish>
void watch(const std::vector<Team::Member> &members, const std::vector<int> &shares,
           const Finish &finish) {
  std::vector<cl::Event> last(members.size());
  for (size_t i = 0; i < members.size(); i++)
    if (shares[i]) {
      members[i].queue->cl().enqueueMarkerWithWaitList(nullptr, &last[i]);
      members[i].queue->cl().flush();
    }
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (size_t i = 0; i < members.size(); i++) {
      if (!last[i]()) continue;
      if (last[i].getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) {
        waiting = true;
        continue;
      }
      finish(i);
      last[i] = {};
    }
    if (waiting) std::this_thread::sleep_for(std::chrono::microseconds(10));
  }
}

}  // namespace

Team::Team(const std::vector<Device> &devices, Drive drive) : drive_(drive) {
  if (devices.empty())
    throw Error(Error::Kind::settings, "There is no device to share work among.");
  for (const Device &device : devices) {
    Member member;
    member.context = Context::of_device(device);
    member.queue = std::make_unique<Queue>(member.context);
    members_.push_back(std::move(member));
  }
}

std::vector<int> Team::shares(int units) const {
  std::vector<int> shares(members_.size(), 0);
  const auto slower = [](const Member &a, const Member &b) { return a.speed < b.speed; };
  const auto fastest = std::max_element(members_.begin(), members_.end(), slower);
  const bool known = std::all_of(members_.begin(), members_.end(),
                                 [](const Member &member) { return member.speed > 0; });
  // Shared once, alone once if that might be quicker, then whichever was.
  const double expected = alone_ > 0 ? alone_ : known ? 1 / fastest->speed : shared_;
  if (known && expected < shared_) {
    shares[fastest - members_.begin()] = units;
    return shares;
  }
  double all = 0;
  for (const Member &member : members_) all += known ? member.speed : 1;
  double before = 0;
  int given = 0;
  for (size_t i = 0; i < members_.size(); i++) {
    before += known ? members_[i].speed : 1;
    shares[i] = static_cast<int>(units * before / all + 0.5) - given;
    given += shares[i];
  }
  return shares;
}

void Team::run(int units, const Work &work) { run_shares(shares(units), work); }

void Team::run_shares(const std::vector<int> &shares, const Work &work) {
  const auto start = Clock::now();
  std::vector<int> begins(shares.size());
  std::exclusive_scan(shares.begin(), shares.end(), begins.begin(), 0);
  std::vector<std::exception_ptr> failures(shares.size());
  const auto guarded = [&](size_t i, const auto &step) {
    if (!shares[i] || failures[i]) return;
    try {
      step(members_[i]);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  const auto enqueue = [&](size_t i) {
    guarded(i, [&](Member &member) {
      work(i, member, begins[i], begins[i] + shares[i]);
      member.queue->cl().flush();
    });
  };
  const auto finish = [&](size_t i) {
    guarded(i, [&](Member &member) {
      member.queue->cl().finish();
      member.speed = shares[i] / since(start);
    });
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < shares.size(); i++)
    if (drive_ == Drive::events)
      enqueue(i);
    else if (shares[i])
      threads.emplace_back([&, i] {
        enqueue(i);
        finish(i);
      });
  for (std::thread &thread : threads) thread.join();
  if (drive_ == Drive::events) watch(members_, shares, finish);

  const auto working = std::count_if(shares.begin(), shares.end(), [](int n) { return n > 0; });
  const int units = std::accumulate(shares.begin(), shares.end(), 0);
  if (units) (working > 1 ? shared_ : alone_) = since(start) / units;
  for (const std::exception_ptr &failure : failures)
    if (failure) std::rethrow_exception(failure);
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

std::vector<Device> choose_devices(const std::vector<Device> &devices, const std::string &wishes) {
  std::vector<Device> chosen;
  std::istringstream list(wishes);
  for (std::string wish; std::getline(list, wish, ',');) {
    const Device device = choose_device(devices, wish);
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](const Device &other) { return same_hardware(device, other); }))
      chosen.push_back(device);
  }
  return chosen;
}

}  // namespace glcl
