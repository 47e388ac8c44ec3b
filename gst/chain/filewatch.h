// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace glcl::chain {

/// Detects changes of files since they were read.
class FileWatch {
 public:
  /// Watches these files from now on.
  void set(std::vector<std::string> files);
  /// True once per change. False while a file is missing, for example while an editor replaces it.
  bool changed();

 private:
  std::vector<std::string> files_;
  std::string stamp_;  // differs if one of the files does
};

}  // namespace glcl::chain
