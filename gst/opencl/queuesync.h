// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "queue.h"

namespace glcl {

/// Makes the next commands of `queue` wait for all commands so far of `other`, a queue of the same
/// context, and flushes `other`. Does nothing if both are the same.
inline void wait_for(const Queue &queue, const Queue &other) {
  if (&other == &queue) return;
  std::vector<cl::Event> given(1);
  other.cl().enqueueMarkerWithWaitList(nullptr, &given[0]);
  other.cl().flush();
  queue.cl().enqueueBarrierWithWaitList(&given);
}

}  // namespace glcl
