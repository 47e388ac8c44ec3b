// SPDX-License-Identifier: LGPL-2.1-or-later
#include "trackwriter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "opencl/error.h"

namespace glcl::klt {

namespace {

bool ends_in(const std::string &text, const std::string &end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void refuse(const std::string &path, const std::string &why,
                         const std::string &remedy) {
  throw Error(Error::Kind::settings,
              "dump-location=" + path + " can't be written: " + why + "; " + remedy + ".");
}

std::string text_of(float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 3);
  return std::string(text, end.ptr);
}

}  // namespace

TrackWriter::TrackWriter(const std::string &path) : path_(path), json_(ends_in(path, ".json")) {
  if (!json_ && !ends_in(path, ".csv"))
    refuse(path, "its format is unknown", "use a name that ends in .csv or .json");
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(path, reason(errno), "use a file in an existing, writable folder");
  struct stat status;
  if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode) || ftruncate(file_, 0) != 0) {
    close(file_);
    refuse(path, "it is not a regular file", "use another name");
  }
  try {
    append(json_ ? "[" : "frame,timestamp,id,x,y,vx,vy,age,residue\n");
  } catch (...) {
    close(file_);
    throw;
  }
}

TrackWriter::~TrackWriter() { close(file_); }

/// Writes after the last frame. Returns false on failure, with the reason in errno.
bool TrackWriter::write_at_end(const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written =
        pwrite(file_, text.data() + done, text.size() - done, end_ + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

void TrackWriter::append(const std::string &text) {
  // The end of the array follows every frame; the next frame overwrites it.
  const std::string end = json_ ? "\n]\n" : "";
  if (write_at_end(text + end)) {
    end_ += static_cast<off_t>(text.size());
    return;
  }
  const int error = errno;
  failed_ = true;
  // Keep the complete frames; remove the rest.
  if (ftruncate(file_, end_) == 0) write_at_end(end);
  throw Error(Error::Kind::failed,
              "dump-location: can't write the tracks to " + path_ + ": " + reason(error) + ".");
}

void TrackWriter::write(uint64_t frame, std::optional<uint64_t> timestamp,
                        const Points::PointRecord *points, size_t count) {
  if (failed_) return;
  const std::string time = timestamp ? std::to_string(*timestamp) : json_ ? "null" : "";
  std::string text;
  if (json_)
    text = std::string(first_ ? "\n" : ",\n") + "{\"frame\": " + std::to_string(frame) +
           ", \"timestamp\": " + time + ", \"points\": [";
  for (size_t i = 0; i < count; i++) {
    const Points::PointRecord &p = points[i];
    const std::string values[] = {std::to_string(p.id), text_of(p.x),  text_of(p.y),
                                  text_of(p.vx),        text_of(p.vy), std::to_string(p.age),
                                  text_of(p.residue)};
    constexpr const char *names[] = {"id", "x", "y", "vx", "vy", "age", "residue"};
    if (json_) {
      text += i ? ", {" : "{";
      for (int k = 0; k < 7; k++)
        text += std::string(k ? ", \"" : "\"") + names[k] + "\": " + values[k];
      text += "}";
    } else {
      text += std::to_string(frame) + "," + time;
      for (const std::string &value : values) text += "," + value;
      text += "\n";
    }
  }
  if (json_) text += "]}";
  first_ = false;
  append(text);
}

}  // namespace glcl::klt
