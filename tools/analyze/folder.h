// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <fstream>
#include <optional>
#include <string>

#include "task.h"

namespace glcl::analyze {

/// An open folder that other processes may write to as well. Files in it are created, read and
/// removed through its descriptor, without following links. All functions throw Failure with the
/// system's reason.
class Folder {
 public:
  /// Opens a folder named by the user, possibly through a link.
  static Folder named(const std::string &path);
  /// The same, but creates a missing folder.
  static Folder made(const std::string &path);
  /// Opens a folder; the path itself must not be a link.
  explicit Folder(const std::string &path);
  ~Folder();
  Folder(Folder &&other) noexcept;
  Folder &operator=(Folder &&) = delete;

  const std::string &path() const { return path_; }

  /// A folder inside this one, or nothing if the name does not exist.
  std::optional<Folder> find(const std::string &name) const;
  /// The same, but creates a missing folder.
  Folder make(const std::string &name) const;
  bool has(const std::string &name) const;
  /// True if `name` in it still is `folder`, and not a replacement.
  bool holds(const std::string &name, const Folder &folder) const;
  /// Locks it until it is closed; false if another process has the lock.
  bool lock() const;

  std::string read(const std::string &name) const;
  /// Reads a file with a JSON object.
  Json json(const std::string &name) const;
  std::ifstream open(const std::string &name) const;
  /// Creates a file, which replaces an existing one, and returns its descriptor.
  int create(const std::string &name) const;
  void write(const std::string &name, const std::string &content) const;
  void rename(const std::string &from, const std::string &to) const;
  /// Removes a file or folder with its contents. Ignores errors.
  void remove(const std::string &name) const;
  void clear() const;
  /// Writes its entries to the disk.
  void sync() const;

 private:
  Folder(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  [[noreturn]] void fail(const std::string &what, const std::string &name) const;
  int open_file(const std::string &name) const;

  int fd_;
  std::string path_;  // for messages
};

}  // namespace glcl::analyze
