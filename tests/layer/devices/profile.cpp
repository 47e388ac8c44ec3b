// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace glcl_layer {

namespace {

using Json = nlohmann::json;

[[noreturn]] void give_up(const char *path, const std::string &text) {
  std::fprintf(stderr, "%s: %s\n", path, text.c_str());
  std::abort();
}

template <class T>
std::function<void(const Json &)> into(T &value) {
  return [&value](const Json &json) { value = json.get<T>(); };
}

/// The readers of the keys of a file.
std::map<std::string, std::function<void(const Json &)>> readers(Profile &profile) {
  return {
      {"source", [](const Json &) {}},
      {"type",
       [&](const Json &json) {
         profile.type = json == "GPU" ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
       }},
      {"name", into(profile.name)},
      {"vendor", into(profile.vendor)},
      {"platform", into(profile.platform)},
      {"version", into(profile.version)},
      {"c-version", into(profile.c_version)},
      {"group-items", into(profile.group_items)},
      {"group-sides", into(profile.sides)},
      {"kernel-items", into(profile.kernel_items)},
      {"local-bytes", into(profile.local_bytes)},
      {"driver-local-bytes", into(profile.driver_local_bytes)},
      {"compute-units", into(profile.compute_units)},
      {"allocation-bytes", into(profile.allocation_bytes)},
      {"argument-bytes", into(profile.argument_bytes)},
      {"image-size",
       [&](const Json &json) {
         profile.image_width = json.at(0), profile.image_height = json.at(1);
       }},
      {"image-array", into(profile.image_array)},
      {"base-alignment", into(profile.base_alignment)},
      {"correctly-rounded", into(profile.correctly_rounded)},
      {"doubles", into(profile.doubles)},
      {"halfs", into(profile.halfs)},
      {"missing-functions", into(profile.missing_functions)},
      {"extensions",
       [&](const Json &json) { profile.extensions = json.get<std::vector<std::string>>(); }},
      {"missing-formats", into(profile.missing_formats)},
  };
}

/// A source without comments.
std::string without_comments(const std::string &source) {
  return std::regex_replace(source, std::regex("//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/"), " ");
}

bool has_word(const std::string &text, const std::string &pattern) {
  return std::regex_search(text, std::regex("\\b(" + pattern + ")\\b"));
}

}  // namespace

int Profile::number() const {
  int major = 0, minor = 0;
  return std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2
             ? 100 * major + 10 * minor
             : 0;
}

Profile read_profile(const char *path) {
  std::ifstream file(path);
  const Json json = Json::parse(file, nullptr, false);
  if (!json.is_object()) give_up(path, "is no JSON object");
  Profile profile;
  const auto known = readers(profile);
  for (const auto &[key, value] : json.items()) {
    const auto reader = known.find(key);
    if (reader == known.end()) give_up(path, "unknown key " + key);
    try {
      reader->second(value);
    } catch (const Json::exception &error) {
      give_up(path, key + ": " + error.what());
    }
  }
  return profile;
}

bool lacks_function(const Profile &profile, const std::string &name) {
  const auto &missing = profile.missing_functions;
  return std::find(missing.begin(), missing.end(), name) != missing.end();
}

std::string before_source(const Profile &profile) {
  std::string text;
  for (const std::string &name : profile.missing_functions)
    text += "#define " + name + " this_device_has_no_" + name + "\n";
  return text.empty() ? text : text + "#line 1\n";
}

FormatName format_name(const cl_image_format &format) {
  static const std::map<cl_channel_order, const char *> orders = {{CL_R, "R"},
                                                                  {CL_A, "A"},
                                                                  {CL_RG, "RG"},
                                                                  {CL_RA, "RA"},
                                                                  {CL_RGB, "RGB"},
                                                                  {CL_RGBA, "RGBA"},
                                                                  {CL_BGRA, "BGRA"},
                                                                  {CL_ARGB, "ARGB"},
                                                                  {CL_sRGB, "sRGB"},
                                                                  {CL_INTENSITY, "INTENSITY"},
                                                                  {CL_LUMINANCE, "LUMINANCE"}};
  static const std::map<cl_channel_type, const char *> types = {
      {CL_SNORM_INT8, "SNORM_INT8"},         {CL_SNORM_INT16, "SNORM_INT16"},
      {CL_UNORM_INT8, "UNORM_INT8"},         {CL_UNORM_INT16, "UNORM_INT16"},
      {CL_SIGNED_INT8, "SIGNED_INT8"},       {CL_SIGNED_INT16, "SIGNED_INT16"},
      {CL_SIGNED_INT32, "SIGNED_INT32"},     {CL_UNSIGNED_INT8, "UNSIGNED_INT8"},
      {CL_UNSIGNED_INT16, "UNSIGNED_INT16"}, {CL_UNSIGNED_INT32, "UNSIGNED_INT32"},
      {CL_HALF_FLOAT, "HALF_FLOAT"},         {CL_FLOAT, "FLOAT"}};
  const auto order = orders.find(format.image_channel_order);
  const auto type = types.find(format.image_channel_data_type);
  if (order == orders.end() || type == types.end()) return {};
  return std::string(order->second) + " " + type->second;
}

std::string refused_source(const Profile &profile, const std::string &source) {
  const std::string text = without_comments(source);
  if (!profile.doubles && has_word(text, "double[0-9]*")) return "double";
  if (!profile.halfs && has_word(text, "half(2|3|4|8|16)? +[a-z]\\w*")) return "half";
  static const std::regex pragma("#pragma +OPENCL +EXTENSION +(\\w+) *: *(enable|require)");
  const auto &known = profile.extensions;
  for (std::sregex_iterator match(text.begin(), text.end(), pragma), end; match != end; ++match)
    if (known && std::find(known->begin(), known->end(), (*match)[1]) == known->end())
      return (*match)[1];
  return {};
}

std::string refused_options(const Profile &profile, const std::string &options) {
  static const std::vector<std::string> standard = {"-cl-single-precision-constant",
                                                    "-cl-denorms-are-zero",
                                                    "-cl-opt-disable",
                                                    "-cl-mad-enable",
                                                    "-cl-no-signed-zeros",
                                                    "-cl-unsafe-math-optimizations",
                                                    "-cl-finite-math-only",
                                                    "-cl-fast-relaxed-math",
                                                    "-cl-kernel-arg-info",
                                                    "-w",
                                                    "-Werror"};
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (word == "-cl-fp32-correctly-rounded-divide-sqrt") {
      if (!profile.correctly_rounded) return word;
    } else if (word.rfind("-cl-std=CL", 0) == 0) {
      const int wanted = static_cast<int>(100 * std::strtod(word.c_str() + 10, nullptr) + 0.5);
      if (profile.number() && wanted > profile.number()) return word;
    } else if (word.rfind("-D", 0) != 0 && word.rfind("-I", 0) != 0 &&
               std::find(standard.begin(), standard.end(), word) == standard.end()) {
      return word;
    }
  }
  return {};
}

}  // namespace glcl_layer
