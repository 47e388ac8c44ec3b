// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tuning.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "error.h"
#include "source.h"

namespace glcl {

namespace {

using nlohmann::json;

constexpr int file_version = 1;
/// The limits of a file: the entries of a device take some 30 kB and nest four levels deep.
constexpr size_t most_bytes = 4 << 20;
constexpr int most_nested = 8;

struct StringDeleter {
  void operator()(gpointer memory) const { g_free(memory); }
};
using OwnedString = std::unique_ptr<gchar, StringDeleter>;

std::string checksum(const Tunable &tunable) {
  std::string text;
  for (const std::string &source : tunable.sources) text += kernel_source(source);
  return OwnedString(g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.c_str(), -1)).get();
}

/// The unique key of an entry.
json key(const Tunable &tunable, const Device &device, const std::string &problem) {
  return {{"kernel", tunable.name},
          {"problem", problem},
          {"device", device.name},
          {"platform", device.platform_name}};
}

bool is_for(const json &entry, const json &key) {
  if (!entry.is_object()) return false;
  for (const auto &[name, value] : key.items())
    if (entry.value(name, json()) != value) return false;
  return true;
}

/// Owns a file descriptor.
class File {
 public:
  File(const std::string &path, int flags) {
    do fd_ = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    while (fd_ < 0 && errno == EINTR);
  }
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File &) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Reads a file, up to one byte more than the limit; nothing if there is no file. Throws
/// Error::failed for unreadable files.
std::string read_file(const std::string &path) {
  const auto fail = [&](const std::string &why, const char *remedy = "Remove it") {
    throw Error(Error::Kind::failed, path + " can't be read: " + why + ". " + remedy +
                                         ", or set XDG_DATA_HOME to another folder.");
  };
  const File file(path, O_RDONLY);
  const int error = file.fd() < 0 ? errno : 0;
  struct stat status;
  // A folder that this user can't access holds no tuning of this user.
  if (error == ENOENT || error == ENOTDIR || (error == EACCES && stat(path.c_str(), &status) != 0))
    return {};
  if (error == EACCES) fail(g_strerror(error), "Let this user read it");
  if (error) fail(g_strerror(error));
  if (fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) fail("it is not a regular file");
  std::string text(std::min(static_cast<size_t>(status.st_size), most_bytes) + 1, '\0');
  size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < text.size();) {
    do got = read(file.fd(), &text[size], text.size() - size);
    while (got < 0 && errno == EINTR);
    if (got < 0) fail(g_strerror(errno));
    size += static_cast<size_t>(got);
  }
  text.resize(size);
  return text;
}

/// Locks a tuning file against other processes and threads during its lifetime.
class Lock {
 public:
  /// Throws Error::failed if the lock file can't be opened or locked.
  explicit Lock(const std::string &path) : file_(path + ".lock", O_RDWR | O_CREAT) {
    int result = file_.fd();
    // Every lock has its own descriptor, so threads of one process wait for each other too.
    while (result >= 0 && (result = flock(file_.fd(), LOCK_EX)) < 0 && errno == EINTR) result = 0;
    if (result < 0)
      throw Error(Error::Kind::failed,
                  "Can't save the tuning in " + path + ": " + g_strerror(errno) +
                      ". Set XDG_DATA_HOME to a folder that this user can write.",
                  path + ".lock");
  }

 private:
  File file_;
};

/// The entries of a tuning file; nothing if the text is no tuning file.
std::optional<std::vector<json>> parse(const std::string &text) {
  if (text.size() > most_bytes) return {};
  // Refuse deeply nested values while parsing, because copying and comparing them recurses.
  bool fits = true;
  const auto keep = [&fits](int depth, json::parse_event_t, const json &) {
    fits = fits && depth <= most_nested;
    return fits;
  };
  const json file = json::parse(text, keep, false);
  if (!fits || !file.is_object() || file.value("version", json()) != file_version) return {};
  const json entries = file.value("entries", json());
  if (!entries.is_array()) return {};
  return std::vector<json>(entries.begin(), entries.end());
}

/// Compares without a lossy conversion.
bool is_integer(const json &value, int wanted) {
  if (value.is_number_unsigned())
    return wanted >= 0 && value.get<uint64_t>() == static_cast<uint64_t>(wanted);
  return value.is_number_integer() && value.get<int64_t>() == wanted;
}

/// Reason why an entry can't be used for this device and problem. If it can be used, returns
/// nothing and stores its content in `point`.
std::string objection(const json &entry, const Tunable &tunable, const Device &device,
                      const std::string &problem, Parameters &point) {
  if (entry.value("driver", json()) != device.driver) return "it was measured with another driver";
  if (entry.value("sources", json()) != checksum(tunable)) return "its kernels have changed";
  const json parameters = entry.value("parameters", json());
  if (!parameters.is_object() || parameters.size() != tunable.values.size())
    return "its parameters do not match the kernel";
  for (const auto &[name, values] : tunable.values) {
    const json given = parameters.value(name, json());
    const auto known = std::find_if(values.begin(), values.end(),
                                    [&](int value) { return is_integer(given, value); });
    if (known == values.end()) return "its value of " + name + " is unknown to the kernel";
    point[name] = *known;
  }
  return tunable.possible(device, problem, point) ? "" : "the device can't run it";
}

double number(const json &entry, const char *name) {
  const json value = entry.value(name, json());
  return value.is_number() ? value.get<double>() : 0;
}

void warn_once(const std::string &text) {
  static std::mutex mutex;
  static auto *warned = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (warned->insert(text).second) g_warning("%s", text.c_str());
}

}  // namespace

std::string describe(const Parameters &parameters) {
  std::string text;
  for (const auto &[name, value] : parameters)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

std::vector<Parameters> variants(const Tunable &tunable, const Device &device,
                                 const std::string &problem) {
  std::vector<Parameters> points{{}};
  for (const auto &[name, values] : tunable.values) {
    std::vector<Parameters> wider;
    for (const Parameters &point : points)
      for (int value : values) {
        wider.push_back(point);
        wider.back()[name] = value;
      }
    points = std::move(wider);
  }
  points.erase(std::remove_if(points.begin(), points.end(),
                              [&](const Parameters &point) {
                                return !tunable.possible(device, problem, point);
                              }),
               points.end());
  return points;
}

std::optional<Tuning> load_tuning(const Tunable &tunable, const Device &device,
                                  const std::string &problem) {
  const std::string path = tuning_file();
  try {
    const std::string text = read_file(path);
    if (!text.empty()) return parse_tuning(text, path, tunable, device, problem);
  } catch (const Error &error) {
    warn_once(error.what());
  }
  return {};
}

std::optional<Tuning> parse_tuning(const std::string &text, const std::string &path,
                                   const Tunable &tunable, const Device &device,
                                   const std::string &problem) {
  const auto ignored = [&](const std::string &what, const std::string &why) {
    warn_once(what + " is ignored: " + why + ". Run glcl-tune to measure again.");
  };
  const auto entries = parse(text);
  if (!entries) ignored(path, "it is not a tuning file of this version");
  const json wanted = key(tunable, device, problem);
  for (const json &entry : entries.value_or(std::vector<json>{})) {
    if (!is_for(entry, wanted)) continue;
    Parameters parameters;
    const std::string why = objection(entry, tunable, device, problem, parameters);
    if (why.empty())
      return Tuning{parameters, number(entry, "microseconds"),
                    number(entry, "default-microseconds")};
    ignored("The tuning of " + tunable.name + ", " + problem + " on " + device.name + " in " + path,
            why);
    break;  // each key has one entry
  }
  return {};
}

Parameters tuned_parameters(const Tunable &tunable, const Device &device,
                            const std::string &problem) {
  const auto tuning = load_tuning(tunable, device, problem);
  return tuning ? tuning->parameters : tunable.defaults(device, problem);
}

std::string tuning_file() {
  return OwnedString(g_build_filename(g_get_user_data_dir(), "glcl", "tuning.json", nullptr)).get();
}

void save_tuning(const Tunable &tunable, const Device &device, const std::string &problem,
                 const Tuning &tuning) {
  const std::string path = tuning_file();
  const OwnedString folder(g_path_get_dirname(path.c_str()));
  g_mkdir_with_parents(folder.get(), 0755);
  const Lock lock(path);
  std::vector<json> entries = parse(read_file(path)).value_or(std::vector<json>{});
  json entry = key(tunable, device, problem);
  entries.erase(std::remove_if(entries.begin(), entries.end(),
                               [&](const json &other) { return is_for(other, entry); }),
                entries.end());
  entry.update({{"driver", device.driver},
                {"sources", checksum(tunable)},
                {"parameters", tuning.parameters},
                {"microseconds", tuning.microseconds},
                {"default-microseconds", tuning.default_microseconds}});
  entries.push_back(entry);

  const std::string text = json{{"version", file_version}, {"entries", entries}}.dump(2) + "\n";
  if (text.size() > most_bytes)
    throw Error(Error::Kind::failed,
                path + " is full. Run glcl-tune --reset to empty it, for all devices.");
  GError *error = nullptr;
  if (!g_file_set_contents(path.c_str(), text.data(), static_cast<gssize>(text.size()), &error)) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::failed, "Can't save the tuning in " + path + ".", reason);
  }
}

}  // namespace glcl
