// SPDX-License-Identifier: LGPL-2.1-or-later
// Costs of pictures, reads and local memory on a device for glclchain, fitted to the measured times
// of several chains' plans.
#include "costmodel.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "chain/chain.h"
#include "fit.h"
#include "measure.h"
#include "opencl/error.h"
#include "progress.h"
#include "reference/transfer.h"

namespace glcl::bench {

namespace {

using chain::Chain;
using chain::CostModel;
using chain::Description;
using chain::Plan;

/// Chains from filters that only copy to filters that read many neighbours. Measured are the fused
/// plans with the lowest estimates, and a kernel per filter. The first plan of every chain is
/// measured first, because time may be short.
constexpr const char *chains[] = {
    "invert(strength=0)",          "gauss(sigma=2) ! grey",
    "saturation ! gamma ! invert", "median ! grey ! sobel ! threshold(level=0.2)",
    "grey ! box ! sobel",          "box*4"};
constexpr int plans[] = {0, Chain::plan_unfused, 1, 3};

/// The output of the chain.
reference::Frame made_by(Queue &queue, Chain &chain, const reference::Frame &frame) {
  const Picture in = reference::upload(queue, frame, chain.layout());
  const Picture out = reference::upload(queue, frame, chain.layout());
  chain.run(queue, in, out);
  return reference::download(queue, out);
}

/// The median time of a chain on large frames.
double time_of(const std::shared_ptr<Context> &context, const std::shared_ptr<Chain> &chain) {
  constexpr double brief = 0.05;
  Queue queue(context);
  const Scene scene{Content::natural, 1920, 1080};
  const Picture in = reference::upload(queue, scene.frame(), chain->layout());
  const Picture out = make_picture(context->cl(), scene.width, scene.height, chain->layout());
  Run run;
  run.enqueue = [=](Queue &own) { chain->run(own, in, out); };
  const Times times = measure(context, run, brief);
  return times.events > 0 ? times.events : times.wall;
}

/// Measures a plan; nothing if the device can't run it.
std::optional<TimedPlan> time_plan(const std::shared_ptr<Context> &context,
                                   const Description &wanted, int number) {
  Parameters variant = Chain::tunable().defaults(context->device(), {});
  variant["plan"] = number;
  std::shared_ptr<Chain> chain;
  try {
    chain = std::make_shared<Chain>(*context, wanted, Chain::Options{false, {}, variant});
  } catch (const Error &) {
    return {};
  }
  variant["plan"] = Chain::plan_unfused;
  Chain one_by_one(*context, wanted, Chain::Options{false, {}, variant});
  Queue queue(context);
  const reference::Frame frame = Scene{Content::natural, 173, 71}.frame();
  if (!compare_levels(made_by(queue, *chain, frame), made_by(queue, one_by_one, frame), 1).good)
    throw Error(Error::Kind::failed, "A plan of the chain \"" + wanted.text() + "\" is wrong on " +
                                         context->device().name + ". Please report this.");
  TimedPlan plan = amounts_of(chain::stages_of(wanted), chain->plan(), chain->shape());
  plan.microseconds = time_of(context, chain);
  return plan;
}

}  // namespace

TimedPlan amounts_of(const std::vector<chain::Stage> &stages, const Plan &plan,
                     const chain::WorkgroupShape &shape) {
  // The estimate is a sum of amounts times costs.
  const auto cost = [&](double picture, double read, double local) {
    return chain::cost_of(stages, plan, shape, CostModel{picture, read, local, SIZE_MAX});
  };
  const double operations = cost(0, 0, 0);
  return {operations, cost(1, 0, 0) - operations, cost(0, 1, 0) - operations,
          cost(0, 0, 1) - operations, 0};
}

CostModel fitted_cost_model(const std::vector<TimedPlan> &plans, double *error) {
  std::vector<std::vector<double>> amounts;
  std::vector<double> times;
  for (const TimedPlan &plan : plans) {
    amounts.push_back({plan.operations, plan.pictures, plan.reads, plan.locals});
    times.push_back(plan.microseconds);
  }
  const std::vector<double> costs = fitted_costs(amounts, times, error);
  // If operations cost nothing, the highest cost becomes the largest that can be saved.
  const double highest = std::max({costs[1], costs[2], costs[3]});
  const double operation = std::max({costs[0], highest / (chain::most_tenths / 10.0), 1e-300});
  return {costs[1] / operation, costs[2] / operation, costs[3] / operation, 0};
}

double time_of_choices(const std::vector<TimedPlan> &plans, const CostModel &costs) {
  const auto cost = [&](const TimedPlan &plan) {
    return plan.operations + costs.picture * plan.pictures + costs.read * plan.reads +
           costs.local * plan.locals;
  };
  std::map<int, const TimedPlan *> chosen;
  for (const TimedPlan &plan : plans) {
    const TimedPlan *&best = chosen[plan.chain];
    if (!best || cost(plan) < cost(*best)) best = &plan;
  }
  double sum = 0;
  for (const auto &[chain, plan] : chosen) sum += plan->microseconds;
  return sum;
}

std::vector<TimedPlan> time_plans(const std::shared_ptr<Context> &context, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr size_t least = 6;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<TimedPlan> timed;
  Progress progress(std::size(plans) * std::size(chains));
  for (const int number : plans)
    for (size_t i = 0; i < std::size(chains); i++) {
      if (Clock::now() > deadline && timed.size() >= least) return timed;
      progress.step(chains[i]);
      const Description wanted = chain::parse_chain(chains[i], "costs", {});
      if (auto plan = time_plan(context, wanted, number)) {
        plan->chain = static_cast<int>(i);
        timed.push_back(*plan);
      }
    }
  if (timed.size() < least)
    throw Error(Error::Kind::failed, "Too few plans run on " + context->device().name +
                                         " to measure their cost. The default costs stay.");
  return timed;
}

}  // namespace glcl::bench
