// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace glcl::bench {

/// Fits non-negative costs per unit, so that the total costs of rows of amounts match their times:
/// least squares of the relative errors. `error`: the root of their mean square.
std::vector<double> fitted_costs(const std::vector<std::vector<double>> &amounts,
                                 const std::vector<double> &times, double *error = nullptr);

}  // namespace glcl::bench
