// SPDX-License-Identifier: LGPL-2.1-or-later
#include "output.h"

#include <filesystem>
#include <utility>

#include "analysis.h"

namespace glcl::analyze {

namespace {

constexpr size_t longest_name = 255;  // of a file name, bytes

std::string hash(const std::string &text) {
  gchar *sum = g_compute_checksum_for_data(
      G_CHECKSUM_SHA256, reinterpret_cast<const guchar *>(text.data()), text.size());
  std::string first(sum, 12);
  g_free(sum);
  return first;
}

/// The identity in a folder of finished results, or null.
Json summary_in(const Folder &folder, const std::string &place) {
  try {
    const std::optional<Folder> results = folder.find(place);
    return results ? results->json("summary.json") : Json();
  } catch (const Failure &) {
    return {};
  }
}

/// The identity of a task.
Json wanted(const Task &task) {
  Json json = identity_of(task.file);
  json["elements"] = task.elements;
  json["settings"] = task.settings;
  json["from"] = task.from;
  json["to"] = GST_CLOCK_TIME_IS_VALID(task.to) ? Json(task.to) : Json();
  if (!task.rules.empty()) json["rules"] = parsed(task.rules);
  return json;
}

bool matches(const Json &summary, const Json &wanted) {
  for (const auto &[key, value] : wanted.items())
    if (!summary.contains(key) || summary[key] != value) return false;
  return summary.contains("rules") == wanted.contains("rules");
}

}  // namespace

Output::Output(const std::string &folder, Existing existing)
    : folder_(Folder::made(folder)), existing_(existing) {}

std::string Output::place(const std::string &file) const {
  return folder_.path() + "/" + places_.at(file);
}

std::string Output::choose_place(const std::string &file) {
  const auto taken = [&](const std::string &place) {
    for (const auto &[other, its] : places_)
      if (its == place && other != file) return true;
    const Json summary = summary_in(folder_, place);
    return summary.contains("file") && summary["file"] != escaped(file);
  };
  std::string name = std::filesystem::path(file).filename().string();
  if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos)
    throw Failure(shown(file) + " is not a valid file name");
  if (!taken(name)) return name;
  const std::string end = "-" + hash(file);
  return name.substr(0, longest_name - end.size()) + end;
}

std::string Output::hidden(const std::string &file) { return ".glcl-" + hash(file); }

/// Creates the folder to write to, empty and locked.
Folder Output::open_hidden(const std::string &name) const {
  for (;;) {
    Folder folder = folder_.make(name);
    if (!folder.lock()) throw Failure("another run is working on it, in " + shown(folder.path()));
    // The other run may have ended and renamed its folder meanwhile: try again.
    if (!folder_.holds(name, folder)) continue;
    folder.clear();
    return folder;
  }
}

bool Output::begin(Task &task) {
  const std::string place = places_[task.file] = choose_place(task.file);
  const std::string path = folder_.path() + "/" + place;
  if (folder_.has(place)) {
    const Json summary = summary_in(folder_, place);
    if (!summary.contains("file"))
      throw Failure(shown(path) + " exists and contains no results: choose another --out");
    if (existing_ == Existing::keep && matches(summary, wanted(task))) return false;
    if (existing_ == Existing::refuse)
      throw Failure(shown(path) +
                    " exists: --resume keeps complete results, --overwrite replaces them");
  }
  Folder folder = open_hidden(hidden(task.file));
  task.folder = folder.path();
  open_.emplace(task.file, std::move(folder));
  return true;
}

void Output::finish(const Task &task) {
  // Another run may have used the name for another file meanwhile.
  const std::string place = places_[task.file] = choose_place(task.file);
  const std::string name = hidden(task.file), old = name + "-old";
  const Folder &folder = open_.at(task.file);
  folder.sync();
  if (!folder_.holds(name, folder)) throw Failure(shown(task.folder) + " was removed meanwhile");
  folder_.remove(old);
  if (folder_.has(place)) folder_.rename(place, old);
  folder_.rename(name, place);
  folder_.sync();
  folder_.remove(old);
  open_.erase(task.file);
}

void Output::discard(const Task &task) {
  const auto open = open_.find(task.file);
  if (open == open_.end()) return;
  open->second.clear();
  folder_.remove(hidden(task.file));
  open_.erase(open);
}

}  // namespace glcl::analyze
