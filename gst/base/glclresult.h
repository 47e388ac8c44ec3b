// SPDX-License-Identifier: LGPL-2.1-or-later
// Large results (a field of vectors, a histogram) on their way downstream: GstBuffers, owned by
// metas mostly, whose memory is an OpenCL buffer. It is read back when somebody maps it, and only
// then.
#pragma once

#include <memory>
#include <string>

#include "glclcontext.h"
#include "opencl/outcome.h"

namespace glcl {

/// Buffers of one size that come back when their last user lets go of them, from any thread and
/// also after the pool itself has gone. They keep the OpenCL context alive.
class ResultPool {
 public:
  /// Throws Error::failed.
  ResultPool(GstGLCLContext *context, size_t bytes);
  ~ResultPool();
  ResultPool(const ResultPool &) = delete;

  /// Whether its buffers are of this size and context.
  bool suits(GstGLCLContext *context, size_t bytes) const {
    return context == context_ && bytes == bytes_;
  }
  /// A buffer that nobody uses; its contents are what they were. Transfer full. Throws.
  GstBuffer *acquire();

 private:
  GstGLCLContext *context_;
  size_t bytes_;
  GstBufferPool *pool_;
  GstAllocator *allocator_;
};

/// The OpenCL buffer behind a buffer of a pool, for kernels to write.
const cl::Buffer &result_memory(GstBuffer *buffer);
/// After the kernels that write it were enqueued: whoever maps it waits for them, not for more, and
/// can't where `outcome` is a failure.
void result_written(GstBuffer *buffer, Queue &queue, std::shared_ptr<const Outcome> outcome = {});

/// A meta of a C struct that begins with `GstMeta meta; GstBuffer *buffer;` and has plain values
/// after that; its API is called `name` + "API". It has no tags, so that elements which know
/// nothing of it pass it on, and copies share the buffer.
template <class Meta>
const GstMetaInfo *register_result_meta(const std::string &name) {
  static const gchar *tags[] = {nullptr};
  return gst_meta_register(
      gst_meta_api_type_register((name + "API").c_str(), tags), name.c_str(), sizeof(Meta),
      [](GstMeta *meta, gpointer, GstBuffer *) -> gboolean {
        auto *self = reinterpret_cast<Meta *>(meta);
        *self = Meta{self->meta};
        return TRUE;
      },
      [](GstMeta *meta, GstBuffer *) { gst_clear_buffer(&reinterpret_cast<Meta *>(meta)->buffer); },
      [](GstBuffer *to, GstMeta *meta, GstBuffer *, GQuark type, gpointer) -> gboolean {
        if (!GST_META_TRANSFORM_IS_COPY(type)) return FALSE;
        const auto *self = reinterpret_cast<Meta *>(meta);
        auto *copy = reinterpret_cast<Meta *>(gst_buffer_add_meta(to, meta->info, nullptr));
        const GstMeta base = copy->meta;
        *copy = *self;
        copy->meta = base;
        if (copy->buffer) gst_buffer_ref(copy->buffer);
        return TRUE;
      });
}

}  // namespace glcl
