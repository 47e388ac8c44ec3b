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
  /// The folder that a user names, perhaps by a link.
  static Folder named(const std::string &path);
  /// The same, made where it is not there.
  static Folder made(const std::string &path);
  /// A folder that is no link itself.
  explicit Folder(const std::string &path);
  ~Folder();
  Folder(Folder &&other) noexcept;
  Folder &operator=(Folder &&) = delete;

  const std::string &path() const { return path_; }

  /// A folder in it; none where nothing has its name.
  std::optional<Folder> find(const std::string &name) const;
  /// The same, made where it is not there.
  Folder make(const std::string &name) const;
  bool has(const std::string &name) const;
  /// Whether that is this folder in it, not one that took its place.
  bool holds(const std::string &name, const Folder &folder) const;
  /// Keeps other processes from locking it, until it is closed; false where one has it.
  bool lock() const;

  std::string read(const std::string &name) const;
  /// A file with an object of JSON.
  Json json(const std::string &name) const;
  std::ifstream open(const std::string &name) const;
  /// The descriptor of a new file, which replaces an existing one.
  int create(const std::string &name) const;
  void write(const std::string &name, const std::string &content) const;
  void rename(const std::string &from, const std::string &to) const;
  /// Removes it with all in it, as far as that goes: reports nothing.
  void remove(const std::string &name) const;
  void clear() const;
  /// To the disk.
  void sync() const;

 private:
  Folder(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  [[noreturn]] void fail(const std::string &what, const std::string &name) const;
  int open_file(const std::string &name) const;

  int fd_;
  std::string path_;  // for messages
};

}  // namespace glcl::analyze
