// SPDX-License-Identifier: LGPL-2.1-or-later
#include "glclfilewatch.h"

#include <glib/gstdio.h>

#include <utility>

namespace glcl {

namespace {

/// A text that changes with any of the files; empty while a file is missing.
std::string stamp_of(const std::vector<std::string> &files) {
  std::string stamp;
  for (const std::string &file : files) {
    GStatBuf status;
    if (g_stat(file.c_str(), &status) != 0) return {};
    stamp += std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
             "/" + std::to_string(status.st_size) + "/" + std::to_string(status.st_ino) + " ";
  }
  return stamp;
}

}  // namespace

void FileWatch::set(std::vector<std::string> files) {
  files_ = std::move(files);
  stamp_ = stamp_of(files_);
  missing_ = false;
}

bool FileWatch::changed() {
  if (files_.empty()) return false;
  std::string stamp = stamp_of(files_);
  const bool was_missing = std::exchange(missing_, stamp.empty());
  if (missing_ || (stamp == stamp_ && !was_missing)) return false;
  stamp_ = std::move(stamp);
  return true;
}

bool FileWatch::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_check_ < std::chrono::milliseconds(200)) return false;
  last_check_ = now;
  return true;
}

}  // namespace glcl
