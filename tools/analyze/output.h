// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "folder.h"

namespace glcl::analyze {

/// The output folder: one folder per file, with the file's name. For files of the same name, all
/// but the first have a hash of their path appended. While it is written a folder is hidden,
/// .glcl-HASH, and locked, so that two runs don't write it at once. The next run removes folders
/// that a dead run left.
class Output {
 public:
  enum class Existing { refuse, keep, replace };

  /// Makes the folder. Throws Failure.
  Output(const std::string &folder, Existing existing);

  /// Begins a file: false where its results are there and are kept. Throws Failure where they are
  /// there and are to be neither kept nor replaced, or where another run is at the file.
  bool begin(Task &task);
  /// Its results are whole: they get their name. Throws Failure.
  void finish(const Task &task);
  /// They are not: they go.
  void drop(const Task &task);
  /// Where a file's results are, or will be.
  std::string place(const std::string &file) const;

 private:
  std::string choose_place(const std::string &file);
  static std::string hidden(const std::string &file);
  Folder open_hidden(const std::string &name) const;

  Folder folder_;
  Existing existing_;
  std::map<std::string, std::string> places_;  // by file, names in the folder
  std::map<std::string, Folder> open_;         // and locked
};

}  // namespace glcl::analyze
