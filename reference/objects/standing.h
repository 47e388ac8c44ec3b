// SPDX-License-Identifier: LGPL-2.1-or-later
// Things that stand still, cell by cell.
#pragma once

#include <vector>

namespace reference {

/// As glcl::objects::BackgroundModel::means(), from the levels and ages of the background; -1 where
/// a cell is not known.
std::vector<int> standing_means(const std::vector<float> &levels, const std::vector<int> &ages,
                                int width, int height);

}  // namespace reference
