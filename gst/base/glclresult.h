// SPDX-License-Identifier: LGPL-2.1-or-later
// Large results (a vector field, a histogram) that travel downstream: GstBuffers, mostly owned by
// metas, whose memory is an OpenCL buffer. The memory is downloaded only when it is mapped.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "glclcontext.h"
#include "opencl/deferrederror.h"

namespace glcl {

/// A pool of buffers of one size. Buffers return when their last user releases them, from any
/// thread and even after the pool is gone. They keep the OpenCL context alive.
class ResultPool {
 public:
  /// Throws Error::failed.
  ResultPool(GstGLCLContext *context, size_t bytes);
  ~ResultPool();
  ResultPool(const ResultPool &) = delete;

  /// True if its buffers have this size and context.
  bool suits(GstGLCLContext *context, size_t bytes) const {
    return context == context_ && bytes == bytes_;
  }
  /// Returns a free buffer with undefined contents. Transfer full. Throws.
  GstBuffer *acquire();

 private:
  GstGLCLContext *context_;
  size_t bytes_;
  GstBufferPool *pool_;
  GstAllocator *allocator_;
};

/// The OpenCL buffer behind a buffer of a pool, for kernels to write.
const cl::Buffer &result_memory(GstBuffer *buffer);
/// Call it after enqueuing the kernels that write the buffer: mapping waits only for them, and
/// fails if `deferred_error` is a failure.
void result_written(GstBuffer *buffer, Queue &queue,
                    std::shared_ptr<const DeferredError> deferred_error = {});

/// An array of a result: the place of its numbers in the result's buffer.
struct ResultArray {
  const char *name;        ///< name of its field
  const char *type;        ///< type of its numbers, as in gstglclresult.h
  std::vector<int> shape;  ///< at most 4 dimensions; the last index varies fastest
  size_t offset;           ///< bytes

  size_t bytes() const;
};

/// Attaches a result to a frame as a GstCustomMeta named `kind`. `buffer` comes from a ResultPool;
/// each of its arrays becomes a GstBuffer with type and shape, as described in gstglclresult.h.
/// Returns the structure, for further fields. Takes ownership of `buffer`.
GstStructure *attach_result(GstBuffer *to, const char *kind, const char *element, GstBuffer *buffer,
                            const std::vector<ResultArray> &arrays);
/// Returns a copy of the structure that this element has attached to a frame, with the same
/// GstBuffers as arrays, or null. Transfer full.
GstStructure *result_of(GstBuffer *frame, const char *element);
/// The GstBuffer of an array in the structure; borrowed.
GstBuffer *result_array(const GstStructure *result, const char *name);

/// A field with several values that every language can read: a GValueArray. Python reads a
/// GstValueArray only with an extra package.
class FieldArray {
 public:
  FieldArray();
  ~FieldArray();
  FieldArray(const FieldArray &) = delete;

  void add(double number);
  void add(int number);
  void add(guint number);
  void add(const GValue *value);      ///< a copy
  void add(GstStructure *structure);  ///< takes ownership
  /// Appends an array to the array.
  void add(const FieldArray &numbers);
  void into(GstStructure *structure, const char *field);

 private:
  void take(GValue *item);

  GValue value_ = G_VALUE_INIT;
};

/// A field F with several structures, and one array F-C for each of their fields C, because Python
/// can read the structures only while the outer one is referenced.
class FieldRows {
 public:
  explicit FieldRows(const std::vector<const char *> &columns);

  void add(GstStructure *row);  ///< takes ownership; has all columns
  void into(GstStructure *structure, const std::string &field);

 private:
  FieldArray rows_;
  std::map<std::string, FieldArray> columns_;
};

}  // namespace glcl
