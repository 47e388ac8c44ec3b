// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "opencl/error.h"

namespace glcl::opticalflow {

namespace {

struct Pattern {
  std::string before, after;  // text around the number
  size_t width = 0;
  char padding = ' ';
};

std::optional<Pattern> parse(const std::string &text) {
  Pattern pattern;
  bool found = false;
  for (size_t i = 0; i < text.size(); i++) {
    std::string &part = found ? pattern.after : pattern.before;
    if (text[i] == '\0') return {};
    if (text[i] != '%' || text.compare(i, 2, "%%") == 0) {
      part += text[i];
      i += text[i] == '%';
      continue;
    }
    if (std::exchange(found, true)) return {};
    if (text.compare(++i, 1, "0") == 0) pattern.padding = '0', i++;
    if (i < text.size() && text[i] >= '1' && text[i] <= '9') pattern.width = text[i++] - '0';
    if (i == text.size() || !std::strchr("diu", text[i]) || text[i] == '\0') return {};
  }
  if (!found) return {};
  return pattern;
}

Pattern parsed(const std::string &text) {
  if (auto pattern = parse(text)) return *std::move(pattern);
  throw Error(Error::Kind::settings,
              "dump-location=" + text +
                  " does not name one file per frame. It needs exactly one number conversion, as "
                  "in flow-%05d.flo (%d, %i or %u, width up to 9); write %% for a percent sign.");
}

/// The folder with its final slash; empty for the current one.
std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

[[noreturn]] void fail(const std::string &path, const std::string &reason) {
  throw Error(Error::Kind::failed,
              "dump-location: can't write the vectors to " + path + ": " + reason + ".");
}

[[noreturn]] void fail(const std::string &path, int error) {
  fail(path, std::generic_category().message(error));
}

/// A new file with a temporary name. finish() renames it to `path`; otherwise the destructor
/// deletes it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string &path) : path_(path) {
    static std::atomic<unsigned> count{0};
    do {
      name_ = folder_of(path) + ".glcl-" + std::to_string(getpid()) + "-" + std::to_string(count++);
      file_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (file_ < 0 && errno == EEXIST);
    if (file_ < 0) fail(path_, errno);
  }
  ~TemporaryFile() {
    if (file_ >= 0) close(file_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;

  void write(const void *data, size_t bytes) {
    const auto *next = static_cast<const char *>(data);
    while (bytes) {
      const ssize_t written = ::write(file_, next, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, errno);
      next += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void finish() {
    if (close(std::exchange(file_, -1)) != 0) fail(path_, errno);
    if (rename(name_.c_str(), path_.c_str()) != 0) fail(path_, errno);
    name_.clear();
  }

 private:
  const std::string path_;
  std::string name_;
  int file_ = -1;
};

}  // namespace

bool is_dump_pattern(const std::string &text) { return parse(text).has_value(); }

std::string dump_path(const std::string &pattern, uint64_t number) {
  const Pattern parts = parsed(pattern);
  const std::string digits = std::to_string(number);
  const size_t missing = parts.width > digits.size() ? parts.width - digits.size() : 0;
  return parts.before + std::string(missing, parts.padding) + digits + parts.after;
}

void check_dump_pattern(const std::string &pattern) {
  const std::string path = dump_path(pattern, 0), folder = folder_of(path);
  if (folder != folder_of(dump_path(pattern, 1))) return;  // the folder depends on the number
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    throw Error(Error::Kind::settings,
                "dump-location=" + pattern + ": " + path + " can't be written: " +
                    std::generic_category().message(errno) + "; use an existing, writable folder.");
}

void write_flo(const std::string &path, int width, int height, const void *vectors) {
  struct stat known;
  if (lstat(path.c_str(), &known) == 0 && !S_ISREG(known.st_mode))
    fail(path, S_ISLNK(known.st_mode) ? "it is a symbolic link" : "it is not a regular file");
  const auto little_endian = [](int value, unsigned char *bytes) {
    for (int i = 0; i < 4; i++) bytes[i] = static_cast<unsigned char>(unsigned(value) >> 8 * i);
  };
  unsigned char head[12] = {'P', 'I', 'E', 'H'};
  little_endian(width, head + 4);
  little_endian(height, head + 8);
  TemporaryFile file(path);
  file.write(head, sizeof head);
  file.write(vectors, size_t(width) * height * 2 * sizeof(float));
  file.finish();
}

}  // namespace glcl::opticalflow
