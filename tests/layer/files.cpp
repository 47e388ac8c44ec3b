// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands before the C library's functions that open and close files, where the layer is preloaded.
// With it `open` would be another name of `open64`.
#undef _FILE_OFFSET_BITS

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "descriptors.h"

#define GLCL_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <class Function>
Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int opened(int number, const void *caller) {
  const int error = errno;
  if (number >= 0) glcl_layer::descriptor_opened(number, glcl_layer::library_of(caller));
  errno = error;
  return number;
}

void opened(int result, const int numbers[2], const void *caller) {
  if (result != 0) return;
  opened(numbers[0], caller);
  opened(numbers[1], caller);
}

mode_t mode_of(int flags, va_list more) {
  return flags & (O_CREAT | O_TMPFILE) ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

}  // namespace

#define GLCL_CALLER __builtin_return_address(0)

GLCL_EXPORT int close(int number) {
  static const auto real = next<int (*)(int)>("close");
  const glcl_layer::Library by = glcl_layer::library_of(GLCL_CALLER);
  glcl_layer::descriptor_closes(number, by);
  const int result = real(number), error = errno;
  if (number >= 0) glcl_layer::descriptor_closed(number, by, result == 0 || error != EBADF);
  errno = error;
  return result;
}

#define GLCL_OPEN(name)                                                    \
  GLCL_EXPORT int name(const char *path, int flags, ...) {                 \
    static const auto real = next<int (*)(const char *, int, ...)>(#name); \
    va_list more;                                                          \
    va_start(more, flags);                                                 \
    const mode_t mode = mode_of(flags, more);                              \
    va_end(more);                                                          \
    return opened(real(path, flags, mode), GLCL_CALLER);                   \
  }
GLCL_OPEN(open)
GLCL_OPEN(open64)
#undef GLCL_OPEN

GLCL_EXPORT int dup(int number) {
  static const auto real = next<int (*)(int)>("dup");
  return opened(real(number), GLCL_CALLER);
}

GLCL_EXPORT int socket(int domain, int type, int protocol) {
  static const auto real = next<int (*)(int, int, int)>("socket");
  return opened(real(domain, type, protocol), GLCL_CALLER);
}

GLCL_EXPORT int eventfd(unsigned count, int flags) {
  static const auto real = next<int (*)(unsigned, int)>("eventfd");
  return opened(real(count, flags), GLCL_CALLER);
}

GLCL_EXPORT int pipe(int numbers[2]) {
  static const auto real = next<int (*)(int *)>("pipe");
  const int result = real(numbers);
  opened(result, numbers, GLCL_CALLER);
  return result;
}

GLCL_EXPORT int pipe2(int numbers[2], int flags) {
  static const auto real = next<int (*)(int *, int)>("pipe2");
  const int result = real(numbers, flags);
  opened(result, numbers, GLCL_CALLER);
  return result;
}
