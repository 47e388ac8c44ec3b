// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that several devices share: parts of one CPU stand for them.
#include "motion/devicepool.h"

#include <atomic>
#include <cstdio>
#include <numeric>

#include "kernels/motion/motion.h"
#include "motion/multidevicesearch.h"
#include "opencl/error.h"

using glcl::Device;
using glcl::motion::DevicePool;
using motion::MultiDeviceSearch;

namespace {

/// `count` devices with a compute unit each, as far as the test device can be divided; itself else.
/// They are kept: contexts and queues of PoCL 3.1 hold no reference to a part of a device, and its
/// threads look at the device of a command that has completed.
std::vector<Device> parts(Bench &bench, int count) {
  const Device &whole = bench.context->device();
  std::vector<cl::Device> devices;
  std::vector<cl_device_partition_property> how{CL_DEVICE_PARTITION_BY_COUNTS};
  for (int i = 0; i < count; i++) how.push_back(1);
  how.insert(how.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  try {
    cl::Device(whole.device).createSubDevices(how.data(), &devices);
  } catch (const cl::Error &) {
    std::printf("SKIP: %s can't be divided into %d\n", whole.name.c_str(), count);
    return std::vector<Device>(count, whole);
  }
  static auto *kept = new std::vector<cl::Device>;
  kept->insert(kept->end(), devices.begin(), devices.end());
  std::vector<Device> list;
  for (const cl::Device &device : devices) {
    list.push_back(whole);
    list.back().device = device;
  }
  return list;
}

/// A luma plane where MultiDeviceSearch takes it.
MultiDeviceSearch::HostLuma upload(MultiDeviceSearch &search, const reference::Plane &plane) {
  MultiDeviceSearch::HostLuma luma = search.frame();
  const auto bytes = reference::padded(plane);
  std::copy(bytes.begin(), bytes.end(), luma.bytes());
  return luma;
}

}  // namespace

// The same keys for one device and for two, for any shares, with several searches under way.
TEST(test_shares) {
  Bench bench;
  const SearchWindow window = SearchWindow::of_range(6);
  for (int block : {8, 16, motion::Search::partitions}) {
    const Pair pair = moved(reference::natural_frame(90, 50), 3, -4, "natural");
    const std::vector<Key> all_expected[] = {
        reference::full_search(pair.current, pair.reference, block, window, 3),
        reference::full_search(pair.reference, pair.current, block, window, 3)};
    for (int count : {1, 2}) {
      DevicePool pool(parts(bench, count));
      MultiDeviceSearch search(pool, *bench.context, block, 90, 50);
      std::vector<std::vector<int>> all = {{13}, {13}, {13}, {13}};
      if (count == 2) all = {{6, 7}, {1, 12}, {0, 13}, {13, 0}, {10, 3}};
      std::vector<std::vector<Key>> found(all.size(), std::vector<Key>(search.keys()));
      std::vector<size_t> order;
      MultiDeviceSearch::HostLuma before = upload(search, pair.reference);
      for (size_t run = 0; run < all.size(); run++) {
        const MultiDeviceSearch::HostLuma now =
            upload(search, run % 2 ? pair.reference : pair.current);
        search.start(
            now, before, window, 3, found[run].data(),
            [&order, run](const std::exception_ptr &failure) {
              fail_unless(!failure);
              order.push_back(run);
            },
            all[run]);
        before = now;
      }
      pool.wait();
      fail_unless_equals_int(order.size(), all.size());
      for (size_t run = 0; run < all.size(); run++) {
        fail_unless_equals_int(order[run], run);
        check_keys(found[run], all_expected[run % 2], "shared");
      }
    }
  }
}

TEST(test_shares_by_speed) {
  Bench bench;
  DevicePool pool(parts(bench, 2));
  const auto sum = [](const std::vector<int> &n) { return std::accumulate(n.begin(), n.end(), 0); };
  fail_unless(pool.shares(9) == std::vector<int>({5, 4}));
  int done[2] = {0, 0};
  const DevicePool::Work work = [&](size_t index, DevicePool::Worker &, int begin, int end) {
    done[index] = end - begin;
    g_usleep(index ? 3000 * (end - begin) : 1000 * (end - begin));
  };
  for (int run = 0; run < 3; run++) {
    pool.run(40, work);
    fail_unless_equals_int(sum(pool.shares(40)), 40);
  }
  fail_unless(done[0] > done[1], "the faster one did %d, the slower one %d", done[0], done[1]);
}

// Where a device takes long to start, the other one works alone; where it doesn't, both do.
TEST(test_one_device) {
  Bench bench;
  for (const bool slow : {true, false}) {
    DevicePool pool(parts(bench, 2));
    const DevicePool::Work work = [&](size_t index, DevicePool::Worker &, int begin, int end) {
      g_usleep((slow && index ? 50000 : 0) + 1000 * (end - begin));
    };
    for (int run = 0; run < 14; run++) pool.run(20, work);
    fail_unless((pool.shares(20) == std::vector<int>({20, 0})) == slow);
  }
}

// A run begins when the events it waits for, of any context, have completed; their failure is
// reported.
TEST(test_ready) {
  Bench bench;
  DevicePool pool(parts(bench, 2));
  cl::UserEvent ready(bench.context->cl());
  std::atomic<int> begun{0}, done{0};
  pool.start(
      {1, 1}, ready, [&](size_t, DevicePool::Worker &, int, int) { begun++; },
      [&](const std::exception_ptr &) { done++; });
  g_usleep(20000);
  fail_unless(!begun && !done);
  ready.setStatus(CL_COMPLETE);
  pool.wait();
  fail_unless(begun == 2 && done == 1);
  pool.start({0, 0}, {}, {}, [&](const std::exception_ptr &) { done++; });
  fail_unless(done == 2);
}

TEST(test_failure) {
  Bench bench;
  DevicePool pool(parts(bench, 2));
  bool other = false;
  try {
    pool.run(2, [&](size_t index, DevicePool::Worker &, int, int) {
      if (index == 0) throw glcl::Error(glcl::Error::Kind::failed, "as planned");
      other = true;
    });
    fail("a failure got lost");
  } catch (const glcl::Error &error) {
    fail_unless_equals_string(error.what(), "as planned");
  }
  fail_unless(other);
}

// wait() reports the error of a `done`, and later runs go on.
TEST(test_failing_done) {
  Bench bench;
  DevicePool pool(parts(bench, 2));
  int done = 0;
  for (int run = 0; run < 3; run++)
    pool.start(
        {1, 1}, {}, [](size_t, DevicePool::Worker &, int, int) {},
        [&done](const std::exception_ptr &) {
          if (done++ == 0) throw glcl::Error(glcl::Error::Kind::failed, "as planned");
        });
  try {
    pool.wait();
    fail("a failure got lost");
  } catch (const glcl::Error &error) {
    fail_unless_equals_string(error.what(), "as planned");
  }
  fail_unless_equals_int(done, 3);
  pool.wait();
}

// OpenCL's error says which of the devices it comes from.
TEST(test_failure_names_the_device) {
  Bench bench;
  DevicePool pool(parts(bench, 2));
  try {
    pool.run({1, 1}, [](size_t, DevicePool::Worker &, int, int) {
      throw cl::Error(CL_OUT_OF_RESOURCES, "clEnqueueTask");
    });
    fail("a failure got lost");
  } catch (const glcl::Error &error) {
    const std::string text = error.what() + (" " + error.detail());
    for (const std::string &words :
         {pool.worker(0).context->device().name, std::string("clEnqueueTask: CL_OUT_OF_RESOURCES")})
      fail_unless(text.find(words) != std::string::npos, "\"%s\" does not name %s", text.c_str(),
                  words.c_str());
  }
}

// One device by two names, or through two platforms, is one device.
TEST(test_devices_once) {
  const auto all = glcl::devices();
  const std::string id = all[0].id();
  fail_unless_equals_int(motion::choose_devices(all, id + "," + id).size(), 1);
  Device copy = all[0];
  fail_unless(motion::same_hardware(all[0], copy));
  try {
    motion::choose_devices(all, id + ",no such device");
    fail("a device that there is not was chosen");
  } catch (const glcl::Error &error) {
    fail_unless(error.kind() == glcl::Error::Kind::not_found);
  }
}
