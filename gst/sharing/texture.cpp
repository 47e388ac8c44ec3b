// SPDX-License-Identifier: LGPL-2.1-or-later
#include "texture.h"

#include <gst/gl/gstglfuncs.h>

#include <algorithm>
#include <set>
#include <utility>

#include "memory.h"
#include "opencl/error.h"
#include "opencl/waiting.h"

namespace glcl::sharing {

namespace {

GQuark quark() {
  static const GQuark name = g_quark_from_static_string("gst.glcl.Texture");
  return name;
}

/// Waits on the host until OpenGL has done all work queued so far.
void wait_for_gl(GstGLContext *context) {
  const GstGLFuncs *gl = context->gl_vtable;
  if (!gl->FenceSync) {
    gl->Finish();
    return;
  }
  GLsync fence = gl->FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  const GLenum status = gl->ClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10 * GST_SECOND);
  gl->DeleteSync(fence);
  if (status != GL_ALREADY_SIGNALED && status != GL_CONDITION_SATISFIED)
    throw Error(Error::Kind::failed, "OpenGL did not finish a frame in 10 s.",
                "glClientWaitSync gave " + std::to_string(status));
}

}  // namespace

Texture *Texture::find(GstGLMemory *memory) {
  return static_cast<Texture *>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(memory), quark()));
}

Texture &Texture::of(GstGLMemory *memory) {
  Texture *texture = find(memory);
  if (!texture) {
    texture = new Texture(memory);
    // The memory may be freed on any thread. The GL thread deletes its qdata first, then its
    // texture.
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(memory), quark(), texture, [](gpointer data) {
      gst_gl_context_thread_add(
          static_cast<Texture *>(data)->memory_->mem.context,
          [](GstGLContext *, gpointer gone) { delete static_cast<Texture *>(gone); }, data);
    });
  }
  return *texture;
}

Texture::~Texture() {
  try {
    to_gl();
  } catch (const std::exception &error) {
    GST_WARNING("a texture could not be released: %s", error.what());
  }
}

void Texture::reserve() {
  std::unique_lock lock(mutex_);
  unreserved_.wait(lock, [this] { return !reserved_; });
  reserved_ = true;
}

bool Texture::reserve_held(const User &user, bool reads) {
  std::unique_lock lock(mutex_);
  unreserved_.wait(lock, [this] { return !reserved_; });
  return reserved_ = is_held(user, reads) && find_image(user);
}

void Texture::unreserve() {
  const std::lock_guard lock(mutex_);
  reserved_ = false;
  unreserved_.notify_all();
}

const Image *Texture::find_image(const User &user) const {
  for (const SharedImage &shared : images_)
    if (shared.context.get() == &user.context && shared.interop == &user.interop)
      return &shared.image;
  return nullptr;
}

Image Texture::image(const User &user) {
  const std::lock_guard lock(mutex_);
  if (const Image *known = find_image(user)) return *known;
  images_.push_back(
      {user.context.shared_from_this(), &user.interop, user.interop.image(user.context, memory_)});
  return images_.back().image;
}

/// True if the user holds the texture. A texture with a pending release must go to OpenGL first.
bool Texture::is_held(const User &user, bool reads) {
  return hands_over(memory_) && holder_ && &holder_->context() == &user.context &&
         held_by_ == &user.interop && !releasing_ && !(reads && forgotten_);
}

bool Texture::stays_with(const User &user, bool reads) {
  const std::lock_guard lock(mutex_);
  return is_held(user, reads);
}

bool Texture::held_by(const User &user, bool reads) {
  const std::lock_guard lock(mutex_);
  const bool held = is_held(user, reads);
  forgotten_ = false;
  return held;
}

void Texture::pass_to_gl(TextureUse &use) {
  bool read_by_gl;
  {
    const std::lock_guard lock(mutex_);
    hand_over();
    // Content that must still be uploaded is newer than anything that OpenGL has read.
    read_by_gl = read_by_gl_ &&
                 !GST_MINI_OBJECT_FLAG_IS_SET(use.memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
    passing_ = true;
  }
  try {
    use.map(GST_MAP_GL);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    passing_ = false;
    throw;
  }
  use.unmap();
  const std::lock_guard lock(mutex_);
  passing_ = false;
  read_by_gl_ = read_by_gl;
}

cl::Event Texture::take(Queue &queue, const Interop &interop) {
  const std::lock_guard lock(mutex_);
  cl::Event before;
  if (holder_ && holder_.get() != &queue) {
    if (used_())
      before = used_;
    else
      wait_noexcept(holder_->cl());  // its frame failed
  }
  holder_ = queue.shared_from_this();
  held_by_ = &interop;
  used_ = {};
  return before;
}

cl::Event Texture::last_release() {
  const std::lock_guard lock(mutex_);
  return std::exchange(released_, {});
}

void Texture::used_until(const cl::Event &event) {
  const std::lock_guard lock(mutex_);
  used_ = event;
}

bool Texture::read_by_gl() const {
  const std::lock_guard lock(mutex_);
  return read_by_gl_;
}

void Texture::read_by_gl(bool reads) {
  const std::lock_guard lock(mutex_);
  read_by_gl_ = reads;
}

const Queue *Texture::holder() const {
  const std::lock_guard lock(mutex_);
  return holder_.get();
}

bool Texture::needs_release() const {
  const std::lock_guard lock(mutex_);
  return holder_ && held_by_->needs_release(holder_->context().device());
}

void Texture::to_gl(bool reads) {
  std::unique_lock lock(mutex_);
  if (passing_) return;
  unreserved_.wait(lock, [this] { return !reserved_; });
  read_by_gl_ = reads;
  hand_over();
}

void Texture::to_gl() {
  std::unique_lock lock(mutex_);
  unreserved_.wait(lock, [this] { return !reserved_; });
  hand_over();
}

void Texture::wait_until_used() {
  std::unique_lock lock(mutex_);
  if (passing_) return;
  unreserved_.wait(lock, [this] { return !reserved_; });
  const cl::Event used = used_;
  lock.unlock();
  if (used()) wait_noexcept(used);
}

/// If the driver orders OpenGL's work after the release, only the next acquire waits for it.
void Texture::wait_for_release(Context &context) {
  const cl::CommandQueue &queue = context.releasing_queue();
  if (held_by_->ordered_by_driver(context.device())) {
    queue.flush();
    return;
  }
  const cl::Event released = std::exchange(released_, {});
  if (released())
    glcl::wait(released);
  else
    finish(queue);
}

/// Gives the texture to OpenGL. Waits only for its last use: the queue may have work of later
/// frames.
void Texture::hand_over() {
  if (!holder_) return;
  Context &context = holder_->context();
  if (!used_() && !releasing_) finish(holder_->cl());  // the frame failed
  if (!held_by_->needs_release(context.device())) {
    const cl::Event used = std::exchange(used_, {});
    if (used()) glcl::wait(used);
  } else {
    if (!releasing_)
      released_ = held_by_->release(context, (*find_image({context, *held_by_}))(), used_);
    releasing_ = true;
    wait_for_release(context);
  }
  holder_ = nullptr;
  used_ = {};
  releasing_ = false;
}

Texture &TextureSharing::texture_of(size_t, TextureUse &use) { return Texture::of(use.memory); }

Texture *TextureSharing::known_texture_of(size_t, const TextureUse &use) {
  return Texture::find(use.memory);
}

bool TextureSharing::ordered_after_gl(Queue &queue) {
  return interop_.ordered_by_driver(queue.context().device());
}

bool TextureSharing::acquire_held(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  const Texture::User user{queue.context(), interop_};
  textures_.clear();
  for (size_t i = 0; i < count; i++) {
    Texture *texture = Texture::find(uses[i].memory);
    if (!texture || !texture->reserve_held(user, uses[i].access != Access::write)) {
      unreserve();
      if (gives_back_behind(queue, uses, count)) wait_noexcept(queue.cl());
      wait_for_earlier_use(queue.context(), uses, count);
      return false;
    }
    textures_.push_back(texture);
  }
  gl_context_ = uses[0].memory->mem.context;  // other textures would have been given back
  take(queue, layout, uses);
  return true;
}

/// True if acquire() would give a texture back, and therefore wait for earlier work of the queue.
bool TextureSharing::gives_back_behind(const Queue &queue, const TextureUse *uses,
                                       size_t count) const {
  const Device &device = queue.context().device();
  if (!interop_.needs_release(device) || interop_.ordered_by_driver(device)) return false;
  return std::any_of(uses, uses + count, [&](const TextureUse &use) {
    if (use.access == Access::write) return false;
    const Texture *texture = Texture::find(use.memory);
    return !hands_over(use.memory) || (texture && texture->read_by_gl());
  });
}

/// Waits for earlier frames, so that acquire() need not wait for them on the GL thread.
void TextureSharing::wait_for_earlier_use(Context &context, const TextureUse *uses, size_t count) {
  if (interop_.ordered_by_driver(context.device())) return;
  for (size_t i = 0; i < count; i++) {
    Texture *texture = known_texture_of(i, uses[i]);
    if (!texture) continue;
    // OpenGL writes a copy of a foreign texture for each frame.
    const bool is_copy = texture->memory() != uses[i].memory;
    if (is_copy || !texture->stays_with({context, interop_}, uses[i].access != Access::write))
      texture->wait_until_used();
  }
}

void TextureSharing::acquire(Queue &queue, Layout layout, TextureUse *uses, size_t count) {
  const Texture::User user{queue.context(), interop_};
  gl_context_ = gst_gl_context_get_current();
  acquired_.clear();
  images_.clear();
  textures_.clear();
  for (size_t i = 0; i < count; i++) {
    Texture &texture = texture_of(i, uses[i]);
    texture.reserve();
    textures_.push_back(&texture);
    const bool held = texture.held_by(user, uses[i].access != Access::write);
    const Image image = texture.image(user);
    if (held) continue;
    texture.pass_to_gl(uses[i]);
    acquired_.push_back(&texture);
    images_.push_back(image());
  }
  if (!acquired_.empty()) acquire_from_gl(queue);
  take(queue, layout, uses);
  copy_and_give_back(queue, layout, uses);
}

void TextureSharing::acquire_from_gl(Queue &queue) {
  std::vector<cl::Event> before;
  for (Texture *texture : acquired_) {
    cl::Event released = texture->last_release();
    if (!released()) continue;
    if (released.getInfo<CL_EVENT_CONTEXT>()() == queue.context().cl()())
      before.push_back(std::move(released));
    else
      glcl::wait(released);  // queues wait for events of their own context only
  }
  if (!before.empty()) wait_for_events(queue, before);
  std::set<GstGLContext *> contexts;
  for (const Texture *texture : acquired_) contexts.insert(texture->memory()->mem.context);
  if (contexts.erase(gl_context_) && !ordered_after_gl(queue)) wait_for_gl(gl_context_);
  for (GstGLContext *other : contexts) on_gl_thread(other, [=] { wait_for_gl(other); });
  interop_.acquire(queue, images_);
}

/// Makes the next commands of the queue wait for the events.
void TextureSharing::wait_for_events(Queue &queue, const std::vector<cl::Event> &before) {
  try {
    queue.cl().enqueueBarrierWithWaitList(&before);
  } catch (...) {
    for (const cl::Event &event : before) wait_noexcept(event);
    throw;
  }
}

/// Gives the textures to the queue, and sets their pictures for the kernels.
void TextureSharing::take(Queue &queue, Layout layout, TextureUse *uses) {
  std::vector<cl::Event> before;
  for (Texture *texture : textures_)
    if (cl::Event used = texture->take(queue, interop_); used()) before.push_back(std::move(used));
  if (!before.empty()) wait_for_events(queue, before);
  for (size_t i = 0; i < textures_.size(); i++) {
    TextureUse &use = uses[i];
    if (use.access == Access::write) textures_[i]->read_by_gl(false);
    const Image image = textures_[i]->image({queue.context(), interop_});
    if (layout == Layout::buffer) {
      use.picture = staging(queue, i, use, layout);
      if (use.access != Access::write)
        queue.cl().enqueueCopyImageToBuffer(image, use.picture.buffer, {0, 0, 0},
                                            {size_t(use.width()), size_t(use.height()), 1}, 0);
    }
    use.picture.image = image;
    use.picture.width = use.width();
    use.picture.height = use.height();
  }
}

/// Enqueues copies of results from staging buffers to the textures, which hold the frame.
void TextureSharing::write_back(Queue &queue, const TextureUse *uses) {
  for (size_t i = 0; i < textures_.size(); i++) {
    if (uses[i].access != Access::write || !textures_[i]) continue;
    if (uses[i].picture.layout == Layout::buffer)
      queue.cl().enqueueCopyBufferToImage(uses[i].picture.buffer, uses[i].picture.image, 0,
                                          {0, 0, 0},
                                          {size_t(uses[i].width()), size_t(uses[i].height()), 1});
    // Host copies are outdated, for example of an earlier frame that was downloaded without a map.
    GST_MINI_OBJECT_FLAG_SET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_DOWNLOAD);
    GST_MINI_OBJECT_FLAG_UNSET(uses[i].memory, GST_GL_BASE_MEMORY_TRANSFER_NEED_UPLOAD);
  }
}

/// Marks the end of the frame's work on the textures: later users of a texture wait only for that.
void TextureSharing::mark_use(Queue &queue) {
  cl::Event end;
  for (Texture *texture : textures_) {
    if (!texture || texture->holder() != &queue) continue;  // take() failed before
    if (!end()) queue.cl().enqueueMarkerWithWaitList(nullptr, &end);
    texture->used_until(end);
  }
  queue.cl().flush();
}

/// True if OpenGL's next use hands the texture over, on the thread of the GL context with which
/// OpenCL shares textures.
bool TextureSharing::may_stay(const Texture &texture) const {
  return hands_over(texture.memory()) && !texture.read_by_gl() &&
         texture.memory()->mem.context == gl_context_;
}

/// True if OpenGL may use the texture only after a release, and does not notify of its use.
bool TextureSharing::must_go_back(const Texture &texture) const {
  return !may_stay(texture) && texture.needs_release();
}

void TextureSharing::copy_and_give_back(Queue &queue, Layout layout, TextureUse *uses) {
  for (size_t i = 0; i < textures_.size(); i++) {
    TextureUse &use = uses[i];
    if (use.access == Access::write || !must_go_back(*textures_[i])) continue;
    if (layout == Layout::image) {
      const Picture &copy = staging(queue, i, use, layout);
      queue.cl().enqueueCopyImage(use.picture.image, copy.image, {0, 0, 0}, {0, 0, 0},
                                  {size_t(use.width()), size_t(use.height()), 1});
      use.picture = copy;
    }
    cl::Event copied;
    queue.cl().enqueueMarkerWithWaitList(nullptr, &copied);
    textures_[i]->used_until(copied);
    Texture *texture = std::exchange(textures_[i], nullptr);
    texture->unreserve();
    texture->to_gl();
  }
}

/// Gives back the textures that don't notify when OpenGL needs them. Unreserves them first, because
/// the GL thread may be waiting to reserve them.
void TextureSharing::give_back() {
  std::vector<Texture *> back;
  bool needs_gl = false;
  for (Texture *texture : textures_) {
    if (!texture || may_stay(*texture)) continue;
    back.push_back(texture);
    needs_gl = needs_gl || must_go_back(*texture);
  }
  unreserve();
  const auto give = [&] {
    for (Texture *texture : back) texture->to_gl();
  };
  if (!needs_gl) return give();
  for (Texture *texture : back) texture->wait_until_used();
  on_gl_thread(gl_context_, give);
}

void TextureSharing::unreserve() {
  for (Texture *texture : textures_)
    if (texture) texture->unreserve();
  textures_.clear();
}

void TextureSharing::release(Queue &queue, TextureUse *uses, size_t, bool complete) {
  try {
    if (complete) write_back(queue, uses);
    mark_use(queue);
    give_back();
  } catch (...) {
    if (!complete) unreserve();
    throw;
  }
}

}  // namespace glcl::sharing
