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

  /// The three costs with which the model comes nearest to the measured times of additions, in the
  /// unit of these. `error` is the root mean square of the relative errors.
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
