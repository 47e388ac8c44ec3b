// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace glcl {

/// Detects changes of files since they were read.
class FileWatch {
 public:
  FileWatch() = default;
  explicit FileWatch(std::vector<std::string> files) { set(std::move(files)); }

  /// Watches these files from now on.
  void set(std::vector<std::string> files);
  /// True once per change. False while a file is missing, for example while an editor replaces it.
  bool changed();
  /// True if changed() found that a file is missing.
  bool missing() const { return missing_; }
  /// True five times per second, when it is time for changed().
  bool due();

 private:
  std::vector<std::string> files_;
  std::string stamp_;  // differs if one of the files does
  bool missing_ = false;
  std::chrono::steady_clock::time_point last_check_;
};

}  // namespace glcl
