// SPDX-License-Identifier: LGPL-2.1-or-later
// Costs are recovered from times that were computed from them, and saved costs choose the plan.
#include <cmath>

#include "chain/chain.h"
#include "tests/kernels/engine.h"
#include "tools/bench/costmodel.h"

using glcl::bench::TimedPlan;
using glcl::chain::Chain;
using glcl::chain::CostModel;

namespace {

std::vector<TimedPlan> plans_at(const CostModel &costs, double operation) {
  std::vector<TimedPlan> all;
  for (const char *text : {"invert", "gauss(sigma=2) ! grey", "median ! sobel", "box*3"}) {
    const auto stages = glcl::chain::stages_of(glcl::chain::parse_chain(text, "test", {}));
    for (const auto &plan : glcl::chain::plans_for(stages, {}, {48, 6, 3, 32768}, 4)) {
      TimedPlan timed = glcl::bench::amounts_of(stages, plan, {});
      timed.microseconds = operation * (timed.operations + costs.picture * timed.pictures +
                                        costs.read * timed.reads + costs.local * timed.locals);
      all.push_back(timed);
    }
  }
  return all;
}

void check_close(double got, double wanted, const char *what) {
  fail_unless(std::abs(got - wanted) <= 0.02 * wanted + 0.01, "%s: %g instead of %g", what, got,
              wanted);
}

}  // namespace

TEST(test_costs_are_found) {
  for (const CostModel &wanted :
       {CostModel{48, 6, 3, 0}, CostModel{200, 0, 9, 0}, CostModel{0, 11, 0, 0}}) {
    double error = 1;
    const CostModel found = glcl::bench::fitted_cost_model(plans_at(wanted, 0.07), &error);
    check_close(found.picture, wanted.picture, "picture");
    check_close(found.read, wanted.read, "read");
    check_close(found.local, wanted.local, "local");
    fail_unless(error < 0.01, "%g", error);
  }
  // If operations are free, the other costs are at most the largest that can be saved.
  std::vector<TimedPlan> free = plans_at({1, 0, 0, 0}, 1);
  for (TimedPlan &plan : free) plan.microseconds = plan.pictures;
  const CostModel found = glcl::bench::fitted_cost_model(free);
  fail_unless(found.picture > 100 && found.picture <= glcl::chain::most_tenths / 10.0, "%g",
              found.picture);
}

// The cheapest plan of each chain counts.
TEST(test_choices_are_timed) {
  const std::vector<TimedPlan> plans{{10, 1, 0, 0, 5, 0}, {0, 2, 0, 0, 9, 0}, {1, 1, 1, 1, 30, 1}};
  fail_unless(glcl::bench::time_of_choices(plans, {20, 0, 0, 0}) == 35, "pictures are expensive");
  fail_unless(glcl::bench::time_of_choices(plans, {1, 0, 0, 0}) == 39, "operations are expensive");
}

TEST(test_saved_costs_choose) {
  Bench bench;
  const glcl::Device &device = bench.context->device();
  const auto wanted = glcl::chain::parse_chain("grey ! box ! sobel", "test", {});
  const auto passes = [&] { return Chain(*bench.context, wanted, {}).passes(); };
  const auto save = [&](int picture, int read, int local) {
    glcl::save_tuning(glcl::chain::cost_tunable(), device, glcl::chain::cost_problem,
                      {{{"picture", picture}, {"read", read}, {"local", local}}, 1, 1});
  };
  const CostModel usual = glcl::chain::default_costs(device);
  save(123, 45, 6);
  const CostModel costs = glcl::chain::tuned_costs(device);
  check_close(costs.picture, 12.3, "picture");
  check_close(costs.read, 4.5, "read");
  check_close(costs.local, 0.6, "local");
  fail_unless(costs.local_bytes == usual.local_bytes);
  save(glcl::chain::most_tenths, 0, 0);
  const size_t few = passes();
  save(0, 0, glcl::chain::most_tenths);
  const size_t many = passes();
  fail_unless(few == 1 && many > 2, "%zu kernels if pictures are expensive, %zu if they are free",
              few, many);
  // A requested variant is one of those by the default costs.
  glcl::Parameters variant = Chain::tunable().defaults(device, {});
  fail_unless(Chain(*bench.context, wanted, {false, {}, variant}).passes() < many);
  std::remove(glcl::tuning_file().c_str());
}
