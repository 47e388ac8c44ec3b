// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclresult.h"

#include <mutex>
#include <utility>
#include <vector>

#include "opencl/error.h"

GST_DEBUG_CATEGORY_STATIC(glcl_result_debug);
#define GST_CAT_DEFAULT glcl_result_debug

#define GST_TYPE_GLCL_RESULT_ALLOCATOR (gst_glcl_result_allocator_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLResultAllocator, gst_glcl_result_allocator, GST, GLCL_RESULT_ALLOCATOR,
                     GstAllocator)

struct _GstGLCLResultAllocator {
  GstAllocator parent;
  GstGLCLContext *context;
  cl::CommandQueue *reads;      // of memory that is mapped
  std::exception_ptr *failure;  // why the last allocation gave nothing; on the GL thread
};

G_DEFINE_TYPE(GstGLCLResultAllocator, gst_glcl_result_allocator, GST_TYPE_ALLOCATOR)

namespace {

struct Memory {
  GstMemory parent;
  cl::Buffer device;
  std::mutex mutex;
  cl::Event written;  // null once `host` holds it
  std::shared_ptr<const glcl::Outcome> outcome;
  std::vector<unsigned char> host;
};

Memory *memory_of(GstBuffer *buffer) {
  return reinterpret_cast<Memory *>(gst_buffer_peek_memory(buffer, 0));
}

gpointer map(GstMemory *base, gsize, GstMapFlags flags) {
  auto *memory = reinterpret_cast<Memory *>(base);
  if (flags & GST_MAP_WRITE) return nullptr;
  const std::lock_guard lock(memory->mutex);
  try {
    memory->host.resize(base->maxsize);
    if (memory->written()) {
      memory->written.wait();
      if (memory->outcome) memory->outcome->check();
      GST_GLCL_RESULT_ALLOCATOR(base->allocator)
          ->reads->enqueueReadBuffer(memory->device, CL_TRUE, 0, base->maxsize,
                                     memory->host.data());
      memory->written = {};
    }
    return memory->host.data();
  } catch (const cl::Error &error) {
    GST_ERROR_OBJECT(base->allocator, "a result can't be read back: %s: %s", error.what(),
                     glcl::error_name(error.err()).c_str());
  } catch (const glcl::Error &error) {
    GST_ERROR_OBJECT(base->allocator, "there is no result: %s %s", error.what(),
                     error.detail().c_str());
  } catch (const std::exception &error) {
    GST_ERROR_OBJECT(base->allocator, "a result can't be mapped: %s", error.what());
  }
  return nullptr;
}

}  // namespace

static GstMemory *gst_glcl_result_allocator_alloc(GstAllocator *allocator, gsize size,
                                                  GstAllocationParams *) {
  GstGLCLResultAllocator *self = GST_GLCL_RESULT_ALLOCATOR(allocator);
  try {
    GstGLCLContext *context = self->context;
    auto memory = std::make_unique<Memory>();
    memory->device =
        cl::Buffer(gst_glcl_context_queue(context, false).context().cl(), CL_MEM_READ_WRITE, size);
    gst_memory_init(&memory->parent, GST_MEMORY_FLAG_NO_SHARE, allocator, nullptr, size, 0, 0,
                    size);
    return &memory.release()->parent;
  } catch (...) {
    *self->failure = std::current_exception();
    return nullptr;
  }
}

static void gst_glcl_result_allocator_free(GstAllocator *, GstMemory *memory) {
  delete reinterpret_cast<Memory *>(memory);
}

static void gst_glcl_result_allocator_init(GstGLCLResultAllocator *self) {
  self->failure = new std::exception_ptr;  // NOLINT(bugprone-throw-keyword-missing): kept
  auto *allocator = GST_ALLOCATOR(self);
  allocator->mem_type = "GLCLResult";
  allocator->mem_map = map;
  allocator->mem_unmap = [](GstMemory *) {};
  GST_OBJECT_FLAG_SET(self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static void gst_glcl_result_allocator_finalize(GObject *object) {
  GstGLCLResultAllocator *self = GST_GLCL_RESULT_ALLOCATOR(object);
  delete self->reads;
  delete self->failure;
  gst_clear_object(&self->context);
  G_OBJECT_CLASS(gst_glcl_result_allocator_parent_class)->finalize(object);
}

static void gst_glcl_result_allocator_class_init(GstGLCLResultAllocatorClass *klass) {
  GST_DEBUG_CATEGORY_INIT(glcl_result_debug, "glclresult", 0, "results in OpenCL buffers");
  G_OBJECT_CLASS(klass)->finalize = gst_glcl_result_allocator_finalize;
  auto *allocator_class = GST_ALLOCATOR_CLASS(klass);
  allocator_class->alloc = gst_glcl_result_allocator_alloc;
  allocator_class->free = gst_glcl_result_allocator_free;
}

namespace glcl {

namespace {

/// Throws what kept a result from being allocated: the allocator's functions can't.
[[noreturn]] void throw_no_memory(GstGLCLResultAllocator *allocator, size_t bytes) {
  const std::string text = "There is no memory for results of " + std::to_string(bytes) +
                           " bytes on " + gst_glcl_context_device(allocator->context).name + ".";
  try {
    if (const auto failure = std::exchange(*allocator->failure, nullptr))
      std::rethrow_exception(failure);
  } catch (const cl::Error &error) {
    throw Error(text, error);
  } catch (const std::exception &error) {
    throw Error(Error::Kind::failed, text, error.what());
  }
  throw Error(Error::Kind::failed, text, "the pool of buffers gave none");
}

}  // namespace

ResultPool::ResultPool(GstGLCLContext *context, size_t bytes)
    : context_(context), bytes_(bytes), pool_(gst_buffer_pool_new()) {
  auto *allocator = GST_GLCL_RESULT_ALLOCATOR(
      g_object_ref_sink(g_object_new(GST_TYPE_GLCL_RESULT_ALLOCATOR, nullptr)));
  allocator_ = GST_ALLOCATOR(allocator);
  allocator->context = GST_GLCL_CONTEXT(gst_object_ref(context));
  try {
    const cl::Context &cl = gst_glcl_context_queue(context, false).context().cl();
    allocator->reads = new cl::CommandQueue(cl, gst_glcl_context_device(context).device);
    GstStructure *config = gst_buffer_pool_get_config(pool_);
    // None beforehand: where the second of those can't be had, GStreamer loses the first.
    gst_buffer_pool_config_set_params(config, nullptr, bytes, 0, 0);
    gst_buffer_pool_config_set_allocator(config, GST_ALLOCATOR(allocator), nullptr);
    if (!gst_buffer_pool_set_config(pool_, config) || !gst_buffer_pool_set_active(pool_, TRUE))
      throw_no_memory(allocator, bytes);
  } catch (...) {
    gst_object_unref(pool_);
    gst_object_unref(allocator);
    throw;
  }
}

ResultPool::~ResultPool() {
  gst_buffer_pool_set_active(pool_, FALSE);
  gst_object_unref(pool_);
  gst_object_unref(allocator_);
}

GstBuffer *ResultPool::acquire() {
  GstBuffer *buffer = nullptr;
  if (gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr) != GST_FLOW_OK)
    throw_no_memory(GST_GLCL_RESULT_ALLOCATOR(allocator_), bytes_);
  return buffer;
}

const cl::Buffer &result_memory(GstBuffer *buffer) { return memory_of(buffer)->device; }

void result_written(GstBuffer *buffer, Queue &queue, std::shared_ptr<const Outcome> outcome) {
  Memory *memory = memory_of(buffer);
  const std::lock_guard lock(memory->mutex);
  memory->outcome = std::move(outcome);
  queue.cl().enqueueMarkerWithWaitList(nullptr, &memory->written);
}

}  // namespace glcl
