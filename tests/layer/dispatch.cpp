// SPDX-License-Identifier: LGPL-2.1-or-later
// The ICD loader's interface of a layer (CL/cl_layer.h): a table of functions that precede its own.
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

#include "contract.h"
#include "descriptors.h"
#include "discretememory.h"
#include "eglimages.h"
#include "entry.h"
#include "faults.h"
#include "functions.h"
#include "import.h"
#include "record.h"

namespace glcl_layer {

namespace {

cl_icd_dispatch target, layer;

bool starts(const char *name, const char *with) {
  return std::strncmp(name, with, std::strlen(with)) == 0;
}

bool is_transfer(const char *name) {
  return starts(name, "clEnqueueRead") || starts(name, "clEnqueueWrite") ||
         starts(name, "clEnqueueMap");
}

template <class T>
constexpr bool is_object = std::is_same_v<T, cl_context> || std::is_same_v<T, cl_command_queue> ||
                           std::is_same_v<T, cl_mem> || std::is_same_v<T, cl_program> ||
                           std::is_same_v<T, cl_kernel> || std::is_same_v<T, cl_event> ||
                           std::is_same_v<T, cl_sampler> || std::is_same_v<T, cl_semaphore_khr>;

/// The value that a function of this type gives when it fails.
template <class Result, class... Arguments>
Result failure(cl_int error, Arguments... arguments) {
  if constexpr (std::is_same_v<Result, cl_int>) {
    return error;
  } else {
    const auto last = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
    if constexpr (std::is_same_v<decltype(last), cl_int *const>)
      if (last) *last = error;
    return nullptr;
  }
}

template <class Result, class... Arguments>
bool succeeded(Result result, Arguments...) {
  if constexpr (std::is_same_v<Result, cl_int>)
    return result == CL_SUCCESS;
  else
    return result != nullptr;
}

template <class Argument>
void note_use(const char *name, cl_command_queue queue, Argument argument) {
  if constexpr (std::is_same_v<Argument, cl_mem>) uses(name, queue, argument);
}

template <class Argument>
void note_event(const cl_event *&event, Argument argument) {
  if constexpr (std::is_same_v<Argument, cl_event *>) event = argument;
}

template <class... Arguments>
void note_command(const char *name, cl_command_queue queue, Arguments... arguments) {
  const cl_event *event = nullptr;
  (note_event(event, arguments), ...);
  bool blocking = false;
  if constexpr (sizeof...(Arguments) > 2) {
    const auto third = std::get<1>(std::tuple(arguments...));
    if constexpr (std::is_same_v<decltype(third), const cl_bool>)
      blocking = is_transfer(name) && third;
  }
  enqueued(queue, blocking, event);
}

template <class First, class... Rest>
void check_before(const char *name, First first, Rest... rest) {
  if constexpr (std::is_same_v<First, cl_command_queue>)
    if (starts(name, "clEnqueue")) (note_use(name, first, rest), ...);
  if constexpr (is_object<First>)
    if (starts(name, "clRelease")) released(name, first);
}

template <class Result, class First, class... Rest>
void check_after(const char *name, Result result, First first, Rest... rest) {
  if constexpr (std::is_same_v<First, cl_command_queue>)
    if (starts(name, "clEnqueue")) note_command(name, first, rest...);
  if constexpr (is_object<Result>)
    if (starts(name, "clCreate")) created(name, result);
  // An object begins with its driver's functions.
  if constexpr (std::is_same_v<Result, cl_context>)
    descriptors_of_driver(library_of(reinterpret_cast<const void *>(
        (*reinterpret_cast<cl_icd_dispatch **>(result))->clReleaseMemObject)));
  if constexpr (is_object<First>)
    if (starts(name, "clRetain")) retained(first);
}

void *wrapped_extension(const std::string &name, void *real);

template <class Tag, class Type>
struct Thunk;

/// The one wrapper of all functions.
template <class Tag, class Result, class... Arguments>
struct Thunk<Tag, Result(CL_API_CALL *)(Arguments...)> {
  static const char *name;
  static Result(CL_API_CALL *real)(Arguments...);

  static Result CL_API_CALL call(Arguments... arguments) {
    if (const cl_int error = injected(name)) {
      const std::lock_guard lock(state_mutex());
      refused(Tag{}, arguments...);
      return failure<Result>(error, arguments...);
    }
    {
      const std::lock_guard lock(state_mutex());
      before(Tag{}, arguments...);
      check_before(name, arguments...);
    }
    const Result result = real(arguments...);
    if (succeeded(result, arguments...)) {
      const std::lock_guard lock(state_mutex());
      check_after(name, result, arguments...);
      after(Tag{}, result, arguments...);
    }
    if constexpr (std::is_same_v<Tag, tag::clGetExtensionFunctionAddressForPlatform>)
      return wrapped_extension(std::get<1>(std::tuple(arguments...)), result);
    else
      return result;
  }
};
template <class Tag, class Result, class... Arguments>
Result(CL_API_CALL *Thunk<Tag, Result(CL_API_CALL *)(Arguments...)>::real)(Arguments...) = nullptr;

#define GLCL_THUNK(function) Thunk<tag::function, decltype(cl_icd_dispatch::function)>
#define GLCL_NAME(function) \
  template <>               \
  const char *GLCL_THUNK(function)::name = #function;
GLCL_FUNCTIONS(GLCL_NAME)

#define GLCL_EXTENSION_THUNK(function) Thunk<tag::function, function##_fn>
#define GLCL_EXTENSION_NAME(function) \
  template <>                         \
  const char *GLCL_EXTENSION_THUNK(function)::name = #function;
GLCL_EXTENSIONS(GLCL_EXTENSION_NAME)

/// Puts the wrapper in place of the function; another platform's function of that name stays as it
/// is.
template <class Thunk, class Function>
bool wrap(Function real) {
  if (!Thunk::real) Thunk::real = real;
  return real && Thunk::real == real;
}

void *wrapped_extension(const std::string &name, void *real) {
  const std::lock_guard lock(state_mutex());
#define GLCL_WRAP(function)                                                        \
  if (name == #function &&                                                         \
      wrap<GLCL_EXTENSION_THUNK(function)>(reinterpret_cast<function##_fn>(real))) \
    return reinterpret_cast<void *>(GLCL_EXTENSION_THUNK(function)::call);
  GLCL_EXTENSIONS(GLCL_WRAP)
#undef GLCL_WRAP
  return real;
}

}  // namespace

const cl_icd_dispatch &driver() { return target; }

}  // namespace glcl_layer

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info parameter,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret) {
  return glcl_layer::layer_info("gst-glcl sharing checker and fault injection", parameter, size,
                                value, size_ret);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *before, cl_uint *entries_ret,
            const cl_icd_dispatch **layer_ret) {
  using namespace glcl_layer;
  if (!before || !entries_ret || !layer_ret) return CL_INVALID_VALUE;
  *entries_ret = take_dispatch(entries, before, target);
  import_dma_bufs(target);
  share_egl_images(target);
  report_discrete_memory(target);
  layer = target;
#define GLCL_PLACE(function) \
  if (wrap<GLCL_THUNK(function)>(target.function)) layer.function = GLCL_THUNK(function)::call;
  GLCL_FUNCTIONS(GLCL_PLACE)
#undef GLCL_PLACE
  *layer_ret = &layer;
  return CL_SUCCESS;
}
}
