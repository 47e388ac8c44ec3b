// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "chain/plan.h"
#include "opencl/context.h"

namespace glcl::bench {

/// The amounts per pixel of a plan of a chain, and its measured time.
struct TimedPlan {
  double operations = 0, pictures = 0, reads = 0, locals = 0, microseconds = 0;
  int chain = 0;  ///< number of its chain
};

/// The amounts of a plan, counted like in its cost estimate.
TimedPlan amounts_of(const std::vector<chain::Stage> &stages, const chain::Plan &plan,
                     const chain::WorkgroupShape &shape);

/// Fits a cost model without negative costs, so that estimates are proportional to the times: least
/// squares of the relative errors. `error`: the root of their mean square.
chain::CostModel fitted_cost_model(const std::vector<TimedPlan> &plans, double *error = nullptr);

/// Total time of all chains, each with its cheapest plan by this model.
double time_of_choices(const std::vector<TimedPlan> &plans, const chain::CostModel &costs);

/// Measures plans of some chains on a device, for about `seconds`. Each result is compared with
/// that of one kernel per filter. Throws Error::failed if too few plans ran.
std::vector<TimedPlan> time_plans(const std::shared_ptr<Context> &context, double seconds);

}  // namespace glcl::bench
