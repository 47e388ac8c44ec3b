// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "chain/plan.h"
#include "opencl/context.h"

namespace glcl::bench {

/// How much of each thing a plan of a chain takes for a pixel, and for how long it ran.
struct TimedPlan {
  double operations = 0, pictures = 0, reads = 0, locals = 0, microseconds = 0;
  int chain = 0;  ///< that it is a plan of
};

/// The amounts of a plan, as its cost estimate counts them.
TimedPlan amounts_of(const std::vector<chain::Stage> &stages, const chain::Plan &plan,
                     const chain::WorkgroupShape &shape);

/// The prices, none below 0, by which the estimated costs are most nearly proportional to the
/// times: least squares of the relative errors. `error`: the root of their mean square.
chain::Prices fitted_prices(const std::vector<TimedPlan> &plans, double *error = nullptr);

/// The time of all chains together, each by that of its plans that is the cheapest at these prices.
double time_of_choices(const std::vector<TimedPlan> &plans, const chain::Prices &prices);

/// The times of plans of some chains on a device, for about so many seconds; each is compared with
/// its filters one by one. Throws Error::failed where fewer plans than prices ran.
std::vector<TimedPlan> time_plans(const std::shared_ptr<Context> &context, double seconds);

}  // namespace glcl::bench
