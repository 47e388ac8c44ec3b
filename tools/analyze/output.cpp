// SPDX-License-Identifier: LGPL-2.1-or-later
#include "output.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "analysis.h"

namespace glcl::analyze {

namespace {

constexpr size_t longest_name = 255;  // of a file, bytes

std::string hash(const std::string &text) {
  gchar *sum = g_compute_checksum_for_data(
      G_CHECKSUM_SHA256, reinterpret_cast<const guchar *>(text.data()), text.size());
  std::string first(sum, 12);
  g_free(sum);
  return first;
}

/// What the folder of finished results says of itself; null where it is none.
Json summary_in(const std::string &folder) {
  try {
    return read_json(folder + "/summary.json");
  } catch (const Failure &) {
    return {};
  }
}

bool is_there(const std::string &path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

/// What a task's results tell of it.
Json wanted(const Task &task) {
  Json json = identity_of(task.file);
  json["elements"] = task.elements;
  json["from"] = task.from;
  json["to"] = GST_CLOCK_TIME_IS_VALID(task.to) ? Json(task.to) : Json();
  return json;
}

bool tells(const Json &summary, const Json &wanted) {
  for (const auto &[key, value] : wanted.items())
    if (!summary.contains(key) || summary[key] != value) return false;
  return true;
}

void sync(const std::string &path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

Output::Output(std::string folder, Existing existing)
    : folder_(std::move(folder)), existing_(existing) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw Failure("cannot make the folder " + shown(folder_) + ": " + error.message());
}

std::string Output::choose_place(const std::string &file) {
  const auto taken = [&](const std::string &place) {
    for (const auto &[other, its] : places_)
      if (its == place && other != file) return true;
    const Json summary = summary_in(place);
    return summary.contains("file") && summary["file"] != escaped(file);
  };
  const std::string name = std::filesystem::path(file).filename().string();
  std::string place = folder_ + "/" + name;
  if (!taken(place)) return place;
  const std::string end = "-" + hash(file);
  return folder_ + "/" + name.substr(0, longest_name - end.size()) + end;
}

std::string Output::hidden(const std::string &file) const {
  return folder_ + "/.glcl-" + hash(file);
}

bool Output::begin(Task &task) {
  const std::string place = places_[task.file] = choose_place(task.file);
  if (is_there(place)) {
    const Json summary = summary_in(place);
    if (!summary.contains("file"))
      throw Failure("there is " + shown(place) + " already, which holds no results");
    if (existing_ == Existing::keep && tells(summary, wanted(task))) return false;
    if (existing_ == Existing::refuse)
      throw Failure("there is " + shown(place) +
                    " already: --resume keeps what is complete, --overwrite replaces it");
  }
  task.folder = hidden(task.file);
  if (mkdir(task.folder.c_str(), 0777) && errno != EEXIST)
    throw Failure("cannot make the folder " + shown(task.folder) + ": " + g_strerror(errno));
  const int lock = open(task.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) {
    if (lock >= 0) close(lock);
    throw Failure("another run is at it, in " + shown(task.folder));
  }
  locks_[task.file] = lock;
  for (const auto &left : std::filesystem::directory_iterator(task.folder))
    std::filesystem::remove_all(left.path());
  return true;
}

void Output::finish(const Task &task) {
  // Another run may have taken the name for a file of its own meanwhile.
  const std::string place = places_[task.file] = choose_place(task.file);
  const std::string old = task.folder + "-old";
  const auto move = [](const std::string &from, const std::string &to) {
    if (std::rename(from.c_str(), to.c_str()))
      throw Failure("cannot rename " + shown(from) + " to " + shown(to) + ": " + g_strerror(errno));
  };
  sync(task.folder);
  std::error_code ignored;
  std::filesystem::remove_all(old, ignored);
  if (is_there(place)) move(place, old);
  move(task.folder, place);
  sync(folder_);
  std::filesystem::remove_all(old, ignored);
  close(locks_.at(task.file));
  locks_.erase(task.file);
}

void Output::drop(const Task &task) {
  const auto lock = locks_.find(task.file);
  if (lock == locks_.end()) return;
  std::error_code ignored;
  std::filesystem::remove_all(task.folder, ignored);
  close(lock->second);
  locks_.erase(lock);
}

}  // namespace glcl::analyze
