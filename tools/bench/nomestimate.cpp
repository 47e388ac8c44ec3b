// SPDX-License-Identifier: LGPL-2.1-or-later
// A build without FFmpeg's libavfilter.
#include "peers.h"

namespace glcl::bench {

std::vector<Peer> motion_peers() { return {}; }

}  // namespace glcl::bench
