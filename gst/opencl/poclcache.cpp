// SPDX-License-Identifier: LGPL-2.1-or-later
#include "poclcache.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace glcl {

namespace {

constexpr off_t program_bytes = 1 << 20;

struct Place {
  std::string folder, variable;
};

/// The cache folder, chosen by PoCL's rules.
Place place() {
  const auto value = [](const char *variable) {
    const char *text = std::getenv(variable);
    return std::string(text ? text : "");
  };
  const std::string own = value("POCL_CACHE_DIR"), caches = value("XDG_CACHE_HOME"),
                    inner = value("POCL_KERNEL_CACHE") == "0" ? "/pocl/uncached" : "/pocl/kcache";
  if (!own.empty()) return {own, "POCL_CACHE_DIR"};
  if (!caches.empty()) return {caches + inner, "XDG_CACHE_HOME"};
  if (std::getenv("HOME")) return {value("HOME") + "/.cache" + inner, "HOME"};
  return {"/tmp" + inner, ""};
}

/// The error that prevents a file of that many bytes in a folder, or 0.
int error_of_writing(const std::string &folder, off_t bytes) {
  std::string path = folder + "/glcl-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return errno;
  unlink(path.c_str());
  int error;
  do error = posix_fallocate(file, 0, bytes);
  while (error == EINTR);
  close(file);
  return error;
}

}  // namespace

std::string pocl_cache() {
  const auto [folder, variable] = place();
  return "its cache " + folder + (variable.empty() ? "" : " (set by " + variable + ")");
}

std::string pocl_cache_obstacle() {
  const int error = error_of_writing(place().folder, program_bytes);
  if (error != EACCES && error != EPERM && error != EROFS && error != ENOSPC && error != EDQUOT)
    return {};
  return "PoCL can't write to " + pocl_cache() + " (" + std::strerror(error) +
         "): " + pocl_cache_remedy;
}

}  // namespace glcl
