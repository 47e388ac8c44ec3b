// SPDX-License-Identifier: LGPL-2.1-or-later
// Large results (a field of vectors, a histogram) on their way downstream: GstBuffers, owned by
// metas mostly, whose memory is an OpenCL buffer. It is read back when somebody maps it, and only
// then.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "glclcontext.h"
#include "opencl/deferrederror.h"

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
/// can't where `deferred_error` is a failure.
void result_written(GstBuffer *buffer, Queue &queue,
                    std::shared_ptr<const DeferredError> deferred_error = {});

/// An array of a result: where its numbers are in the result's buffer.
struct ResultArray {
  const char *name;        ///< of its field
  const char *type;        ///< of its numbers, as gstglclresult.h names them
  std::vector<int> shape;  ///< at most 4; the last index runs fastest
  size_t offset;           ///< bytes

  size_t bytes() const;
};

/// Attaches a result to a frame, as a GstCustomMeta named `kind`. `buffer` is of a ResultPool; each
/// of the arrays in it becomes a GstBuffer with its type and shape, as gstglclresult.h tells.
/// Returns the structure, for further fields. Transfer full of `buffer`.
GstStructure *attach_result(GstBuffer *to, const char *kind, const char *element, GstBuffer *buffer,
                            const std::vector<ResultArray> &arrays);
/// A copy of the structure that this element has attached to a frame, whose arrays are the same
/// GstBuffers; null where there is none. Transfer full.
GstStructure *result_of(GstBuffer *frame, const char *element);
/// A GstBuffer of an array of the structure; borrowed.
GstBuffer *result_array(const GstStructure *result, const char *name);

/// A field of several values that every language reads: a GValueArray, not a GstValueArray, which
/// Python knows only with an extra package.
class FieldArray {
 public:
  FieldArray();
  ~FieldArray();
  FieldArray(const FieldArray &) = delete;

  void add(double number);
  void add(int number);
  void add(guint number);
  void add(const GValue *value);      ///< a copy
  void add(GstStructure *structure);  ///< which it takes
  /// An array in the array.
  void add(const FieldArray &numbers);
  void into(GstStructure *structure, const char *field);

 private:
  void take(GValue *item);

  GValue value_ = G_VALUE_INIT;
};

/// A field F of several structures, and each of their fields, C, as an array of its own, F-C:
/// Python reads the structures only while something holds the one that they are in.
class FieldRows {
 public:
  explicit FieldRows(std::initializer_list<const char *> columns);

  void add(GstStructure *row);  ///< which it takes, with all the columns
  void into(GstStructure *structure, const std::string &field);

 private:
  FieldArray rows_;
  std::map<std::string, FieldArray> columns_;
};

}  // namespace glcl
