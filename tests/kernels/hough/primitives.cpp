// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists on the device against the standard library, exactly.
#include "hough/primitives.h"

#include <random>

#include "kernels/engine.h"
#include "reference/hough/primitives.h"

using namespace glcl::hough;
using reference::Numbers;

namespace {

const size_t sizes[] = {0, 1, 15, 64, 257, 4099, 20001};

std::vector<Blocks> shapes(Bench &bench) {
  return {Blocks::of(bench.context->device()), {1, 1}, {3, 7}, {100, 48}};
}

/// Random keys below `kinds`, or of 32 bits if that is 0; with `gaps` a third of them is no_key.
Numbers numbers(size_t count, uint32_t kinds, unsigned seed, bool gaps = false) {
  std::mt19937 random(seed);
  Numbers list(count);
  for (uint32_t &value : list) {
    value = kinds ? random() % kinds : random();
    if (gaps && random() % 3 == 0) value = Compaction::no_key;
  }
  return list;
}

cl::Buffer upload(Bench &bench, const Numbers &list, size_t capacity = 0) {
  Numbers padded = list;
  padded.resize(std::max({capacity, list.size(), size_t(1)}), 0xabcdabcd);
  return cl::Buffer(bench.context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    padded.size() * sizeof(cl_uint), padded.data());
}

Numbers download(Bench &bench, const cl::Buffer &buffer, size_t count) {
  Numbers list(count);
  if (count)
    bench.queue->cl().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_uint), list.data());
  return list;
}

cl::Buffer count_of(Bench &bench, const Numbers &list) {
  return upload(bench, {static_cast<uint32_t>(list.size())});
}

void check(const Numbers &found, const Numbers &expected, const char *what) {
  fail_unless(found.size() == expected.size(), "%s: %zu, expected %zu", what, found.size(),
              expected.size());
  const auto at = std::mismatch(found.begin(), found.end(), expected.begin());
  fail_unless(at.first == found.end(), "%s: of %zu number %td is %u, expected %u", what,
              found.size(), at.first - found.begin(), *at.first, *at.second);
}

void check_scan(Bench &bench, Scan &scan, const Numbers &values) {
  const cl::Buffer in = upload(bench, values, values.size() + 1), count = count_of(bench, values),
                   out = upload(bench, {}, values.size() + 1);
  scan.run(*bench.queue, in, count, out);
  check(download(bench, out, values.size() + 1), reference::scan(values), "scan");
  scan.run(*bench.queue, in, count, in);
  check(download(bench, in, values.size() + 1), reference::scan(values), "scan in place");
}

void check_compaction(Bench &bench, Compaction &compaction, const Numbers &keys, size_t capacity,
                      int bins) {
  const Numbers a = numbers(keys.size(), 0, 3), b = numbers(keys.size(), 0, 4);
  const reference::Compacted expected = reference::compact(keys, a, b, capacity, bins);
  const cl::Buffer in[] = {upload(bench, keys), upload(bench, a), upload(bench, b)};
  const cl::Buffer out[] = {upload(bench, {}, capacity), upload(bench, {}, capacity),
                            upload(bench, {}, capacity)};
  const cl::Buffer kept_count = upload(bench, {}), histogram = upload(bench, {}, bins);
  compaction.run(*bench.queue, {in[0], in[1], in[2]}, count_of(bench, keys),
                 {out[0], out[1], out[2]}, cl_uint(capacity), kept_count, histogram, bins);
  check(download(bench, kept_count, 1), {static_cast<uint32_t>(expected.keys.size())}, "kept");
  check(download(bench, out[0], expected.keys.size()), expected.keys, "keys");
  check(download(bench, out[1], expected.keys.size()), expected.a, "a");
  check(download(bench, out[2], expected.keys.size()), expected.b, "b");
  check(download(bench, histogram, bins), expected.histogram, "histogram");
}

void check_sort(Bench &bench, RadixSort &sort, Numbers keys, int bits) {
  Numbers values = numbers(keys.size(), 0, 9);
  const cl::Buffer keys_buffer = upload(bench, keys), values_buffer = upload(bench, values);
  sort.run(*bench.queue, keys_buffer, values_buffer, count_of(bench, keys), bits);
  reference::sort(keys, values, bits);
  check(download(bench, keys_buffer, keys.size()), keys, "sorted keys");
  check(download(bench, values_buffer, keys.size()), values, "sorted values");
}

void check_argmax(Bench &bench, Argmax &argmax, const Numbers &values) {
  const cl::Buffer maximum = upload(bench, {}, 2);
  argmax.run(*bench.queue, upload(bench, values), count_of(bench, values), maximum);
  const auto [value, index] = reference::largest(values);
  check(download(bench, maximum, 2), {value, index}, "largest");
}

}  // namespace

TEST(test_scan) {
  Bench bench;
  for (const Blocks &blocks : shapes(bench)) {
    Scan scan(*bench.context, blocks);
    for (size_t size : sizes) check_scan(bench, scan, numbers(size, size % 2 ? 100 : 0, 1));
  }
}

TEST(test_compaction) {
  Bench bench;
  for (const Blocks &blocks : shapes(bench)) {
    Compaction compaction(*bench.context, blocks);
    for (size_t size : sizes) {
      check_compaction(bench, compaction, numbers(size, 90, 1, true), size + 1, 90);
      check_compaction(bench, compaction, numbers(size, 90, 2), size, 0);  // all of them
      check_compaction(bench, compaction, Numbers(size, Compaction::no_key), 4, 17);
    }
    // Without room for all, one key alone, keys beyond the histogram.
    check_compaction(bench, compaction, numbers(5000, 2000, 1, true), 700, 1024);
    check_compaction(bench, compaction, Numbers(5000, 3), 5000, 4);
    check_compaction(bench, compaction, numbers(5000, 9, 1, true), 1, 5);
  }
}

TEST(test_sort) {
  Bench bench;
  for (const Blocks &blocks : shapes(bench)) {
    RadixSort sort(*bench.context, 20001, blocks);
    for (size_t size : sizes) check_sort(bench, sort, numbers(size, 90, 1), 7);
    for (int bits : {1, 3, 4, 5, 8, 13, 31, 32})
      check_sort(bench, sort, numbers(3000, 0, bits), bits);
    check_sort(bench, sort, Numbers(3000, 0xffffffff), 32);
    check_sort(bench, sort, numbers(3000, 2, 1), 32);
    Numbers falling(3000);
    for (uint32_t i = 0; i < 3000; i++) falling[i] = 3000 - i;
    check_sort(bench, sort, falling, 12);
  }
}

TEST(test_large) {
  Bench bench;
  const size_t size = (1 << 20) + 77;
  Scan scan(*bench.context);
  check_scan(bench, scan, numbers(size, 5, 1));
  Compaction compaction(*bench.context);
  check_compaction(bench, compaction, numbers(size, 8100, 2, true), size, 1024);
  RadixSort sort(*bench.context, size);
  check_sort(bench, sort, numbers(size, 8100, 3), 13);
  check_sort(bench, sort, numbers(size, 0, 4), 32);
  Argmax argmax(*bench.context);
  check_argmax(bench, argmax, numbers(size, 0, 5));
}

TEST(test_argmax) {
  Bench bench;
  for (const Blocks &blocks : shapes(bench)) {
    Argmax argmax(*bench.context, blocks);
    for (size_t size : sizes) {
      check_argmax(bench, argmax, numbers(size, 0, 1));
      check_argmax(bench, argmax, numbers(size, 3, 2));  // many that are equal
      check_argmax(bench, argmax, Numbers(size, 0));
      check_argmax(bench, argmax, Numbers(size, 0xffffffff));
    }
  }
}
