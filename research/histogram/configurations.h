// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "forms.h"

namespace glcl::research {

/// Groups per compute unit and work-items of a group.
struct Configuration {
  int groups, items;
};

/// The 20 of Gómez Luna, PhD thesis 2012, table 4.2.
const std::vector<Configuration> &configurations();
/// The thesis' histogram in one of them: as many copies as fit, padded, read interleaved.
HistogramForms::Variant variant_of(const Configuration &configuration);

/// Of some rates the mean, the largest, and the standard deviation by the mean.
struct Spread {
  double mean = 0, best = 0, variation = 0;
};
Spread spread_of(const std::vector<double> &rates);

}  // namespace glcl::research
