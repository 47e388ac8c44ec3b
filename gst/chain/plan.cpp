// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace glcl::chain {

namespace {

/// The smallest centred part of an odd number of values that contains all nonzero ones.
std::vector<double> trimmed(const std::vector<double> &values) {
  size_t cut = 0;
  while (2 * cut + 1 < values.size() && values[cut] == 0 && values[values.size() - 1 - cut] == 0)
    cut++;
  return {values.begin() + static_cast<long>(cut), values.end() - static_cast<long>(cut)};
}

void add_convolution(const Item &item, size_t index, std::vector<Stage> &stages) {
  const Matrix weights = item.filter->weights_for(item.values);
  SeparableFactors parts;
  Stage stage;
  stage.item = index;
  if (!separate(weights, parts)) {
    stage.kind = Stage::Kind::matrix;
    stage.radius_x = stage.radius_y = weights.width / 2;
    stage.operations = 8 * stage.taps();
    stages.push_back(stage);
    return;
  }
  Stage columns = stage;
  stage.kind = Stage::Kind::rows;
  stage.radius_x = static_cast<int>(parts.row.size() / 2);
  stage.exact = true;
  stage.operations = 8 * stage.taps();
  stages.push_back(stage);
  columns.kind = Stage::Kind::columns;
  columns.radius_y = static_cast<int>(parts.column.size() / 2);
  columns.operations = 8 * columns.taps() + 8;
  stages.push_back(columns);
}

std::vector<Stage> stages_of(const Item &item, size_t index) {
  std::vector<Stage> stages;
  if (item.filter->weights) {
    add_convolution(item, index, stages);
    return stages;
  }
  Stage stage;
  stage.item = index;
  stage.radius_x = stage.radius_y = item.filter->radius_for(item.values);
  stage.frames = item.filter->frames;
  stage.channelwise = item.filter->channelwise && !stage.reads_around() &&
                      !item.filter->reads_moment() && !item.filter->reads_picture();
  stage.looks_up = item.filter->looks_up();
  stage.operations = 16 + 8 * stage.taps() + (item.filter->cube ? 128 : 0) +
                     (item.filter->reads_picture() ? 64 : 0);
  return {stage};
}

size_t pixel_bytes(bool exact, bool deep) { return exact ? 16 : deep ? 8 : 4; }

/// True if a stage reads the exact result of the previous stage.
bool reads_exact(const std::vector<Stage> &stages, size_t stage) {
  return stage > 0 && stages[stage - 1].exact;
}

std::vector<Map> maps_of(const std::vector<Stage> &stages, const Pass &pass) {
  std::vector<Map> maps;
  for (size_t i = pass.first; i <= pass.last; i++) {
    const size_t first = i;
    bool looks_up = false;
    for (; i <= pass.last && stages[i].channelwise; i++) looks_up |= stages[i].looks_up;
    if (looks_up) maps.push_back({first, i - 1});
  }
  return maps;
}

double tile_pixels(const Segment &segment, const WorkgroupShape &shape) {
  return (shape.width() + 2.0 * segment.rim_x) * (shape.height() + 2.0 * segment.rim_y);
}

double pass_cost(const std::vector<Stage> &stages, const Pass &pass, const WorkgroupShape &shape,
                 const CostModel &costs) {
  double cost = 0, evaluations = 1;
  for (size_t s = pass.segments.size(); s-- > 0;) {
    const Segment &segment = pass.segments[s];
    for (size_t i = segment.last + 1; i-- > segment.first;) {
      cost += evaluations * stages[i].operations;
      if (i > segment.first)
        evaluations *= stages[i].taps();
      else if (segment.tile)
        cost += evaluations * stages[i].taps() * costs.local;
      else
        cost += evaluations * stages[i].taps() * stages[i].frames * costs.read;
    }
    if (!segment.tile) continue;
    evaluations = tile_pixels(segment, shape) / (double(shape.width()) * shape.height());
    cost += evaluations * (costs.local + (s == 0 ? costs.read : 0));
  }
  return cost;
}

}  // namespace

bool separate(const Matrix &matrix, SeparableFactors &parts) {
  const auto largest =
      std::max_element(matrix.values.begin(), matrix.values.end(),
                       [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  const int at = static_cast<int>(largest - matrix.values.begin());
  const int pivot_x = at % matrix.width, pivot_y = at / matrix.width;
  const double pivot = *largest;
  parts = {};
  for (int x = 0; x < matrix.width; x++)
    parts.row.push_back(pivot != 0 ? matrix.at(x, pivot_y) / pivot : 0);
  for (int y = 0; y < matrix.height; y++) parts.column.push_back(matrix.at(pivot_x, y));
  for (int y = 0; y < matrix.height; y++)
    for (int x = 0; x < matrix.width; x++)
      if (std::fabs(matrix.at(x, y) - parts.row[x] * parts.column[y]) > 1e-6 * std::fabs(pivot))
        return false;
  // The sum of a Gaussian's rows is 1, so values between rows and columns keep their range.
  double sum = 0;
  for (double weight : parts.row) sum += weight;
  if (std::fabs(sum) > 1e-3) {
    for (double &weight : parts.row) weight /= sum;
    for (double &weight : parts.column) weight *= sum;
  }
  parts.row = trimmed(parts.row);
  parts.column = trimmed(parts.column);
  return true;
}

std::vector<Stage> stages_of(const Description &chain) {
  std::vector<std::vector<Stage>> by_item;
  for (size_t i = 0; i < chain.items.size(); i++) by_item.push_back(stages_of(chain.items[i], i));
  std::vector<Stage> stages;
  for (int iteration = 0; iteration < chain.iterations; iteration++)
    for (size_t i = 0; i < chain.items.size(); i++)
      for (int time = 0; time < chain.items[i].times; time++) {
        stages.insert(stages.end(), by_item[i].begin(), by_item[i].end());
        if (stages.size() > size_t(max_stages))
          fail({"filters", 1}, "the chain needs more than " + std::to_string(max_stages) +
                                   " steps per frame; use fewer filters or iterations.");
      }
  return stages;
}

CostModel default_costs(const Device &device) {
  CostModel costs;
  if (device.is_cpu()) costs.picture = 24, costs.read = 4, costs.local = 8;
  costs.local_bytes = device.local_memory();
  return costs;
}

const Tunable &cost_tunable() {
  static const Tunable tunable = [] {
    std::vector<int> tenths(most_tenths + 1);
    std::iota(tenths.begin(), tenths.end(), 0);
    return Tunable{"chain-costs",
                   {cost_problem},
                   {"chain/chain.clh"},
                   {{"picture", tenths}, {"read", tenths}, {"local", tenths}},
                   [](const Device &device, const std::string &) {
                     const CostModel costs = default_costs(device);
                     const auto in_tenths = [](double cost) { return int(std::lround(10 * cost)); };
                     return Parameters{{"picture", in_tenths(costs.picture)},
                                       {"read", in_tenths(costs.read)},
                                       {"local", in_tenths(costs.local)}};
                   },
                   [](const Device &, const std::string &, const Parameters &) { return true; }};
  }();
  return tunable;
}

CostModel tuned_costs(const Device &device) {
  CostModel costs = default_costs(device);
  const Parameters tenths = tuned_parameters(cost_tunable(), device, cost_problem);
  costs.picture = tenths.at("picture") / 10.0;
  costs.read = tenths.at("read") / 10.0;
  costs.local = tenths.at("local") / 10.0;
  return costs;
}

std::vector<Pass> passes_of(const std::vector<Stage> &stages, const Plan &plan) {
  std::vector<Pass> passes;
  for (size_t i = 0; i < stages.size(); i++) {
    const Input &input = plan.inputs[i];
    if (i == 0 || input.cut) passes.push_back({i, i, {}});
    Pass &pass = passes.back();
    if (pass.segments.empty() || input.tile) pass.segments.push_back({i, i, input.tile});
    pass.last = pass.segments.back().last = i;
  }
  for (Pass &pass : passes) {
    pass.maps = maps_of(stages, pass);
    int x = 0, y = 0;
    for (size_t s = pass.segments.size(); s-- > 0;) {
      Segment &segment = pass.segments[s];
      for (size_t i = segment.first; i <= segment.last; i++) {
        x += stages[i].radius_x;
        y += stages[i].radius_y;
      }
      segment.rim_x = x;
      segment.rim_y = y;
    }
  }
  return passes;
}

size_t maps_of(const std::vector<Pass> &passes) {
  size_t count = 0;
  for (const Pass &pass : passes) count += pass.maps.size();
  return count;
}

size_t local_bytes(const std::vector<Stage> &stages, const Plan &plan,
                   const WorkgroupShape &shape) {
  size_t most = 0;
  for (const Pass &pass : passes_of(stages, plan)) {
    size_t in_turn[2] = {0, 0};  // bytes of the kernel's two tiles, which segments use in turn
    for (size_t s = 0; s < pass.segments.size(); s++) {
      const Segment &segment = pass.segments[s];
      if (!segment.tile) continue;
      const double bytes = tile_pixels(segment, shape) *
                           double(pixel_bytes(reads_exact(stages, segment.first), shape.deep));
      in_turn[s % 2] = std::max(in_turn[s % 2], static_cast<size_t>(bytes));
    }
    most = std::max(most, in_turn[0] + in_turn[1]);
  }
  return most;
}

double cost_of(const std::vector<Stage> &stages, const Plan &plan, const WorkgroupShape &shape,
               const CostModel &costs) {
  if (local_bytes(stages, plan, shape) > costs.local_bytes)
    return std::numeric_limits<double>::infinity();
  double cost = 0;
  for (const Pass &pass : passes_of(stages, plan))
    // Pictures of exact results are floats, four times as large.
    cost +=
        pass_cost(stages, pass, shape, costs) + costs.picture * (stages[pass.last].exact ? 2.5 : 1);
  return cost;
}

Plan unfused(const std::vector<Stage> &stages) {
  Plan plan;
  for (size_t i = 0; i < stages.size(); i++) plan.inputs.push_back({i > 0, false});
  return plan;
}

std::vector<Plan> plans_for(const std::vector<Stage> &stages, const WorkgroupShape &shape,
                            const CostModel &costs, size_t most) {
  constexpr size_t beam = 48;
  std::vector<Plan> plans{unfused(stages)};
  for (size_t i = 0; i < stages.size(); i++) {
    const Stage &stage = stages[i];
    const bool may_tile = stage.reads_around() && stage.frames == 1;
    std::vector<Plan> wider;
    for (const Plan &plan : plans)
      for (const bool cut : {false, true})
        for (const bool tile : {false, true}) {
          if ((i == 0 && cut) || (tile && !may_tile) || (stage.frames > 1 && i > 0 && !cut))
            continue;
          Plan next = plan;
          next.inputs[i] = {cut, tile};
          next.cost = cost_of(stages, next, shape, costs);
          wider.push_back(next);
        }
    std::stable_sort(wider.begin(), wider.end(),
                     [](const Plan &a, const Plan &b) { return a.cost < b.cost; });
    if (wider.size() > beam) wider.resize(beam);
    plans = std::move(wider);
  }
  plans.erase(std::remove_if(plans.begin(), plans.end(),
                             [](const Plan &plan) { return !std::isfinite(plan.cost); }),
              plans.end());
  if (plans.size() > most) plans.resize(most);
  Plan apart = unfused(stages);
  apart.cost = cost_of(stages, apart, shape, costs);
  plans.push_back(apart);
  return plans;
}

}  // namespace glcl::chain
