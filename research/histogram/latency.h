// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>
#include <vector>

namespace glcl::research {

/// What additions to counters in local memory cost where they are made with locks, as on GPUs of
/// NVIDIA's Fermi: Gómez Luna, PhD thesis 2012, listings 4.3 to 4.5, with what was measured there
/// on a GTX 580. GPUs since Maxwell add without locks; `glcl-bench glclhistogram --conflicts`
/// measures what they do.
struct AtomicLatency {
  int base = 108;      ///< cycles of an addition of all lanes, without conflicts
  int position = 120;  ///< more for each round that lanes with one address take
  int bank = 32;       ///< more for each further word of a bank, at a read or a write
  int banks = 32;
  int locks = 1024;

  /// The three costs by which it comes nearest to what a device took for additions, in the unit of
  /// these, and how far it stays off: the root of the relative errors' mean square.
  struct Fit {
    double base = 0, position = 0, bank = 0, error = 0;
  };
  static Fit fit(const std::vector<std::pair<std::vector<int>, double>> &measured);
  /// What the model says with these, in their unit.
  static double cost(const Fit &fit, const std::vector<int> &addresses);

  /// Cycles for one addition to these words, one per lane.
  int cycles(std::vector<int> addresses) const;
};

}  // namespace glcl::research
