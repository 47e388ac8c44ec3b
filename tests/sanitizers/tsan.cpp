// SPDX-License-Identifier: LGPL-2.1-or-later
// Informs ThreadSanitizer about the order that GLib and GStreamer, which are not instrumented,
// establish by their locks, reference counts and main loops. Preloaded by tests/sanitizers/tsan.sh;
// without it every frame would be reported, because the GL thread and the streaming thread meet in
// GLib alone.
//
// Each wrapper does only what its name says: a release where a thread releases, an acquire where
// one acquires.
#include <dlfcn.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>

// Weak: the shells that start a test load this too and have no ThreadSanitizer.
extern "C" {
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);
}

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <class Function>
Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void acquire(void *address) {
  if (__tsan_acquire) __tsan_acquire(address);
}

void release(void *address) {
  if (__tsan_release) __tsan_release(address);
}

}  // namespace

#define NEXT(name) static const auto real = next<decltype(&name)>(#name)

#define LOCK(name, Type)         \
  EXPORT void name(Type *lock) { \
    NEXT(name);                  \
    real(lock);                  \
    acquire(lock);               \
  }
#define TRY_LOCK(name, Type)            \
  EXPORT gboolean name(Type *lock) {    \
    NEXT(name);                         \
    const gboolean locked = real(lock); \
    if (locked) acquire(lock);          \
    return locked;                      \
  }
#define UNLOCK(name, Type)       \
  EXPORT void name(Type *lock) { \
    NEXT(name);                  \
    release(lock);               \
    real(lock);                  \
  }

LOCK(g_mutex_lock, GMutex)
TRY_LOCK(g_mutex_trylock, GMutex)
UNLOCK(g_mutex_unlock, GMutex)
LOCK(g_rec_mutex_lock, GRecMutex)
TRY_LOCK(g_rec_mutex_trylock, GRecMutex)
UNLOCK(g_rec_mutex_unlock, GRecMutex)
LOCK(g_rw_lock_reader_lock, GRWLock)
UNLOCK(g_rw_lock_reader_unlock, GRWLock)
LOCK(g_rw_lock_writer_lock, GRWLock)
UNLOCK(g_rw_lock_writer_unlock, GRWLock)

EXPORT void g_cond_wait(GCond *cond, GMutex *mutex) {
  NEXT(g_cond_wait);
  release(mutex);
  real(cond, mutex);
  acquire(mutex);
}

EXPORT gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end) {
  NEXT(g_cond_wait_until);
  release(mutex);
  const gboolean signalled = real(cond, mutex, end);
  acquire(mutex);
  return signalled;
}

// The thread that drops the last reference frees the object, ordered after all others.
#define UNREF(name, Type)          \
  EXPORT void name(Type *object) { \
    NEXT(name);                    \
    release(object);               \
    acquire(object);               \
    real(object);                  \
  }
UNREF(g_object_unref, void)
UNREF(gst_object_unref, void)
UNREF(gst_mini_object_unref, GstMiniObject)

// Weak references are locked, and their result was made before.
EXPORT gpointer g_weak_ref_get(GWeakRef *ref) {
  NEXT(g_weak_ref_get);
  gpointer object = real(ref);
  acquire(ref);
  return object;
}

EXPORT void g_weak_ref_init(GWeakRef *ref, gpointer object) {
  NEXT(g_weak_ref_init);
  real(ref, object);
  release(ref);
}

// A main loop runs the work of another thread, by which GstGL gets work onto its thread.
namespace {

struct Callback {
  GSourceFunc function;
  gpointer data;
  GDestroyNotify notify;
};

gboolean run(gpointer data) {
  auto *callback = static_cast<Callback *>(data);
  acquire(callback);
  return callback->function(callback->data);
}

void drop(gpointer data) {
  auto *callback = static_cast<Callback *>(data);
  if (callback->notify) callback->notify(callback->data);
  delete callback;
}

}  // namespace

EXPORT void g_source_set_callback(GSource *source, GSourceFunc function, gpointer data,
                                  GDestroyNotify notify) {
  NEXT(g_source_set_callback);
  auto *callback = new Callback{function, data, notify};
  release(callback);
  real(source, run, callback, drop);
}

// The GL thread does a piece of work, and the caller waits.
namespace {

struct GlWork {
  GstGLContextThreadFunc function;
  gpointer data;
};

void run_on_gl_thread(GstGLContext *context, gpointer data) {
  auto *work = static_cast<GlWork *>(data);
  acquire(work);
  work->function(context, work->data);
  release(work);
}

}  // namespace

EXPORT void gst_gl_context_thread_add(GstGLContext *context, GstGLContextThreadFunc function,
                                      gpointer data) {
  NEXT(gst_gl_context_thread_add);
  GlWork work{function, data};
  release(&work);
  real(context, run_on_gl_thread, &work);
  acquire(&work);
}
