// SPDX-License-Identifier: LGPL-2.1-or-later
#include "timeline.h"

#include <algorithm>

namespace glcl_layer {

namespace {

struct State {
  std::map<const void *, const void *> groups;  // by context
  std::map<const void *, Clock> contexts;       // the work that each has been given, or waits for
  std::map<const void *, Clock> fences;
  std::map<TextureKey, Clock> uses;
  Clock done;
};

State &state() {
  static auto *the = new State;
  return *the;
}

}  // namespace

std::string texture_name(const TextureKey &texture) {
  return "texture " + std::to_string(texture.second);
}

void gl_context_created(const void *context, const void *shares_with) {
  state().groups[context] = shares_with ? share_group(shares_with) : context;
}

void gl_context_destroyed(const void *context) {
  // Its work counts as done, because later waits for it are impossible.
  join(state().done, state().contexts[context]);
}

const void *share_group(const void *context) {
  const auto known = state().groups.find(context);
  return known != state().groups.end() ? known->second : context;
}

void gl_command(const void *context, const TextureKey &texture) {
  state().uses[texture][context] = ++state().contexts[context][context];
}

void gl_texture_gone(const TextureKey &texture) { state().uses.erase(texture); }

void gl_fence(const void *context, const void *fence) {
  state().fences[fence] = state().contexts[context];
}

void gl_fence_deleted(const void *fence) { state().fences.erase(fence); }

Clock gl_work_before(const void *fence) {
  const auto known = state().fences.find(fence);
  return known != state().fences.end() ? known->second : Clock();
}

void gl_server_waits(const void *context, const void *fence) {
  join(state().contexts[context], state().fences[fence]);
}

void gl_host_waited(const void *fence) { join(state().done, state().fences[fence]); }

void gl_finished(const void *context) { join(state().done, state().contexts[context]); }

void join(Clock &into, const Clock &clock) {
  for (const auto &[context, count] : clock) into[context] = std::max(into[context], count);
}

void drop_done(Clock &work, const Clock &done) {
  for (const auto &[context, count] : done) {
    const auto of_context = work.find(context);
    if (of_context != work.end() && of_context->second <= count) work.erase(of_context);
  }
}

Clock gl_work_on(const TextureKey &texture, const void *except) {
  const auto uses = state().uses.find(texture);
  if (uses == state().uses.end()) return {};
  Clock work = uses->second;
  work.erase(except);
  return work;
}

bool gl_has_done(const Clock &work) {
  return std::all_of(work.begin(), work.end(),
                     [&](const auto &use) { return state().done[use.first] >= use.second; });
}

}  // namespace glcl_layer
