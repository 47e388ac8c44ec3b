// SPDX-License-Identifier: LGPL-2.1-or-later
// What work on lists takes, of as many numbers as a frame has pixels, beside the standard library.
#include "hough/primitives.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "reference/hough/primitives.h"
#include "tools/bench/measure.h"
#include "tools/bench/subject.h"

namespace glcl::research {

namespace {

using namespace bench;
using namespace hough;
using reference::Numbers;

constexpr int bins = 1024;  // of what is compacted
constexpr int bits = 32;    // of what is sorted

size_t count_of(const Scene &scene) { return size_t(scene.width) * scene.height; }

Numbers numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Numbers list(count);
  std::generate(list.begin(), list.end(), std::ref(random));
  return list;
}
/// A third is no key.
Numbers keys_of(size_t count) {
  Numbers keys = numbers(count, 1);
  for (uint32_t &key : keys) key = key % 3 ? key % bins : Compaction::no_key;
  return keys;
}

/// Lists on a device.
struct Lists {
  Lists(Context &context, std::vector<Numbers> lists) : values(std::move(lists)) {
    const cl_uint length = static_cast<cl_uint>(values[0].size());
    count = cl::Buffer(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof length,
                       const_cast<cl_uint *>(&length));
    for (Numbers &list : values) {
      in.emplace_back(context.cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes(), list.data());
      out.emplace_back(context.cl(), CL_MEM_READ_WRITE, bytes() + sizeof(cl_uint));
    }
  }
  size_t bytes() const { return values[0].size() * sizeof(cl_uint); }

  std::vector<Numbers> values;
  std::vector<cl::Buffer> in, out;
  cl::Buffer count;
};

Task scan_task() {
  const auto make = [](Context &context, const Parameters &, const Scene &scene) {
    const auto lists =
        std::make_shared<Lists>(context, std::vector<Numbers>{numbers(count_of(scene), 1)});
    const auto scan = std::make_shared<Scan>(context);
    Run run;
    run.enqueue = [=](Queue &queue) {
      scan->run(queue, lists->in[0], lists->count, lists->out[0]);
    };
    run.compare = [=](Queue &queue) {
      run.enqueue(queue);
      return compare_equal(queue, lists->out[0], reference::scan(lists->values[0]), "sums");
    };
    run.least.bytes = 2.0 * double(lists->bytes());
    return run;
  };
  return {"scan", nullptr, "", make};
}

Task compaction_task() {
  const auto make = [](Context &context, const Parameters &, const Scene &scene) {
    const size_t count = count_of(scene);
    const auto lists = std::make_shared<Lists>(
        context, std::vector<Numbers>{keys_of(count), numbers(count, 2), numbers(count, 3)});
    const auto compaction = std::make_shared<Compaction>(context);
    const cl::Buffer kept_count(context.cl(), CL_MEM_READ_WRITE, sizeof(cl_uint)),
        histogram(context.cl(), CL_MEM_READ_WRITE, bins * sizeof(cl_uint));
    Run run;
    run.enqueue = [=](Queue &queue) {
      const auto &in = lists->in, &out = lists->out;
      compaction->run(queue, {in[0], in[1], in[2]}, lists->count, {out[0], out[1], out[2]},
                      static_cast<cl_uint>(count), kept_count, histogram, bins);
    };
    run.compare = [=](Queue &queue) {
      run.enqueue(queue);
      const auto &values = lists->values;
      const auto expected = reference::compact(values[0], values[1], values[2], count, bins);
      const Agreement agreements[] = {
          compare_equal(queue, lists->out[0], expected.keys, "keys"),
          compare_equal(queue, lists->out[1], expected.a, "values"),
          compare_equal(queue, lists->out[2], expected.b, "values"),
          compare_equal(queue, histogram, expected.histogram, "counts"),
          compare_equal(queue, kept_count, Numbers{static_cast<uint32_t>(expected.keys.size())},
                        "number")};
      return *std::min_element(
          std::begin(agreements), std::end(agreements),
          [](const Agreement &a, const Agreement &b) { return a.good < b.good; });
    };
    run.least.bytes = (3.0 + 3.0 * 2 / 3) * double(lists->bytes());
    return run;
  };
  return {"compaction, a third dropped", nullptr, "", make};
}

Task sort_task() {
  const auto make = [](Context &context, const Parameters &, const Scene &scene) {
    const size_t count = count_of(scene);
    const auto lists = std::make_shared<Lists>(
        context, std::vector<Numbers>{numbers(count, 1), numbers(count, 2)});
    const auto sort = std::make_shared<RadixSort>(context, count);
    Run run;
    run.enqueue = [=](Queue &queue) {
      for (int i = 0; i < 2; i++)
        queue.cl().enqueueCopyBuffer(lists->in[i], lists->out[i], 0, 0, lists->bytes());
      sort->run(queue, lists->out[0], lists->out[1], lists->count, bits);
    };
    run.compare = [=](Queue &queue) {
      run.enqueue(queue);
      Numbers keys = lists->values[0], values = lists->values[1];
      reference::sort(keys, values, bits);
      const Agreement sorted = compare_equal(queue, lists->out[0], keys, "keys");
      return sorted.good ? compare_equal(queue, lists->out[1], values, "values") : sorted;
    };
    run.least.bytes = 4.0 * double(lists->bytes());
    return run;
  };
  return {"radix sort, 32 bits and a value", nullptr, "", make};
}

Task argmax_task() {
  const auto make = [](Context &context, const Parameters &, const Scene &scene) {
    const auto lists =
        std::make_shared<Lists>(context, std::vector<Numbers>{numbers(count_of(scene), 1)});
    const auto argmax = std::make_shared<Argmax>(context);
    const cl::Buffer maximum(context.cl(), CL_MEM_READ_WRITE, 2 * sizeof(cl_uint));
    Run run;
    run.enqueue = [=](Queue &queue) { argmax->run(queue, lists->in[0], lists->count, maximum); };
    run.compare = [=](Queue &queue) {
      run.enqueue(queue);
      const auto [largest, first] = reference::largest(lists->values[0]);
      return compare_equal(queue, maximum, Numbers{largest, first}, "largest");
    };
    run.least.bytes = double(lists->bytes());
    return run;
  };
  return {"argmax", nullptr, "", make};
}

/// The median time of the same on the host, ms; `work` takes a list and its copy.
Peer host(const char *name, const char *task, void (*work)(const Numbers &from, Numbers &to)) {
  return {name, task, [work](const Scene &scene, double seconds) {
            const Numbers from = numbers(count_of(scene), 1);
            std::vector<double> times;
            for (double sum = 0; sum < seconds * 1e6 || times.size() < 3; sum += times.back()) {
              Numbers to = from;
              times.push_back(wall_time([&] { work(from, to); }));
            }
            return median(times) / 1000;
          }};
}

const Registration registration("primitives", [](Subject &subject) {
  subject.tasks = {scan_task(), compaction_task(), sort_task(), argmax_task()};
  subject.peers = {
      host("std::exclusive_scan, one core", "scan",
           [](const Numbers &from, Numbers &to) {
             std::exclusive_scan(from.begin(), from.end(), to.begin(), uint32_t(0));
           }),
      host("std::stable_sort of keys alone, one core", "radix sort, 32 bits and a value",
           [](const Numbers &, Numbers &to) { std::stable_sort(to.begin(), to.end()); }),
      host("std::max_element, one core", "argmax", [](const Numbers &from, Numbers &to) {
        to[0] = *std::max_element(from.begin(), from.end());
      })};
});

}  // namespace

}  // namespace glcl::research
