// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the plans that cost models choose with the fastest plan: the default model of a kind of
// device, and the one that glcl-tune would save.
#include "chain/chain.h"

#include <algorithm>
#include <cstdio>

#include "opencl/error.h"
#include "reference/chain/chain.h"
#include "reference/transfer.h"
#include "tools/bench/costmodel.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"

namespace glcl::research {

namespace {

using namespace bench;
using chain::Chain;
using chain::CostModel;
using chain::Description;

/// Chains that the costs are not measured with.
constexpr const char *chains[] = {"gauss(sigma=1) ! sharpen",
                                  "saturation ! gamma ! invert ! threshold(level=0.4)",
                                  "grey ! median ! sobel",
                                  "unsharp ! emboss",
                                  "box*5",
                                  "gauss(sigma=3) ! grey ! sobel ! threshold(level=0.2)"};
constexpr int most_plans = 6;

struct Measured {
  int number;
  double by_default, by_measured, microseconds;  // estimates, measured time
};

/// All plans of a chain; `good` becomes false if one is wrong.
std::vector<Measured> plans_of(const std::shared_ptr<Context> &context, const Description &wanted,
                               const CostModel &initial, const CostModel &measured,
                               const Request &request, bool &good) {
  std::vector<Measured> all;
  const auto stages = chain::stages_of(wanted);
  const auto [width, height] =
      request.sizes.empty() ? std::pair{1920, 1080} : request.sizes.front();
  const reference::Frame small = Scene{Content::natural, 97, 61}.frame();
  const reference::Frame expected = reference::chain(small, wanted);
  for (int number = Chain::plan_unfused; number < most_plans; number++) {
    Parameters variant = Chain::tunable().defaults(context->device(), {});
    variant["plan"] = number;
    std::shared_ptr<Chain> made;
    try {
      made = std::make_shared<Chain>(*context, wanted, Chain::Options{false, {}, variant});
    } catch (const Error &) {
      continue;
    }
    Queue queue(context);
    const auto run = [&](const reference::Frame &frame) {
      const Picture in = reference::upload(queue, frame, made->layout());
      const Picture out = reference::upload(queue, frame, made->layout());
      made->run(queue, in, out);
      return reference::download(queue, out);
    };
    good = good && compare_levels(run(small), expected, 1).good;
    const reference::Frame frame = Scene{Content::natural, width, height}.frame();
    const Picture in = reference::upload(queue, frame, made->layout());
    const Picture out = reference::upload(queue, frame, made->layout());
    Run work;
    work.enqueue = [=](Queue &own) { made->run(own, in, out); };
    const Times times = measure(context, work, request.seconds);
    all.push_back({number, chain::cost_of(stages, made->plan(), made->shape(), initial),
                   chain::cost_of(stages, made->plan(), made->shape(), measured),
                   times.events > 0 ? times.events : times.wall});
  }
  return all;
}

template <class Value>
const Measured &least(const std::vector<Measured> &all, const Value &value) {
  return *std::min_element(all.begin(), all.end(), [&](const Measured &a, const Measured &b) {
    return value(a) < value(b);
  });
}

bool print(const Request &request) {
  const auto context = Context::of_device(choose_device(request.device));
  std::printf("%s, driver %s\n", context->device().name.c_str(), context->device().driver.c_str());
  const CostModel initial = chain::default_costs(context->device());
  double error = 0;
  CostModel measured = fitted_cost_model(time_plans(context, 100 * request.seconds), &error);
  measured.local_bytes = initial.local_bytes;
  std::printf(
      "costs, operations   picture    read   local\n"
      "  default            %7.1f %7.1f %7.1f\n"
      "  measured           %7.1f %7.1f %7.1f   estimates are %.0f %% off\n\n",
      initial.picture, initial.read, initial.local, measured.picture, measured.read, measured.local,
      100 * error);
  std::printf("µs of the plan     fastest   default costs'   measured costs'   one by one\n");
  bool good = true;
  double lost[2] = {};
  for (const char *text : chains) {
    const auto all =
        plans_of(context, chain::parse_chain(text, "plans", {}), initial, measured, request, good);
    const double best = least(all, [](const Measured &m) { return m.microseconds; }).microseconds;
    const Measured &by_default = least(all, [](const Measured &m) { return m.by_default; });
    const Measured &by_measured = least(all, [](const Measured &m) { return m.by_measured; });
    lost[0] += by_default.microseconds / best - 1;
    lost[1] += by_measured.microseconds / best - 1;
    std::printf("  %18.0f %15.0f %18.0f %12.0f   %s\n", best, by_default.microseconds,
                by_measured.microseconds, all.front().microseconds, text);
  }
  std::printf("slower than the fastest, mean: default costs %.0f %%, measured costs %.0f %%\n%s",
              100 * lost[0] / std::size(chains), 100 * lost[1] / std::size(chains),
              good ? "" : "WRONG: a plan gives other pixels than the reference\n");
  return good;
}

const Mode mode(
    "plans",
    "Times of the plans of chains, and which of them the default and the measured costs "
    "choose",
    print);

}  // namespace

}  // namespace glcl::research
