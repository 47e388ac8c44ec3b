// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shared.h"

#include <chrono>
#include <condition_variable>
#include <iostream>

#include "../table.h"
#include "measure.h"
#include "motion/multidevicesearch.h"
#include "opencl/error.h"
#include "reference/motion/motion.h"
#include "text.h"

namespace glcl::bench {

namespace {

using motion::DevicePool;
using motion::Key;
using motion::MultiDeviceSearch;
using motion::SearchWindow;

constexpr int lambda = 4, block = 16, ahead = 3;
constexpr size_t frames = 4;  // that are repeated

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A stream of frames from host memory through a pool.
class Stream {
 public:
  Stream(DevicePool &pool, const std::vector<reference::Plane> &planes, int range)
      : pool_(pool),
        search_(pool, *pool.worker(0).context, block, planes[0].width, planes[0].height),
        window_(SearchWindow::of_range(range)) {
    for (const reference::Plane &plane : planes) {
      lumas_.push_back(search_.frame());
      const std::vector<uint8_t> bytes = reference::padded(plane);
      std::copy(bytes.begin(), bytes.end(), lumas_.back().bytes());
    }
    found_.assign(frames, std::vector<Key>(search_.keys()));
    before_ = next();
  }
  ~Stream() { pool_.wait(); }

  /// Starts a search, once fewer than `ahead` are pending.
  void push() { push(shares()); }
  std::vector<int> shares() const { return search_.shares(window_); }
  void push(const std::vector<int> &shares) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return pending_ < ahead; });
    if (failure_) std::rethrow_exception(failure_);
    pending_++;
    lock.unlock();
    const MultiDeviceSearch::HostLuma current = next();
    search_.start(
        current, before_, window_, lambda, found_[(pushed_ - 1) % frames].data(),
        [this](const std::exception_ptr &failure) {
          const std::lock_guard own(mutex_);
          if (failure) failure_ = failure;
          pending_--;
          finished_.notify_all();
        },
        shares);
    before_ = current;
  }

  /// ms per frame, after the pool has balanced the load.
  double time(double seconds) {
    for (int i = 0; i < 24; i++) push();
    pool_.wait();
    const double start = now();
    int count = 0;
    for (; count < 20 || now() - start < seconds; count++) push();
    pool_.wait();
    return (now() - start) * 1e3 / count;
  }

  /// The keys that the last searches found, by the frame that was searched.
  const std::vector<std::vector<Key>> &found() {
    pool_.wait();
    return found_;
  }

 private:
  /// The next frame. It counts as new, so it is uploaded again.
  MultiDeviceSearch::HostLuma next() {
    MultiDeviceSearch::HostLuma luma = lumas_[pushed_++ % frames];
    luma.number = frames + pushed_;
    return luma;
  }

  DevicePool &pool_;
  MultiDeviceSearch search_;
  SearchWindow window_;
  std::vector<MultiDeviceSearch::HostLuma> lumas_;
  MultiDeviceSearch::HostLuma before_;
  std::vector<std::vector<Key>> found_;  // by the number of the frame
  size_t pushed_ = 0;

  std::mutex mutex_;
  std::condition_variable finished_;
  int pending_ = 0;
  std::exception_ptr failure_;
};

/// Splits that a pool is unlikely to choose.
std::vector<std::vector<int>> odd_shares(size_t members, int units) {
  std::vector<std::vector<int>> all;
  for (size_t i = 0; i < members; i++) {
    all.emplace_back(members, 0).at(i) = units;
    if (members > 1) {
      all.emplace_back(members, 1).at(i) = units - int(members) + 1;
    }
  }
  return all;
}

}  // namespace

std::vector<Device> shared_devices(const std::string &wishes) {
  std::vector<Device> devices = motion::choose_devices(glcl::devices(), wishes);
  if (devices.size() > 1 || !devices[0].is_cpu()) return devices;
  const cl_uint units = devices[0].device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  const cl_device_partition_property how[] = {
      CL_DEVICE_PARTITION_EQUALLY, static_cast<cl_device_partition_property>(units / 2), 0};
  std::vector<cl::Device> parts;
  try {
    cl::Device(devices[0].device).createSubDevices(how, &parts);
  } catch (const cl::Error &) {
    return devices;
  }
  std::vector<Device> halves(parts.size(), devices[0]);
  for (size_t i = 0; i < parts.size(); i++) halves[i].device = parts[i];
  return halves;
}

bool print_shared(const std::string &wishes, const std::vector<std::pair<int, int>> &sizes,
                  double seconds) {
  const std::vector<Device> devices = shared_devices(wishes);
  bool good = true;
  Table table({"frame", "range", "devices", "ms/frame", "of the best alone", "rows of candidates",
               "vectors"});
  for (const auto &[width, height] : sizes) {
    std::vector<reference::Plane> planes;
    for (size_t n = 0; n < frames; n++)
      planes.push_back(
          reference::luma(Scene{Content::natural, width, height}.frame(static_cast<int>(n))));
    for (const int range : {16, 64}) {
      std::vector<std::vector<Key>> truth;
      double best = 0;
      const std::string frame = std::to_string(width) + "×" + std::to_string(height);
      const auto add = [&](const std::vector<Device> &own, const std::string &name) {
        DevicePool pool(own);
        Stream stream(pool, planes, range);
        for (size_t i = 0; i < frames; i++) stream.push();
        const double ms = stream.time(seconds);
        std::string shares;
        for (int share : stream.shares())
          shares += (shares.empty() ? "" : " + ") + std::to_string(share);
        bool equal = true;
        for (const auto &split : odd_shares(own.size(), 2 * range + 1)) {
          for (size_t i = 0; i < frames; i++) stream.push(split);
          if (truth.empty()) truth = stream.found();
          equal = equal && stream.found() == truth;
        }
        for (size_t i = 0; i < frames; i++) stream.push();
        equal = equal && stream.found() == truth;
        good = good && equal;
        if (own.size() == 1) best = best > 0 ? std::min(best, ms) : ms;
        table.add({frame, std::to_string(range), name, number(ms, 3),
                   own.size() > 1 ? number(best / ms, 2) + " ×" : "", shares,
                   equal ? "equal" : "WRONG"});
      };
      for (const Device &device : devices) add({device}, device.id() + " " + device.name);
      if (devices.size() > 1) add(devices, "all " + std::to_string(devices.size()));
    }
  }
  table.print(170);
  return good;
}

}  // namespace glcl::bench
