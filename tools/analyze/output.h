// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "folder.h"

namespace glcl::analyze {

/// The output folder: one folder per file, with the file's name. For files of the same name, all
/// but the first have a hash of their path appended. While a folder is being written, it is hidden
/// (.glcl-HASH) locked folders by file, so that two runs can't write it at once. The next run
/// removes folders left by a dead run.
class Output {
 public:
  enum class Existing { refuse, keep, replace };

  /// Creates the folder. Throws Failure.
  Output(const std::string &folder, Existing existing);

  /// Begins a file; false if its results exist and are kept. Throws Failure if they exist and may
  /// be neither kept nor replaced, or if another run works on the file.
  bool begin(Task &task);
  /// Completes a file: renames the folder to its final name. Throws Failure.
  void finish(const Task &task);
  /// Removes the incomplete results of a file.
  void discard(const Task &task);
  /// Path of a file's results, which may not exist yet.
  std::string place(const std::string &file) const;

 private:
  std::string choose_place(const std::string &file);
  static std::string hidden(const std::string &file);
  Folder open_hidden(const std::string &name) const;

  Folder folder_;
  Existing existing_;
  std::map<std::string, std::string> places_;  // name in the folder by file
  std::map<std::string, Folder> open_;         // and locked
};

}  // namespace glcl::analyze
