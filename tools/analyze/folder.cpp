// SPDX-License-Identifier: LGPL-2.1-or-later
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

namespace glcl::analyze {

namespace {

constexpr int as_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr int deepest = 16;  // levels of nested folders that are removed; results have none

void remove_in(int folder, const char *name, int depth);

void clear_in(int folder, int depth) {
  // Use another descriptor, because reading moves its position.
  const int own = openat(folder, ".", as_folder);
  DIR *entries = own < 0 ? nullptr : fdopendir(own);
  if (!entries) {
    if (own >= 0) close(own);
    return;
  }
  std::vector<std::string> names;
  while (const dirent *entry = readdir(entries))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  closedir(entries);
  for (const std::string &name : names) remove_in(folder, name.c_str(), depth);
}

void remove_in(int folder, const char *name, int depth) {
  if (unlinkat(folder, name, 0) == 0 || depth > deepest) return;
  const int inside = openat(folder, name, as_folder | O_NOFOLLOW);
  if (inside < 0) return;
  clear_in(inside, depth + 1);
  close(inside);
  unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

Folder Folder::named(const std::string &path) {
  const int fd = ::open(path.c_str(), as_folder);
  if (fd < 0) throw Failure("cannot open the folder " + shown(path) + ": " + g_strerror(errno));
  return {fd, path};
}

Folder Folder::made(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Failure("cannot make the folder " + shown(path) + ": " + error.message());
  return named(path);
}

Folder::Folder(const std::string &path)
    : fd_(::open(path.c_str(), as_folder | O_NOFOLLOW)), path_(path) {
  if (fd_ < 0) throw Failure("cannot open the folder " + shown(path) + ": " + g_strerror(errno));
}

Folder::~Folder() {
  if (fd_ >= 0) close(fd_);
}

Folder::Folder(Folder &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

void Folder::fail(const std::string &what, const std::string &name) const {
  throw Failure("cannot " + what + " " + shown(path_ + "/" + name) + ": " + g_strerror(errno));
}

std::optional<Folder> Folder::find(const std::string &name) const {
  const int fd = openat(fd_, name.c_str(), as_folder | O_NOFOLLOW);
  if (fd >= 0) return Folder(fd, path_ + "/" + name);
  if (errno == ENOENT) return {};
  fail("open the folder", name);
}

Folder Folder::make(const std::string &name) const {
  if (mkdirat(fd_, name.c_str(), 0777) && errno != EEXIST) fail("make the folder", name);
  std::optional<Folder> made = find(name);
  if (!made) fail("open the folder", name);
  return std::move(*made);
}

bool Folder::has(const std::string &name) const {
  struct stat status {};
  return fstatat(fd_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Folder::holds(const std::string &name, const Folder &folder) const {
  struct stat named {
  }, opened{};
  return fstatat(fd_, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         fstat(folder.fd_, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

bool Folder::lock() const { return flock(fd_, LOCK_EX | LOCK_NB) == 0; }

int Folder::open_file(const std::string &name) const {
  // O_NONBLOCK: do not wait for the other end of a pipe.
  const int fd = openat(fd_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail("read", name);
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  close(fd);
  throw Failure("cannot read " + shown(path_ + "/" + name) + ": it is not a regular file");
}

std::ifstream Folder::open(const std::string &name) const {
  const int fd = open_file(name);
  std::ifstream in("/proc/self/fd/" + std::to_string(fd), std::ios::binary);
  const int reason = errno;
  close(fd);
  errno = reason;
  if (!in) fail("read", name);
  return in;
}

std::string Folder::read(const std::string &name) const {
  std::ifstream in = open(name);
  std::ostringstream content;
  if (in.peek() != std::ifstream::traits_type::eof()) content << in.rdbuf();
  if (in.bad()) fail("read", name);
  return content.str();
}

Json Folder::json(const std::string &name) const {
  Json json = parsed(read(name));
  if (!json.is_object()) throw Failure(shown(path_ + "/" + name) + " is not a JSON object");
  return json;
}

int Folder::create(const std::string &name) const {
  remove(name);
  const int fd =
      openat(fd_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) fail("write", name);
  return fd;
}

void Folder::write(const std::string &name, const std::string &content) const {
  const int fd = create(name);
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += n;
  }
  const bool whole = done == content.size() && fsync(fd) == 0;
  const int reason = errno;
  const bool closed = close(fd) == 0;
  if (!whole) errno = reason;
  if (!whole || !closed) fail("write", name);
}

void Folder::rename(const std::string &from, const std::string &to) const {
  if (renameat(fd_, from.c_str(), fd_, to.c_str())) fail("rename " + shown(from) + " to", to);
}

void Folder::remove(const std::string &name) const { remove_in(fd_, name.c_str(), 0); }

void Folder::clear() const { clear_in(fd_, 0); }

void Folder::sync() const { fsync(fd_); }

}  // namespace glcl::analyze
