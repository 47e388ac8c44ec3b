// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of bench.cpp by NVIDIA's CUB, on as many numbers as a frame has pixels:
//   nvcc -O3 -std=c++17 -o cub cub.cu && ./cub 1920 1080
// Prints medians in µs by CUDA's events; 1 where a result is not that of the host.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <thrust/iterator/zip_iterator.h>
#include <vector>

using Numbers = std::vector<uint32_t>;

namespace {

constexpr int runs = 200;
constexpr uint32_t bins = 1024, no_key = UINT32_MAX;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(2);
}

/// Numbers on the device.
struct List {
  explicit List(const Numbers &from) : count(from.size()) {
    check(cudaMalloc(&at, count * sizeof *at));
    check(cudaMemcpy(at, from.data(), count * sizeof *at, cudaMemcpyHostToDevice));
  }
  explicit List(size_t size) : List(Numbers(size)) {}
  Numbers host() const {
    Numbers to(count);
    check(cudaMemcpy(to.data(), at, count * sizeof *at, cudaMemcpyDeviceToHost));
    return to;
  }
  size_t count;
  uint32_t *at = nullptr;
};

/// What CUB asks for beside its lists; `work` is called with none first, to learn how much.
template <class Work>
void time(const char *name, bool &good, const Work &work, const std::function<bool()> &right) {
  size_t bytes = 0;
  check(work(nullptr, bytes));
  void *memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int run = 0; run < runs; run++) {
    check(cudaEventRecord(begin));
    check(work(memory, bytes));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(1000 * ms);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  const bool same = right();
  good = good && same;
  std::printf("%-34s %8.1f  %s\n", name, times[runs / 2], same ? "" : "WRONG");
  check(cudaFree(memory));
}

Numbers numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Numbers list(count);
  std::generate(list.begin(), list.end(), std::ref(random));
  return list;
}

struct IsKey {
  template <class Tuple>
  __device__ bool operator()(const Tuple &tuple) const {
    return thrust::get<0>(tuple) != no_key;
  }
};

}  // namespace

int main(int count_of_arguments, char **arguments) {
  if (count_of_arguments != 3) {
    std::fprintf(stderr, "usage: cub WIDTH HEIGHT\n");
    return 2;
  }
  const int count = std::atoi(arguments[1]) * std::atoi(arguments[2]);
  bool good = true;
  const Numbers a = numbers(count, 1), b = numbers(count, 2), c = numbers(count, 3);
  const List in(a), other(b), third(c);
  List out(count), out_b(count), out_c(count), spare(count), spare_b(count);

  time(
      "scan", good,
      [&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, in.at, out.at, count);
      },
      [&] {
        Numbers sums(count);
        std::exclusive_scan(a.begin(), a.end(), sums.begin(), uint32_t(0));
        return out.host() == sums;
      });

  Numbers keys = a, kept;
  for (uint32_t &key : keys) key = key % 3 ? key % bins : no_key;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(kept), [](uint32_t key) { return key != no_key; });
  const List key_list(keys), histogram(bins), number(1);
  const auto from = thrust::make_zip_iterator(key_list.at, other.at, third.at);
  const auto to = thrust::make_zip_iterator(out.at, out_b.at, out_c.at);
  time(
      "compaction, a third dropped", good,
      [&](void *memory, size_t &bytes) {
        size_t select = 0, counting = 0;
        cub::DeviceSelect::If(nullptr, select, from, to, number.at, count, IsKey());
        cub::DeviceHistogram::HistogramEven(nullptr, counting, key_list.at, reinterpret_cast<int *>(histogram.at),
                                            int(bins + 1), 0u, bins, count);
        if (!memory) {
          bytes = std::max(select, counting);
          return cudaSuccess;
        }
        cub::DeviceSelect::If(memory, select, from, to, number.at, count, IsKey());
        return cub::DeviceHistogram::HistogramEven(memory, counting, key_list.at, reinterpret_cast<int *>(histogram.at),
                                                   int(bins + 1), 0u, bins, count);
      },
      [&] {
        Numbers counts(bins), got = out.host();
        for (const uint32_t key : kept) counts[key]++;
        got.resize(kept.size());
        return got == kept && histogram.host() == counts && number.host()[0] == kept.size();
      });

  time(
      "radix sort, 32 bits and a value", good,
      [&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, in.at, out.at, other.at, out_b.at, count);
      },
      [&] {
        std::vector<size_t> order(count);
        std::iota(order.begin(), order.end(), size_t(0));
        std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return a[i] < a[j]; });
        const Numbers got = out.host(), values = out_b.host();
        for (int i = 0; i < count; i++)
          if (got[i] != a[order[i]] || values[i] != b[order[i]]) return false;
        return true;
      });

  cub::KeyValuePair<int, uint32_t> *largest = nullptr;
  check(cudaMalloc(&largest, sizeof *largest));
  time(
      "argmax", good,
      [&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::ArgMax(memory, bytes, in.at, largest, count);
      },
      [&] {
        cub::KeyValuePair<int, uint32_t> got;
        check(cudaMemcpy(&got, largest, sizeof got, cudaMemcpyDeviceToHost));
        return got.key == std::max_element(a.begin(), a.end()) - a.begin();
      });
  return good ? 0 : 1;
}
