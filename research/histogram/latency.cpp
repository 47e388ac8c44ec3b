// SPDX-License-Identifier: LGPL-2.1-or-later
#include "latency.h"

#include <algorithm>
#include <map>
#include <set>

#include "tools/bench/fit.h"

namespace glcl::research {

namespace {

/// The most words of one bank among these.
int bank_degree(const std::vector<int> &addresses, int banks) {
  std::map<int, std::set<int>> words;
  for (const int address : addresses) words[address % banks].insert(address);
  size_t most = 1;
  for (const auto &[bank, of_bank] : words) most = std::max(most, of_bank.size());
  return static_cast<int>(most);
}

}  // namespace

int AtomicLatency::cycles(std::vector<int> addresses) const {
  int sum = 0;
  for (bool first = true; !addresses.empty(); first = false) {
    // Of the lanes that want a lock the first has it.
    std::vector<int> winners, losers;
    std::set<int> taken;
    for (const int address : addresses)
      (taken.insert(address % locks).second ? winners : losers).push_back(address);
    sum += first ? base : position;
    sum += (bank_degree(addresses, banks) - 1) * bank;
    sum += (bank_degree(winners, banks) - 1) * bank;
    addresses = std::move(losers);
  }
  return sum;
}

namespace {

/// How often additions to these words pay each cost.
std::vector<double> amounts_of(const std::vector<int> &addresses) {
  const auto paid = [&](int base, int position, int bank) {
    return double(AtomicLatency{base, position, bank}.cycles(addresses));
  };
  return {paid(1, 0, 0), paid(0, 1, 0), paid(0, 0, 1)};
}

}  // namespace

AtomicLatency::Fit AtomicLatency::fit(
    const std::vector<std::pair<std::vector<int>, double>> &measured) {
  std::vector<std::vector<double>> amounts;
  std::vector<double> times;
  for (const auto &[addresses, time] : measured) {
    amounts.push_back(amounts_of(addresses));
    times.push_back(time);
  }
  Fit fit;
  const std::vector<double> costs = bench::fitted_costs(amounts, times, &fit.error);
  fit.base = costs[0], fit.position = costs[1], fit.bank = costs[2];
  return fit;
}

double AtomicLatency::cost(const Fit &fit, const std::vector<int> &addresses) {
  const std::vector<double> amounts = amounts_of(addresses);
  return fit.base * amounts[0] + fit.position * amounts[1] + fit.bank * amounts[2];
}

}  // namespace glcl::research
