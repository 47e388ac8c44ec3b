// SPDX-License-Identifier: LGPL-2.1-or-later
// Others who do the same, where -Dpeers=enabled found them.
#pragma once

#include "subject.h"

namespace glcl::bench {

std::vector<Peer> bilateral_peers();
std::vector<Peer> histogram_peers();
std::vector<Peer> opticalflow_peers();
std::vector<Peer> motion_peers();

}  // namespace glcl::bench
