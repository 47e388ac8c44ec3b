// SPDX-License-Identifier: LGPL-2.1-or-later
#include "queue.h"

#include <algorithm>

#include "waiting.h"

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

cl::Event *Queue::event(const std::string &kernel, bool continues) {
  if (!profile_) return nullptr;
  if (!continues) launches_.push_back({kernel, {}});
  auto &parts = launches_.back().parts;
  parts.push_back(std::make_unique<cl::Event>());
  return parts.back().get();
}

void Queue::collect(std::map<std::string, Timing> &timings) {
  const auto launches = std::move(launches_);
  launches_.clear();
  for (const auto &[kernel, parts] : launches) {
    uint64_t ns = 0;
    bool good = true;
    for (const auto &event : parts) {
      good = good && (*event)();  // null if the launch failed
      if (!good) break;
      wait(*event);
      ns += event->getProfilingInfo<CL_PROFILING_COMMAND_END>() -
            event->getProfilingInfo<CL_PROFILING_COMMAND_START>();
    }
    if (good) timings[kernel].add(ns);
  }
}

}  // namespace glcl
