// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tuning.h"

#include <gio/gio.h>

#include <algorithm>
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

struct Free {
  void operator()(gpointer memory) const { g_free(memory); }
};
using Text = std::unique_ptr<gchar, Free>;

std::string checksum(const Tunable &tunable) {
  std::string text;
  for (const std::string &source : tunable.sources) text += kernel_source(source);
  return Text(g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.c_str(), -1)).get();
}

/// What an entry is for; entries are unique in it.
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

/// The file's text, empty where there is none.
std::string read_file(const std::string &path) {
  gchar *text = nullptr;
  gsize size = 0;
  if (!g_file_get_contents(path.c_str(), &text, &size, nullptr)) return {};
  const Text owner(text);
  return {text, size};
}

/// The entries of a tuning file; none where it is not one.
std::optional<std::vector<json>> parse(const std::string &text) {
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object() || file.value("version", json()) != file_version) return {};
  const json entries = file.value("entries", json());
  if (!entries.is_array()) return {};
  return std::vector<json>(entries.begin(), entries.end());
}

/// Why an entry for this device and problem can't be used; empty where it can.
std::string objection(const json &entry, const Tunable &tunable, const Device &device,
                      const std::string &problem) {
  if (entry.value("driver", json()) != device.driver) return "it was made for another driver";
  if (entry.value("sources", json()) != checksum(tunable)) return "its kernels have changed";
  const json parameters = entry.value("parameters", json());
  if (!parameters.is_object() || parameters.size() != tunable.values.size())
    return "its parameters are not those of the kernel";
  Parameters point;
  for (const auto &[name, values] : tunable.values) {
    const json value = parameters.value(name, json());
    if (!value.is_number_integer() ||
        std::find(values.begin(), values.end(), value) == values.end())
      return "it has no value of " + name + " that the kernel knows";
    point[name] = value.get<int>();
  }
  return tunable.possible(device, problem, point) ? "" : "the device can't run it";
}

double number(const json &entry, const char *name) {
  const json value = entry.value(name, json());
  return value.is_number() ? value.get<double>() : 0;
}

void warn_once(const std::string &text) {
  static std::mutex mutex;
  static auto *told = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (told->insert(text).second) g_warning("%s", text.c_str());
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

std::optional<Tuning> kept(const Tunable &tunable, const Device &device,
                           const std::string &problem) {
  const std::string path = tuning_file(), text = read_file(path);
  if (text.empty()) return {};
  const auto ignored = [&](const std::string &what, const std::string &why) {
    warn_once(what + " is ignored: " + why + ". glcl-tune makes it anew.");
  };
  const auto entries = parse(text);
  if (!entries) ignored(path, "it is no tuning file of this version");
  const json wanted = key(tunable, device, problem);
  for (const json &entry : entries.value_or(std::vector<json>{})) {
    if (!is_for(entry, wanted)) continue;
    const std::string why = objection(entry, tunable, device, problem);
    if (why.empty())
      return Tuning{entry["parameters"].get<Parameters>(), number(entry, "microseconds"),
                    number(entry, "default-microseconds")};
    ignored("The tuning of " + tunable.name + ", " + problem + " on " + device.name + " in " + path,
            why);
  }
  return {};
}

Parameters tuned(const Tunable &tunable, const Device &device, const std::string &problem) {
  const auto tuning = kept(tunable, device, problem);
  return tuning ? tuning->parameters : tunable.defaults(device, problem);
}

std::string tuning_file() {
  return Text(g_build_filename(g_get_user_data_dir(), "glcl", "tuning.json", nullptr)).get();
}

void keep(const Tunable &tunable, const Device &device, const std::string &problem,
          const Tuning &tuning) {
  const std::string path = tuning_file();
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
  const Text folder(g_path_get_dirname(path.c_str()));
  GError *error = nullptr;
  g_mkdir_with_parents(folder.get(), 0755);
  if (!g_file_set_contents(path.c_str(), text.data(), static_cast<gssize>(text.size()), &error)) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::failed, "The tuning can't be kept in " + path + ".", reason);
  }
}

}  // namespace glcl
