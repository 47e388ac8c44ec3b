// SPDX-License-Identifier: LGPL-2.1-or-later
#include "queue.h"

#include <algorithm>

namespace glcl {

void Timing::add(uint64_t ns) {
  count++;
  sum += ns;
  max = std::max(max, ns);
}

Queue::Queue(std::shared_ptr<Context> context, bool profile)
    : context_(std::move(context)),
      queue_(context_->cl(), context_->device().device, profile ? CL_QUEUE_PROFILING_ENABLE : 0),
      profile_(profile) {}

cl::Event *Queue::event(const std::string &kernel) {
  if (!profile_) return nullptr;
  events_.emplace_back(kernel, std::make_unique<cl::Event>());
  return events_.back().second.get();
}

void Queue::collect(std::map<std::string, Timing> &timings) {
  const auto events = std::move(events_);
  events_.clear();
  for (const auto &[name, event] : events) {
    if (!(*event)()) continue;  // its launch failed
    event->wait();
    timings[name].add(event->getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                      event->getProfilingInfo<CL_PROFILING_COMMAND_START>());
  }
}

}  // namespace glcl
