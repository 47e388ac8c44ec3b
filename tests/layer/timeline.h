// SPDX-License-Identifier: LGPL-2.1-or-later
// The work that OpenGL has been given on each texture, and how much of it the host knows to be
// done. All calls with state_mutex() held.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace glcl_layer {

/// A texture by its share group and id.
using TextureKey = std::pair<const void *, unsigned>;

/// A point in the work of several GL contexts: the number of commands of each.
using Clock = std::map<const void *, uint64_t>;

std::string texture_name(const TextureKey &texture);

/// The GL context that is current on this thread (EGL, else GLX); null for none. In gl.cpp.
const void *current_gl_context();

/// The contexts that share textures are known by one of them.
void gl_context_created(const void *context, const void *shares_with);
void gl_context_destroyed(const void *context);
const void *share_group(const void *context);

/// A command of this context touches the texture.
void gl_command(const void *context, const TextureKey &texture);
void gl_texture_gone(const TextureKey &texture);

void gl_fence(const void *context, const void *fence);
void gl_fence_deleted(const void *fence);
/// The work that a fence waits for.
Clock gl_work_before(const void *fence);
void gl_server_waits(const void *context, const void *fence);
void gl_host_waited(const void *fence);
void gl_finished(const void *context);

/// OpenGL's work on the texture; that of the context `except` does not count.
Clock gl_work_on(const TextureKey &texture, const void *except = nullptr);
/// True if the host has waited for all of that work.
bool gl_has_done(const Clock &work);
void join(Clock &into, const Clock &clock);
/// Drops the work that `done` contains.
void drop_done(Clock &work, const Clock &done);

}  // namespace glcl_layer
