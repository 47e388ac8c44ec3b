// SPDX-License-Identifier: LGPL-2.1-or-later
// Preloaded, it simulates a full disk: files in the folder FULL_DISK hold at most FULL_DISK_BYTES
// bytes.
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is_full(int file) {
  const char *folder = std::getenv("FULL_DISK");
  if (!folder) return false;
  char path[PATH_MAX];
  const std::string name = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = readlink(name.c_str(), path, sizeof path);
  const size_t prefix = std::strlen(folder);
  return length > ssize_t(prefix) && std::memcmp(path, folder, prefix) == 0;
}

/// Number of bytes that fit.
size_t room(int file, size_t bytes, off_t offset) {
  if (!bytes || !is_full(file)) return bytes;
  const off_t left = std::atol(std::getenv("FULL_DISK_BYTES")) - offset;
  return size_t(std::clamp<off_t>(left, 0, off_t(bytes)));
}

template <class Function>
Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

ssize_t full() {
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] ssize_t write(int file, const void *data, size_t bytes) {
  static const auto call = next<ssize_t (*)(int, const void *, size_t)>("write");
  const size_t fit = room(file, bytes, lseek(file, 0, SEEK_CUR));
  return bytes && !fit ? full() : call(file, data, fit);
}

// Like pwrite64(), which files larger than 2 GiB need.
[[gnu::visibility("default")]] ssize_t pwrite(int file, const void *data, size_t bytes,
                                              off_t offset) {
  static const auto call = next<ssize_t (*)(int, const void *, size_t, off_t)>("pwrite64");
  const size_t fit = room(file, bytes, offset);
  return bytes && !fit ? full() : call(file, data, fit, offset);
}
}
