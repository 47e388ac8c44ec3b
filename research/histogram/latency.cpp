// SPDX-License-Identifier: LGPL-2.1-or-later
#include "latency.h"

#include <algorithm>
#include <map>
#include <set>

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

}  // namespace glcl::research
