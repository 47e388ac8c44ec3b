// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "queue.h"

namespace glcl {

/// Enqueues that what `queue` is given next waits for all that `other`, of the same context, has
/// been given so far, and flushes that one. Nothing where both are one.
inline void wait_for(const Queue &queue, const Queue &other) {
  if (&other == &queue) return;
  std::vector<cl::Event> given(1);
  other.cl().enqueueMarkerWithWaitList(nullptr, &given[0]);
  other.cl().flush();
  queue.cl().enqueueBarrierWithWaitList(&given);
}

}  // namespace glcl
