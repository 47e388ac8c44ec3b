// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sharing.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "config.h"
#include "opencl/error.h"
#include "opencl/flaws.h"

#if HAVE_GL_EGL
#include <gst/gl/egl/gstgldisplay_egl.h>
#endif

namespace glcl::sharing {

namespace {

std::atomic<unsigned> probed{0};

/// The probe results of the methods on a GL context. They end with the context.
using Probes = std::map<std::pair<const SharingMethod *, cl_device_id>, ProbeResult>;

Probes &probes_of(GstGLContext *gl_context) {
  static const GQuark quark = g_quark_from_static_string("gst.glcl.Probes");
  auto *probes = static_cast<Probes *>(g_object_get_qdata(G_OBJECT(gl_context), quark));
  if (!probes) {
    probes = new Probes;
    g_object_set_qdata_full(G_OBJECT(gl_context), quark, probes,
                            [](gpointer gone) { delete static_cast<Probes *>(gone); });
  }
  return *probes;
}

/// Keeps the EGL display of the GL context initialised forever. A process has one per device.
/// GStreamer terminates it with the first GstGLDisplay of any pipeline. Then the other pipelines
/// can't activate their GL contexts ("Failed to activate the GL Context"), and OpenCL rejects their
/// textures (CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR). Does nothing if the display belongs to a
/// connection (X11, Wayland, GBM), which closes with its GstGLDisplay.
void keep_display(GstGLContext *gl_context) {
#if HAVE_GL_EGL
  constexpr int of_a_connection =
      GST_GL_DISPLAY_TYPE_X11 | GST_GL_DISPLAY_TYPE_WAYLAND | GST_GL_DISPLAY_TYPE_GBM;
  if (gst_gl_context_get_gl_platform(gl_context) != GST_GL_PLATFORM_EGL ||
      (gst_gl_display_get_handle_type(gl_context->display) & of_a_connection))
    return;
  GstGLDisplayEGL *egl = gst_gl_display_egl_from_gl_display(gl_context->display);
  if (!egl) return;
  egl->foreign_display = TRUE;
  gst_object_unref(egl);
#else
  (void)gl_context;
#endif
}

}  // namespace

void on_gl_thread(GstGLContext *context, const std::function<void()> &work) {
  struct Task {
    const std::function<void()> &work;
    std::exception_ptr failure;
  } task{work, nullptr};
  gst_gl_context_thread_add(
      context,
      [](GstGLContext *, gpointer data) {
        auto *task = static_cast<Task *>(data);
        try {
          task->work();
        } catch (...) {
          task->failure = std::current_exception();
        }
      },
      &task);
  if (task.failure) std::rethrow_exception(task.failure);
}

TextureUse::TextureUse(TextureUse &&other) noexcept
    : memory(other.memory),
      access(other.access),
      shared(other.shared),
      picture(std::move(other.picture)),
      map_(std::exchange(other.map_, GST_MAP_INFO_INIT)) {}

void *TextureUse::map(guint domain) {
  const guint flags = (access == Access::write ? GST_MAP_WRITE : GST_MAP_READ) | domain;
  if (!gst_memory_map(GST_MEMORY_CAST(memory), &map_, static_cast<GstMapFlags>(flags)))
    throw Error(Error::Kind::failed, "The OpenGL texture of a frame can't be mapped.",
                "texture " + std::to_string(memory->tex_id));
  return map_.data;
}

void TextureUse::unmap() {
  if (!map_.memory) return;
  gst_memory_unmap(map_.memory, &map_);
  map_ = GST_MAP_INFO_INIT;
}

void TextureUse::leak_mapping() {
  if (map_.memory) gst_memory_ref(map_.memory);
  map_ = GST_MAP_INFO_INIT;
}

Picture &Sharing::staging(const Queue &queue, size_t index, const TextureUse &use, Layout layout) {
  if (staging_.size() <= index) staging_.resize(index + 1);
  Staging &kept = staging_[index];
  const cl::Context &context = queue.context().cl();
  if (kept.context != context() || kept.picture.layout != layout ||
      kept.picture.format != use.picture.format || kept.picture.width != use.width() ||
      kept.picture.height != use.height())
    kept = {context(),
            make_picture(context, use.width(), use.height(), layout, *use.picture.format)};
  return kept.picture;
}

AcquiredScope::AcquiredScope(Sharing &sharing, GstGLContext *gl_context, Queue &queue,
                             Layout layout, TextureUse *uses, size_t count,
                             const std::function<void()> &before_acquire)
    : sharing_(sharing), queue_(queue), uses_(uses), count_(count) {
  try {
    if (sharing_.acquire_held(queue_, layout, uses_, count_)) return;
    const auto acquire = [&] {
      if (before_acquire) before_acquire();
      sharing_.acquire(queue_, layout, uses_, count_);
    };
    on_gl_thread(gl_context, std::ref(acquire));  // no copy on the heap
  } catch (...) {
    abandon();
    throw;
  }
}

AcquiredScope::~AcquiredScope() {
  if (held_) abandon();
}

void AcquiredScope::finish() {
  sharing_.release(queue_, uses_, count_, true);
  held_ = false;
}

void AcquiredScope::abandon() noexcept {
  held_ = false;
  try {
    sharing_.release(queue_, uses_, count_, false);
  } catch (const std::exception &error) {
    GST_WARNING("textures could not be released: %s", error.what());
  }
}

const ProbeResult &probe(const SharingMethod &method, GstGLContext *gl_context,
                         const Device &device) {
  Probes &probes = probes_of(gl_context);
  const std::pair key(&method, device.device());
  const auto known = probes.find(key);
  if (known != probes.end() && known->second.lasting) return known->second;
  probed++;
  ProbeResult found;
  try {
    found.factory = method.probe(gl_context, device);
  } catch (const Error &error) {
    found.obstacle = error.text();
    found.lasting = error.kind() != Error::Kind::failed;
  }
  return probes.insert_or_assign(key, std::move(found)).first->second;
}

unsigned methods_probed() { return probed; }

Choice choose(GstGLContext *gl_context, const std::string &device,
              const std::vector<const SharingMethod *> &methods) {
  std::string failures;
  const std::vector<Device> known = devices(&failures);
  const auto drives_gl = [&](const Device &candidate) {
    return is_sound(candidate) &&
           std::any_of(std::begin(SharingMethod::all), std::end(SharingMethod::all),
                       [&](const SharingMethod *method) {
                         return method != &SharingMethod::copy &&
                                probe(*method, gl_context, candidate).obstacle.empty();
                       });
  };
  const auto driving =
      device == "auto" ? std::find_if(known.begin(), known.end(), drives_gl) : known.end();
  Choice choice;
  choice.device = choose_device(
      known, device, driving != known.end() ? std::optional(*driving) : std::nullopt, failures);
  std::string reasons;
  for (const SharingMethod *method : methods) {
    const ProbeResult &found = probe(*method, gl_context, choice.device);
    if (found.obstacle.empty()) {
      choice.method = method;
      choice.factory = found.factory;
      keep_display(gl_context);
      if (method == &SharingMethod::copy) choice.fallback_reason = reasons;
      return choice;
    }
    reasons += (reasons.empty() ? "" : "; ") + found.obstacle;
  }
  throw Error(Error::Kind::not_found, std::string("sharing=") + methods.front()->name +
                                          " is not available with " + choice.device.name + ": " +
                                          reasons + ". Use sharing=auto or sharing=copy.");
}

}  // namespace glcl::sharing
