// SPDX-License-Identifier: LGPL-2.1-or-later
#include "filewatch.h"

#include <glib/gstdio.h>

#include <utility>

namespace glcl::chain {

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
}

bool FileWatch::changed() {
  std::string stamp = stamp_of(files_);
  if (stamp.empty() || stamp == stamp_) return false;
  stamp_ = std::move(stamp);
  return true;
}

}  // namespace glcl::chain
