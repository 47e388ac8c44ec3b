// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenGL side, where the layer is preloaded as well (LD_PRELOAD): wraps the entry points as
// GStreamer fetches them, by eglGetProcAddress, glXGetProcAddressARB or g_module_symbol. Which
// textures a command touches is asked of OpenGL itself at the command.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "contract.h"
#include "eglobjects.h"
#include "record.h"
#include "timeline.h"

namespace {

using namespace glcl_layer;

using GLenum = unsigned;
using GLuint = unsigned;
using GLint = int;
using GLsizei = int;

constexpr GLenum gl_texture = 0x1702, texture_2d = 0x0DE1, texture0 = 0x84C0;
constexpr GLenum active_texture = 0x84E0, texture_binding_2d = 0x8069;
constexpr GLenum texture_width = 0x1000, texture_height = 0x1001;
constexpr GLenum current_program = 0x8B8D, active_uniforms = 0x8B86;
constexpr GLenum sampler_2d = 0x8B5E, image_2d = 0x904D, image_binding_name = 0x8F3A;
constexpr GLenum draw_framebuffer = 0x8CA9, draw_framebuffer_binding = 0x8CA6;
constexpr GLenum read_framebuffer = 0x8CA8, read_framebuffer_binding = 0x8CAA;
constexpr GLenum color_attachment0 = 0x8CE0, attachment_type = 0x8CD0, attachment_name = 0x8CD1;
constexpr GLenum already_signaled = 0x911A, condition_satisfied = 0x911C;
constexpr unsigned egl_gl_texture_2d = 0x30B1;
constexpr int color_attachments = 4;

/// A function that this library stands before. Plugins bring their libraries outside the global
/// scope, so RTLD_NEXT would not find it.
template <class Function>
Function next(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return handle ? reinterpret_cast<Function>(dlsym(handle, name)) : nullptr;
}

/// An OpenGL function by its name, past all wrappers.
template <class Result, class... Arguments>
Result gl(const char *name, Arguments... arguments) {
  static const auto get = next<void *(*)(const char *)>("libEGL.so.1", "eglGetProcAddress");
  using Function = Result (*)(Arguments...);
  return reinterpret_cast<Function>(get(name))(arguments...);
}

GLint integer(GLenum what) {
  GLint value = 0;
  gl<void>("glGetIntegerv", what, &value);
  return value;
}

using Textures = std::set<GLuint>;

void add_bound(Textures &textures, GLint unit) {
  const GLint before = integer(active_texture);
  gl<void>("glActiveTexture", static_cast<GLenum>(texture0 + unit));
  textures.insert(integer(texture_binding_2d));
  gl<void>("glActiveTexture", static_cast<GLenum>(before));
}

/// The textures that the current program samples, and the images that it loads from or stores to.
void add_sampled(Textures &textures) {
  const auto program = static_cast<GLuint>(integer(current_program));
  if (!program) return;
  GLint count = 0;
  gl<void>("glGetProgramiv", program, active_uniforms, &count);
  for (GLint i = 0; i < count; i++) {
    char name[128];
    GLsizei length;
    GLint size, unit = 0;
    GLenum type;
    gl<void>("glGetActiveUniform", program, static_cast<GLuint>(i),
             static_cast<GLsizei>(sizeof name), &length, &size, &type, static_cast<char *>(name));
    if (type != sampler_2d && type != image_2d) continue;
    const GLint location =
        gl<GLint>("glGetUniformLocation", program, static_cast<const char *>(name));
    if (location < 0) continue;
    gl<void>("glGetUniformiv", program, location, &unit);
    if (type == sampler_2d) {
      add_bound(textures, unit);
    } else {
      GLint texture = 0;
      gl<void>("glGetIntegeri_v", image_binding_name, static_cast<GLuint>(unit), &texture);
      textures.insert(texture);
    }
  }
}

void add_attached(Textures &textures, GLenum target) {
  if (!integer(target == draw_framebuffer ? draw_framebuffer_binding : read_framebuffer_binding))
    return;
  for (int i = 0; i < color_attachments; i++) {
    GLint type = 0, texture = 0;
    const GLenum attachment = color_attachment0 + i;
    gl<void>("glGetFramebufferAttachmentParameteriv", target, attachment, attachment_type, &type);
    if (type != static_cast<GLint>(gl_texture)) continue;
    gl<void>("glGetFramebufferAttachmentParameteriv", target, attachment, attachment_name,
             &texture);
    textures.insert(texture);
  }
}

TextureKey key(GLuint texture) { return {share_group(current_gl_context()), texture}; }

void use(const char *call, Textures textures) {
  textures.erase(0);
  const std::lock_guard lock(state_mutex());
  for (GLuint texture : textures) {
    gl_uses(call, key(texture));
    gl_command(current_gl_context(), key(texture));
  }
}

void draws(const char *call) {
  Textures textures;
  add_sampled(textures);
  add_attached(textures, draw_framebuffer);
  use(call, textures);
}

void use_framebuffer(const char *call, GLenum target) {
  Textures textures;
  add_attached(textures, target);
  use(call, textures);
}

void use_bound(const char *call, GLenum target, bool also_read_framebuffer = false) {
  if (target != texture_2d) return;
  Textures textures{static_cast<GLuint>(integer(texture_binding_2d))};
  if (also_read_framebuffer) add_attached(textures, read_framebuffer);
  use(call, textures);
}

void replace(const char *call, GLuint texture, bool deleted) {
  if (!texture) return;
  const std::lock_guard lock(state_mutex());
  gl_replaces(call, key(texture));
  if (deleted) gl_texture_gone(key(texture));
}

/// The work before an OpenGL function; by its name, with the arguments that matter.
#define AHEAD(function, ...)                \
  struct function##_tag {                   \
    static constexpr auto name = #function; \
  };                                        \
  void ahead(function##_tag, ##__VA_ARGS__, ...)
#define BEHIND(function, ...) void behind(function##_tag, ##__VA_ARGS__, ...)

void behind(...) {}

AHEAD(glDrawArrays) { draws("glDrawArrays"); }
AHEAD(glDrawElements) { draws("glDrawElements"); }
AHEAD(glDrawRangeElements) { draws("glDrawRangeElements"); }
AHEAD(glDrawArraysInstanced) { draws("glDrawArraysInstanced"); }
AHEAD(glDrawElementsInstanced) { draws("glDrawElementsInstanced"); }
AHEAD(glDispatchCompute) {
  Textures textures;
  add_sampled(textures);
  use("glDispatchCompute", textures);
}
AHEAD(glClear) { use_framebuffer("glClear", draw_framebuffer); }
AHEAD(glReadPixels) { use_framebuffer("glReadPixels", read_framebuffer); }
AHEAD(glBlitFramebuffer) {
  use_framebuffer("glBlitFramebuffer", read_framebuffer);
  use_framebuffer("glBlitFramebuffer", draw_framebuffer);
}
AHEAD(glTexSubImage2D, GLenum target) { use_bound("glTexSubImage2D", target); }
AHEAD(glGetTexImage, GLenum target) { use_bound("glGetTexImage", target); }
AHEAD(glGenerateMipmap, GLenum target) { use_bound("glGenerateMipmap", target); }
AHEAD(glCopyTexSubImage2D, GLenum target) { use_bound("glCopyTexSubImage2D", target, true); }
AHEAD(glTexImage2D, GLenum target) {
  if (target == texture_2d) replace("glTexImage2D", integer(texture_binding_2d), false);
  use_bound("glTexImage2D", target);
}
AHEAD(glCopyTexImage2D, GLenum target) {
  if (target == texture_2d) replace("glCopyTexImage2D", integer(texture_binding_2d), false);
  use_bound("glCopyTexImage2D", target, true);
}
AHEAD(glCopyImageSubData, GLuint from, GLenum, GLint, GLint, GLint, GLint, GLuint to) {
  use("glCopyImageSubData", {from, to});
}
AHEAD(glDeleteTextures, GLsizei count, const GLuint *textures) {
  for (GLsizei i = 0; i < count; i++) replace("glDeleteTextures", textures[i], true);
}

std::map<GLuint, std::string> &imported() {  // by memory object
  static auto *memories = new std::map<GLuint, std::string>;
  return *memories;
}
/// The size of a texture, by its current share group.
std::pair<int, int> size_of(GLuint texture) {
  const auto before = static_cast<GLuint>(integer(texture_binding_2d));
  GLint width = 0, height = 0, level = 0;
  gl<void>("glBindTexture", texture_2d, texture);
  gl<void>("glGetTexLevelParameteriv", texture_2d, level, texture_width, &width);
  gl<void>("glGetTexLevelParameteriv", texture_2d, level, texture_height, &height);
  gl<void>("glBindTexture", texture_2d, before);
  return {width, height};
}

AHEAD(glImportMemoryFdEXT, GLuint object, uint64_t, GLenum, int descriptor) {
  const std::lock_guard lock(state_mutex());
  imported()[object] = memory_of(descriptor);
}
AHEAD(glTexStorageMem2DEXT, GLenum, GLsizei, GLenum, GLsizei, GLsizei, GLuint object) {
  const TextureKey texture = key(integer(texture_binding_2d));
  const std::lock_guard lock(state_mutex());
  gl_texture_of(texture, imported()[object]);
}
AHEAD(eglCreateImageKHR, void *, void *, unsigned, void *) {}
BEHIND(eglCreateImageKHR, const void *image, void *display, void *, unsigned target, void *buffer) {
  if (!image || target != egl_gl_texture_2d) return;
  const auto texture = static_cast<GLuint>(reinterpret_cast<uintptr_t>(buffer));
  const auto [width, height] = size_of(texture);
  const std::lock_guard lock(state_mutex());
  egl_image_created(image, {display, key(texture), width, height});
}
AHEAD(eglDestroyImageKHR, void *, const void *image) {
  const std::lock_guard lock(state_mutex());
  egl_image_ends(image);
}
AHEAD(eglExportDMABUFImageMESA, void *, void *, int *) {}
BEHIND(eglExportDMABUFImageMESA, unsigned exported, void *, const void *image,
       const int *descriptors) {
  const std::lock_guard lock(state_mutex());
  const EglImage *known = egl_image(image);
  if (exported && descriptors && known) gl_texture_of(known->texture, memory_of(descriptors[0]));
}
AHEAD(eglCreateSyncKHR, void *) {}
BEHIND(eglCreateSyncKHR, const void *sync) {
  const std::lock_guard lock(state_mutex());
  gl_fence(current_gl_context(), sync);
}
AHEAD(eglDestroySyncKHR, void *, const void *sync) {
  const std::lock_guard lock(state_mutex());
  egl_sync_ends(sync);
}

AHEAD(glFinish) {}
BEHIND(glFinish) {
  const std::lock_guard lock(state_mutex());
  gl_finished(current_gl_context());
}
AHEAD(glFenceSync) {}
BEHIND(glFenceSync, const void *fence) {
  const std::lock_guard lock(state_mutex());
  gl_fence(current_gl_context(), fence);
}
AHEAD(glDeleteSync, const void *fence) {
  const std::lock_guard lock(state_mutex());
  gl_fence_deleted(fence);
}
AHEAD(glWaitSync, const void *fence) {
  const std::lock_guard lock(state_mutex());
  gl_server_waits(current_gl_context(), fence);
}
AHEAD(glClientWaitSync, const void *) {}
BEHIND(glClientWaitSync, GLenum status, const void *fence) {
  const std::lock_guard lock(state_mutex());
  if (status == already_signaled || status == condition_satisfied) gl_host_waited(fence);
}

template <class Tag, class Result, class... Arguments>
struct Wrapper {
  static Result (*real)(Arguments...);
  static Result call(Arguments... arguments) {
    ahead(Tag{}, arguments...);
    if constexpr (std::is_void_v<Result>) {
      real(arguments...);
      behind(Tag{}, arguments...);
    } else {
      const Result result = real(arguments...);
      behind(Tag{}, result, arguments...);
      return result;
    }
  }
};
template <class Tag, class Result, class... Arguments>
Result (*Wrapper<Tag, Result, Arguments...>::real)(Arguments...) = nullptr;

using Wrap = void *(*)(void *real);

template <class Tag, class Result, class... Arguments>
std::pair<const char *, Wrap> wrapper() {
  using W = Wrapper<Tag, Result, Arguments...>;
  return {Tag::name, [](void *real) {
            W::real = reinterpret_cast<Result (*)(Arguments...)>(real);
            return reinterpret_cast<void *>(W::call);
          }};
}

/// The wrapper of an OpenGL function, or the function itself where it needs none.
void *wrapped(const char *name, void *real) {
  struct Less {
    bool operator()(const char *a, const char *b) const { return std::strcmp(a, b) < 0; }
  };
  using P = const void *;
  using E = GLenum;
  using I = GLint;
  using U = GLuint;
  static const auto *wrappers = new std::map<const char *, Wrap, Less>{
      wrapper<glDrawArrays_tag, void, E, I, I>(),
      wrapper<glDrawElements_tag, void, E, I, E, P>(),
      wrapper<glDrawRangeElements_tag, void, E, U, U, I, E, P>(),
      wrapper<glDrawArraysInstanced_tag, void, E, I, I, I>(),
      wrapper<glDrawElementsInstanced_tag, void, E, I, E, P, I>(),
      wrapper<glDispatchCompute_tag, void, U, U, U>(),
      wrapper<glClear_tag, void, U>(),
      wrapper<glReadPixels_tag, void, I, I, I, I, E, E, void *>(),
      wrapper<glBlitFramebuffer_tag, void, I, I, I, I, I, I, I, I, U, E>(),
      wrapper<glTexSubImage2D_tag, void, E, I, I, I, I, I, E, E, P>(),
      wrapper<glGetTexImage_tag, void, E, I, E, E, void *>(),
      wrapper<glGenerateMipmap_tag, void, E>(),
      wrapper<glCopyTexSubImage2D_tag, void, E, I, I, I, I, I, I, I>(),
      wrapper<glTexImage2D_tag, void, E, I, I, I, I, I, E, E, P>(),
      wrapper<glCopyTexImage2D_tag, void, E, I, E, I, I, I, I, I>(),
      wrapper<glCopyImageSubData_tag, void, U, E, I, I, I, I, U, E, I, I, I, I, I, I, I>(),
      wrapper<glDeleteTextures_tag, void, I, const U *>(),
      wrapper<glImportMemoryFdEXT_tag, void, U, uint64_t, E, int>(),
      wrapper<glTexStorageMem2DEXT_tag, void, E, I, E, I, I, U, uint64_t>(),
      wrapper<eglCreateImageKHR_tag, void *, void *, void *, U, void *, const int *>(),
      wrapper<eglDestroyImageKHR_tag, U, void *, P>(),
      wrapper<eglCreateSyncKHR_tag, P, void *, U, const int *>(),
      wrapper<eglDestroySyncKHR_tag, U, void *, P>(),
      wrapper<eglExportDMABUFImageMESA_tag, U, void *, void *, int *, int *, int *>(),
      wrapper<glFinish_tag, void>(),
      wrapper<glFenceSync_tag, P, E, U>(),
      wrapper<glDeleteSync_tag, void, P>(),
      wrapper<glWaitSync_tag, void, P, U, uint64_t>(),
      wrapper<glClientWaitSync_tag, E, P, U, uint64_t>(),
  };
  const auto known = wrappers->find(name);
  return real && known != wrappers->end() ? known->second(real) : real;
}

}  // namespace

const void *glcl_layer::current_gl_context() {
  using Get = void *(*)();
  struct Platform {
    const char *library, *function;
  };
  for (const Platform &platform : {Platform{"libEGL.so.1", "eglGetCurrentContext"},
                                   Platform{"libGL.so.1", "glXGetCurrentContext"}}) {
    void *library = dlopen(platform.library, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) continue;
    const auto get = reinterpret_cast<Get>(dlsym(library, platform.function));
    const void *context = get ? get() : nullptr;
    dlclose(library);
    if (context) return context;
  }
  return nullptr;
}

#define GLCL_EXPORT extern "C" __attribute__((visibility("default")))

GLCL_EXPORT void *eglGetProcAddress(const char *name) {
  static const auto real = next<void *(*)(const char *)>("libEGL.so.1", "eglGetProcAddress");
  return wrapped(name, real(name));
}

GLCL_EXPORT void *glXGetProcAddressARB(const unsigned char *name) {
  static const auto real =
      next<void *(*)(const unsigned char *)>("libGL.so.1", "glXGetProcAddressARB");
  return wrapped(reinterpret_cast<const char *>(name), real(name));
}

GLCL_EXPORT int g_module_symbol(void *module, const char *name, void **symbol) {
  static const auto real =
      next<int (*)(void *, const char *, void **)>("libgmodule-2.0.so.0", "g_module_symbol");
  const int found = real(module, name, symbol);
  if (found && std::strncmp(name, "gl", 2) == 0) *symbol = wrapped(name, *symbol);
  return found;
}

GLCL_EXPORT void *eglCreateContext(void *display, void *config, void *share,
                                   const int *attributes) {
  static const auto real =
      next<void *(*)(void *, void *, void *, const int *)>("libEGL.so.1", "eglCreateContext");
  void *context = real(display, config, share, attributes);
  if (context) {
    const std::lock_guard lock(state_mutex());
    gl_context_created(context, share);
  }
  return context;
}

GLCL_EXPORT unsigned eglDestroyContext(void *display, void *context) {
  static const auto real = next<unsigned (*)(void *, void *)>("libEGL.so.1", "eglDestroyContext");
  {
    const std::lock_guard lock(state_mutex());
    gl_context_destroyed(context);
  }
  return real(display, context);
}
