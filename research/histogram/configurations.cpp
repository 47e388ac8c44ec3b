// SPDX-License-Identifier: LGPL-2.1-or-later
#include "configurations.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

#include "opencl/error.h"
#include "reference/histogram/histogram.h"
#include "tools/bench/device.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;
using histogram::Histogram;
using Format = Histogram::Format;

std::vector<uint16_t> samples_of(int width, int height) {
  std::mt19937 next(1);
  std::vector<uint16_t> samples(size_t(width) * size_t(height));
  // As photographs have them: more of some than of others.
  for (uint16_t &sample : samples)
    sample = static_cast<uint16_t>((next() >> 20) / 2 + (next() >> 20) / 2);
  return samples;
}

/// GB/s; 0 where the device can't have the configuration.
double rate_of(const std::shared_ptr<Context> &context, const Format &format,
               const Configuration &configuration, const std::vector<uint16_t> &samples, int width,
               double seconds, bool &good) {
  const int height = static_cast<int>(samples.size()) / width;
  try {
    const auto engine = std::make_shared<HistogramForms>(*context, width, height, format,
                                                         variant_of(configuration));
    const cl::Buffer in = filled(*context, samples);
    Run run;
    run.enqueue = [=](Queue &queue) { engine->run(queue, in, width); };
    const Times times = measure(context, run, seconds);
    Queue queue(context);
    const auto expected = reference::histogram(samples, format);
    good = good && read<cl_uint>(queue, engine->run(queue, in, width), expected.size()) ==
                       std::vector<cl_uint>(expected.begin(), expected.end());
    return 2.0 * double(samples.size()) / (times.events > 0 ? times.events : times.wall) / 1e3;
  } catch (const Error &) {
    return 0;
  }
}

/// Table 4.3 of the thesis: histograms of 12 bits in every configuration.
bool print(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  const auto [width, height] =
      request.sizes.empty() ? std::pair{1536, 1024} : request.sizes.front();
  const std::vector<uint16_t> samples = samples_of(width, height);
  std::printf(
      "%s, driver %s\n%dx%d, 12 bits, R-per-block, GB/s\n   bins    mean    best  variation"
      "  groups × items of the best  configurations\n",
      context->device().name.c_str(), context->device().driver.c_str(), width, height);
  bool good = true;
  for (const int bins : {32, 256, 1024, 4096}) {
    std::vector<double> rates;
    Configuration best{};
    for (const Configuration &configuration : configurations()) {
      const double rate = rate_of(context, {Histogram::Mode::grey_16, bins, 12}, configuration,
                                  samples, width, request.seconds / 4, good);
      if (rate <= 0) continue;
      if (rates.empty() || rate > *std::max_element(rates.begin(), rates.end()))
        best = configuration;
      rates.push_back(rate);
    }
    const Spread spread = spread_of(rates);
    std::printf("%7d %7.2f %7.2f %8.0f %%  %6d × %-18d  %zu of %zu\n", bins, spread.mean,
                spread.best, 100 * spread.variation, best.groups, best.items, rates.size(),
                configurations().size());
  }
  if (!good) std::printf("WRONG: counts differ from the reference\n");
  return good;
}

const Mode mode("configurations",
                "Histograms of 12 bits in 20 configurations of groups and work-items", print);

}  // namespace

const std::vector<Configuration> &configurations() {
  static const std::vector<Configuration> all{{1, 768}, {1, 1024}, {2, 384}, {2, 512}, {2, 768},
                                              {3, 256}, {3, 384},  {3, 512}, {4, 192}, {4, 256},
                                              {4, 384}, {5, 192},  {5, 256}, {6, 128}, {6, 192},
                                              {6, 256}, {7, 128},  {7, 192}, {8, 128}, {8, 192}};
  return all;
}

HistogramForms::Variant variant_of(const Configuration &configuration) {
  HistogramForms::Variant variant;
  variant.copies = 0;
  variant.interleave = true;
  variant.pixels = 1;
  variant.items = configuration.items;
  variant.groups = configuration.groups;
  return variant;
}

Spread spread_of(const std::vector<double> &rates) {
  if (rates.empty()) return {};
  const auto count = static_cast<double>(rates.size());
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / count;
  double squares = 0;
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  return {mean, *std::max_element(rates.begin(), rates.end()), std::sqrt(squares / count) / mean};
}

}  // namespace glcl::research
