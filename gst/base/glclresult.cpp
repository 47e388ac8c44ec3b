// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclresult.h"

#include <mutex>
#include <utility>
#include <vector>

#include "opencl/error.h"
#include "opencl/waiting.h"

GST_DEBUG_CATEGORY_STATIC(glcl_result_debug);
#define GST_CAT_DEFAULT glcl_result_debug

#define GST_TYPE_GLCL_RESULT_ALLOCATOR (gst_glcl_result_allocator_get_type())
G_DECLARE_FINAL_TYPE(GstGLCLResultAllocator, gst_glcl_result_allocator, GST, GLCL_RESULT_ALLOCATOR,
                     GstAllocator)

struct _GstGLCLResultAllocator {
  GstAllocator parent;
  GstGLCLContext *context;
  cl::CommandQueue *reads;      // for downloads of mapped memory
  std::exception_ptr *failure;  // why the last allocation failed; streaming thread
};

G_DEFINE_TYPE(GstGLCLResultAllocator, gst_glcl_result_allocator, GST_TYPE_ALLOCATOR)

namespace {

struct ResultMemory {
  GstMemory parent;
  GstBuffer *whole = nullptr;  // only in a view: the buffer that contains it
  size_t offset = 0;           // bytes, of a view in `whole`
  cl::Buffer device;
  std::mutex mutex;
  cl::Event written;  // null once `host` holds it
  std::shared_ptr<const glcl::DeferredError> deferred_error;
  std::vector<unsigned char> host;
};

ResultMemory *memory_of(GstBuffer *buffer) {
  return reinterpret_cast<ResultMemory *>(gst_buffer_peek_memory(buffer, 0));
}

gpointer map(GstMemory *base, gsize size, GstMapFlags flags) {
  auto *memory = reinterpret_cast<ResultMemory *>(base);
  if (flags & GST_MAP_WRITE) return nullptr;
  if (memory->whole) {
    auto *bytes = static_cast<guint8 *>(map(&memory_of(memory->whole)->parent, size, flags));
    return bytes ? bytes + memory->offset : nullptr;
  }
  const std::lock_guard lock(memory->mutex);
  try {
    memory->host.resize(base->maxsize);
    if (memory->written()) {
      glcl::wait(memory->written);
      if (memory->deferred_error) memory->deferred_error->check();
      GST_GLCL_RESULT_ALLOCATOR(base->allocator)
          ->reads->enqueueReadBuffer(memory->device, CL_TRUE, 0, base->maxsize,
                                     memory->host.data());
      memory->written = {};
    }
    return memory->host.data();
  } catch (const cl::Error &error) {
    GST_ERROR_OBJECT(base->allocator, "a result can't be downloaded: %s: %s", error.what(),
                     glcl::error_name(error.err()).c_str());
  } catch (const glcl::Error &error) {
    GST_ERROR_OBJECT(base->allocator, "a result is missing: %s %s", error.what(),
                     error.detail().c_str());
  } catch (const std::exception &error) {
    GST_ERROR_OBJECT(base->allocator, "a result can't be mapped: %s", error.what());
  }
  return nullptr;
}

/// Registers a GstCustomMeta without tags: copies share it, and elements that do not know it
/// forward it.
void register_meta(const char *kind) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static const gchar *tags[] = {nullptr};
  if (!gst_meta_get_info(kind)) gst_meta_register_custom(kind, tags, nullptr, nullptr, nullptr);
}

}  // namespace

static GstMemory *gst_glcl_result_allocator_alloc(GstAllocator *allocator, gsize size,
                                                  GstAllocationParams *) {
  GstGLCLResultAllocator *self = GST_GLCL_RESULT_ALLOCATOR(allocator);
  try {
    GstGLCLContext *context = self->context;
    auto memory = std::make_unique<ResultMemory>();
    memory->device = cl::Buffer(gst_glcl_context_opencl(context).cl(), CL_MEM_READ_WRITE, size);
    gst_memory_init(&memory->parent, GST_MEMORY_FLAG_NO_SHARE, allocator, nullptr, size, 0, 0,
                    size);
    return &memory.release()->parent;
  } catch (...) {
    *self->failure = std::current_exception();
    return nullptr;
  }
}

static void gst_glcl_result_allocator_free(GstAllocator *, GstMemory *memory) {
  auto *self = reinterpret_cast<ResultMemory *>(memory);
  gst_clear_buffer(&self->whole);
  delete self;
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

/// Throws the error of a failed allocation, because the functions of a GstAllocator can't throw.
[[noreturn]] void throw_no_memory(GstGLCLResultAllocator *allocator, size_t bytes) {
  const std::string text = "Can't allocate " + std::to_string(bytes) + " bytes for results on " +
                           gst_glcl_context_device(allocator->context).name + ".";
  try {
    if (const auto failure = std::exchange(*allocator->failure, nullptr))
      std::rethrow_exception(failure);
  } catch (const cl::Error &error) {
    throw Error(text, error);
  } catch (const std::exception &error) {
    throw Error(Error::Kind::failed, text, error.what());
  }
  throw Error(Error::Kind::failed, text, "the buffer pool returned no buffer");
}

}  // namespace

ResultPool::ResultPool(GstGLCLContext *context, size_t bytes)
    : context_(context), bytes_(bytes), pool_(gst_buffer_pool_new()) {
  auto *allocator = GST_GLCL_RESULT_ALLOCATOR(
      g_object_ref_sink(g_object_new(GST_TYPE_GLCL_RESULT_ALLOCATOR, nullptr)));
  allocator_ = GST_ALLOCATOR(allocator);
  allocator->context = GST_GLCL_CONTEXT(gst_object_ref(context));
  try {
    const cl::Context &cl = gst_glcl_context_opencl(context).cl();
    allocator->reads = new cl::CommandQueue(cl, gst_glcl_context_device(context).device);
    GstStructure *config = gst_buffer_pool_get_config(pool_);
    // Preallocate no buffers: if allocating the second one fails, GStreamer leaks the first.
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

void result_written(GstBuffer *buffer, Queue &queue,
                    std::shared_ptr<const DeferredError> deferred_error) {
  ResultMemory *memory = memory_of(buffer);
  const std::lock_guard lock(memory->mutex);
  memory->deferred_error = std::move(deferred_error);
  queue.cl().enqueueMarkerWithWaitList(nullptr, &memory->written);
}

size_t ResultArray::bytes() const {
  const std::string text = type;
  size_t count = text == "uint8" ? 1 : text.find("16") == std::string::npos ? 4 : 2;
  for (int length : shape) count *= length;
  return count;
}

GstStructure *attach_result(GstBuffer *to, const char *kind, const char *element, GstBuffer *buffer,
                            const std::vector<ResultArray> &arrays) {
  register_meta(kind);
  GstStructure *fields = gst_custom_meta_get_structure(gst_buffer_add_custom_meta(to, kind));
  gst_structure_set(fields, "element", G_TYPE_STRING, element, nullptr);
  for (const ResultArray &array : arrays) {
    const std::string name = array.name;
    auto *view = new ResultMemory;
    GstMemory *whole = &memory_of(buffer)->parent;
    gst_memory_init(&view->parent,
                    GstMemoryFlags(GST_MEMORY_FLAG_NO_SHARE | GST_MEMORY_FLAG_READONLY),
                    whole->allocator, nullptr, array.bytes(), 0, 0, array.bytes());
    view->whole = gst_buffer_ref(buffer);
    view->offset = array.offset;
    GstBuffer *part = gst_buffer_new();
    gst_buffer_append_memory(part, &view->parent);
    gst_structure_set(fields, array.name, GST_TYPE_BUFFER, part, (name + "-type").c_str(),
                      G_TYPE_STRING, array.type, nullptr);
    gst_buffer_unref(part);
    FieldArray shape;
    for (int length : array.shape) shape.add(length);
    shape.into(fields, (name + "-shape").c_str());
  }
  gst_buffer_unref(buffer);
  return fields;
}

GstStructure *result_of(GstBuffer *frame, const char *element) {
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta(frame, &state)) {
    if (!gst_meta_info_is_custom(meta->info)) continue;
    const GstStructure *fields =
        gst_custom_meta_get_structure(reinterpret_cast<GstCustomMeta *>(meta));
    if (g_strcmp0(gst_structure_get_string(fields, "element"), element) == 0)
      return gst_structure_copy(fields);
  }
  return nullptr;
}

GstBuffer *result_array(const GstStructure *result, const char *name) {
  return gst_value_get_buffer(gst_structure_get_value(result, name));
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS  // bindings can't read GArrays, which GLib suggests

FieldArray::FieldArray() {
  g_value_init(&value_, g_value_array_get_type());
  g_value_take_boxed(&value_, g_value_array_new(0));
}

FieldArray::~FieldArray() {
  if (G_IS_VALUE(&value_)) g_value_unset(&value_);
}

void FieldArray::take(GValue *item) {
  g_value_array_append(static_cast<GValueArray *>(g_value_get_boxed(&value_)), item);
  g_value_unset(item);
}

G_GNUC_END_IGNORE_DEPRECATIONS

void FieldArray::add(double number) {
  GValue item = G_VALUE_INIT;
  g_value_set_double(g_value_init(&item, G_TYPE_DOUBLE), number);
  take(&item);
}

void FieldArray::add(int number) {
  GValue item = G_VALUE_INIT;
  g_value_set_int(g_value_init(&item, G_TYPE_INT), number);
  take(&item);
}

void FieldArray::add(guint number) {
  GValue item = G_VALUE_INIT;
  g_value_set_uint(g_value_init(&item, G_TYPE_UINT), number);
  take(&item);
}

void FieldArray::add(const GValue *value) {
  GValue item = G_VALUE_INIT;
  g_value_copy(value, g_value_init(&item, G_VALUE_TYPE(value)));
  take(&item);
}

void FieldArray::add(GstStructure *structure) {
  GValue item = G_VALUE_INIT;
  g_value_take_boxed(g_value_init(&item, GST_TYPE_STRUCTURE), structure);
  take(&item);
}

void FieldArray::add(const FieldArray &numbers) { add(&numbers.value_); }

void FieldArray::into(GstStructure *structure, const char *field) {
  gst_structure_take_value(structure, field, &value_);
  value_ = G_VALUE_INIT;
}

FieldRows::FieldRows(const std::vector<const char *> &columns) {
  for (const char *column : columns) columns_.try_emplace(column);
}

void FieldRows::add(GstStructure *row) {
  for (auto &[column, values] : columns_) values.add(gst_structure_get_value(row, column.c_str()));
  rows_.add(row);
}

void FieldRows::into(GstStructure *structure, const std::string &field) {
  rows_.into(structure, field.c_str());
  for (auto &[column, values] : columns_) values.into(structure, (field + "-" + column).c_str());
}

}  // namespace glcl
