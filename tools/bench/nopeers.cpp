// SPDX-License-Identifier: LGPL-2.1-or-later
// The peers of a build without them.
#include "peers.h"

namespace glcl::bench {

std::vector<Peer> bilateral_peers() { return {}; }
std::vector<Peer> histogram_peers() { return {}; }
std::vector<Peer> opticalflow_peers() { return {}; }

}  // namespace glcl::bench
