// SPDX-License-Identifier: LGPL-2.1-or-later
// Two ways in which one host drives several devices that share a full search, as A. Uta compares
// them: frame by frame, a thread for each device that waits, or one thread that starts everything
// and waits for events. The elements' DevicePool keeps its threads and has frames overlap:
// `glcl-bench
// --devices`.
#include <cstdio>
#include <iostream>
#include <set>
#include <thread>

#include "reference/motion/motion.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"
#include "tools/bench/search.h"
#include "tools/bench/shared.h"
#include "tools/table.h"

namespace glcl::research {

namespace {

using namespace bench;
using motion::Key;
using motion::LumaPlane;
using motion::Search;
using motion::SearchWindow;

constexpr int block = 16, lambda = 0;

enum class Drive { threads, events };

class DrivenSearch {
 public:
  DrivenSearch(const std::vector<Device> &devices, int width, int height) {
    for (const Device &device : devices) {
      const auto context = Context::of_device(device);
      const auto plane = [&] { return motion::make_plane(context->cl(), width, height); };
      Part part{
          std::make_unique<Queue>(context), Search(*context, block), plane(), plane(), {}, {}};
      part.found.resize(part.search.keys(part.current));
      part.keys = cl::Buffer(context->cl(), CL_MEM_READ_WRITE, part.found.size() * sizeof(Key));
      parts_.push_back(std::move(part));
    }
  }

  /// The keys of `current` in `reference`, two padded planes; each device has as many rows of
  /// candidates as the others.
  std::vector<Key> run(Drive drive, const std::vector<uint8_t> &current,
                       const std::vector<uint8_t> &reference, const SearchWindow &window) {
    if (drive == Drive::threads) {
      std::vector<std::thread> threads;
      for (size_t i = 0; i < parts_.size(); i++)
        threads.emplace_back([&, i] {
          write(i, current, reference, CL_TRUE);
          search(i, window);
          read(i, CL_TRUE);
        });
      for (std::thread &thread : threads) thread.join();
    } else {
      std::vector<cl::Event> ends;
      for (size_t i = 0; i < parts_.size(); i++) write(i, current, reference, CL_FALSE);
      for (size_t i = 0; i < parts_.size(); i++) search(i, window);
      for (size_t i = 0; i < parts_.size(); i++) ends.push_back(read(i, CL_FALSE));
      for (const cl::Event &end : ends) end.wait();
    }
    std::vector<Key> keys = parts_[0].found;
    for (const Part &part : parts_)
      std::transform(keys.begin(), keys.end(), part.found.begin(), keys.begin(),
                     [](Key a, Key b) { return std::min(a, b); });
    return keys;
  }

 private:
  struct Part {
    std::unique_ptr<Queue> queue;
    Search search;
    LumaPlane current, reference;
    cl::Buffer keys;
    std::vector<Key> found;
  };

  void write(size_t i, const std::vector<uint8_t> &current, const std::vector<uint8_t> &reference,
             cl_bool wait) {
    const cl::CommandQueue &queue = parts_[i].queue->cl();
    queue.enqueueWriteBuffer(parts_[i].reference.buffer, wait, 0, reference.size(),
                             reference.data());
    queue.enqueueWriteBuffer(parts_[i].current.buffer, wait, 0, current.size(), current.data());
    queue.flush();
  }

  void search(size_t i, const SearchWindow &window) {
    const int devices = static_cast<int>(parts_.size()), rows = window.y.count,
              first = rows * static_cast<int>(i) / devices,
              end = rows * (static_cast<int>(i) + 1) / devices;
    parts_[i].search.run(*parts_[i].queue, parts_[i].current, parts_[i].reference,
                         {window.x, {window.y.first + first, end - first}}, lambda, parts_[i].keys);
    parts_[i].queue->cl().flush();
  }

  cl::Event read(size_t i, cl_bool wait) {
    cl::Event end;
    parts_[i].queue->cl().enqueueReadBuffer(parts_[i].keys, wait, 0,
                                            parts_[i].found.size() * sizeof(Key),
                                            parts_[i].found.data(), nullptr, &end);
    parts_[i].queue->cl().flush();
    return end;
  }

  std::vector<Part> parts_;
};

std::vector<uint8_t> luma_bytes(const Scene &scene, int number) {
  return reference::padded(reference::luma(scene.frame(number)));
}

/// Whether both find what the reference implementation finds, in a small frame.
bool agree(const std::vector<Device> &devices) {
  const Scene scene{Content::natural, 90, 50};
  const SearchWindow window = SearchWindow::of_range(8);
  const auto expected = reference::full_search(
      reference::luma(scene.frame(1)), reference::luma(scene.frame(0)), block, window, lambda);
  DrivenSearch search(devices, scene.width, scene.height);
  return search.run(Drive::threads, luma_bytes(scene, 1), luma_bytes(scene, 0), window) ==
             expected &&
         search.run(Drive::events, luma_bytes(scene, 1), luma_bytes(scene, 0), window) == expected;
}

bool print(const Request &request) {
  const std::vector<Device> devices =
      shared_devices(request.devices.empty() ? request.device : request.devices);
  bool good = agree(devices);
  const auto sizes = request.sizes.empty() ? decltype(request.sizes){{1920, 1080}} : request.sizes;
  Table table({"frame", "range", "devices", "driven by", "ms/frame", "vectors"});
  for (const auto &[width, height] : sizes) {
    const Scene scene{Content::natural, width, height};
    const auto current = luma_bytes(scene, 1), before = luma_bytes(scene, 0);
    for (const int range : {16, 64}) {
      std::vector<Key> first;
      for (const size_t count : std::set<size_t>{1, devices.size()})
        for (const Drive drive : {Drive::threads, Drive::events}) {
          DrivenSearch search({devices.begin(), devices.begin() + static_cast<ptrdiff_t>(count)},
                              width, height);
          std::vector<double> times;
          std::vector<Key> keys;
          double sum = 0;
          for (int i = 0; i < 3 || sum < request.seconds * 1e6; i++) {
            const double time = wall_time(
                [&] { keys = search.run(drive, current, before, SearchWindow::of_range(range)); });
            if (i) times.push_back(time);  // drivers finish compiling at the first launch
            sum += time;
          }
          if (first.empty()) first = keys;
          good = good && keys == first;
          char ms[32];
          std::snprintf(ms, sizeof ms, "%.3f", median(times) / 1e3);
          table.add({std::to_string(width) + "×" + std::to_string(height), std::to_string(range),
                     std::to_string(count), drive == Drive::threads ? "threads" : "events", ms,
                     good ? "equal" : "WRONG"});
        }
    }
  }
  table.print(170);
  return good;
}

const Mode mode("driving", "A block search shared by --devices, driven by threads and by events",
                print);

}  // namespace

}  // namespace glcl::research
