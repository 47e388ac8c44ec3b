// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the prices of plans tell which one is the fastest: the usual ones of a kind of device,
// and those that glcl-tune would keep.
#include "chain/chain.h"

#include <algorithm>
#include <cstdio>

#include "opencl/error.h"
#include "reference/chain/chain.h"
#include "reference/transfer.h"
#include "tools/bench/measure.h"
#include "tools/bench/mode.h"
#include "tools/bench/prices.h"

namespace glcl::research {

namespace {

using namespace bench;
using chain::Chain;
using chain::Description;
using chain::Prices;

/// None of them is one that prices are measured with.
constexpr const char *chains[] = {"gauss(sigma=1) ! sharpen",
                                  "saturation ! gamma ! invert ! threshold(level=0.4)",
                                  "grey ! median ! sobel",
                                  "unsharp ! emboss",
                                  "box*5",
                                  "gauss(sigma=3) ! grey ! sobel ! threshold(level=0.2)"};
constexpr int most_plans = 6;

struct Measured {
  int number;
  double estimate, priced, microseconds;
};

/// All plans of a chain; `good` becomes false where one is wrong.
std::vector<Measured> plans_of(const std::shared_ptr<Context> &context, const Description &wanted,
                               const Prices &usual, const Prices &priced, const Request &request,
                               bool &good) {
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
    all.push_back({number, chain::cost_of(stages, made->plan(), made->shape(), usual),
                   chain::cost_of(stages, made->plan(), made->shape(), priced),
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
  const Prices usual = chain::usual_prices(context->device());
  double error = 0;
  Prices priced = fitted_prices(time_plans(context, 100 * request.seconds), &error);
  priced.local_bytes = usual.local_bytes;
  std::printf(
      "prices, operations   picture    read   local\n"
      "  usual              %7.1f %7.1f %7.1f\n"
      "  measured           %7.1f %7.1f %7.1f   estimates are %.0f %% off\n\n",
      usual.picture, usual.read, usual.local, priced.picture, priced.read, priced.local,
      100 * error);
  std::printf("µs of the plan     fastest   usual prices'   measured prices'   one by one\n");
  bool good = true;
  double lost[2] = {};
  for (const char *text : chains) {
    const auto all =
        plans_of(context, chain::parse_chain(text, "plans", {}), usual, priced, request, good);
    const double best = least(all, [](const Measured &m) { return m.microseconds; }).microseconds;
    const Measured &by_usual = least(all, [](const Measured &m) { return m.estimate; });
    const Measured &by_priced = least(all, [](const Measured &m) { return m.priced; });
    lost[0] += by_usual.microseconds / best - 1;
    lost[1] += by_priced.microseconds / best - 1;
    std::printf("  %18.0f %15.0f %18.0f %12.0f   %s\n", best, by_usual.microseconds,
                by_priced.microseconds, all.front().microseconds, text);
  }
  std::printf("slower than the fastest, mean: usual prices %.0f %%, measured prices %.0f %%\n%s",
              100 * lost[0] / std::size(chains), 100 * lost[1] / std::size(chains),
              good ? "" : "WRONG: a plan gives other pixels than the reference\n");
  return good;
}

const Mode mode("plans",
                "Times of the plans of chains, and which of them the usual and the measured prices "
                "choose",
                print);

}  // namespace

}  // namespace glcl::research
