// SPDX-License-Identifier: LGPL-2.1-or-later
#include "source.h"

#include <gio/gio.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "error.h"
extern "C" {
#include "kernels.h"
}

namespace glcl {

namespace {

std::string read(const std::string &path) {
  GError *error = nullptr;
  glcl_kernels_get_resource();  // links the resource, which registers itself
  GBytes *bytes = g_resources_lookup_data(("/org/gst-glcl/kernels/" + path).c_str(),
                                          G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  if (!bytes) {
    const std::string reason = error->message;
    g_error_free(error);
    throw Error(Error::Kind::failed, "The kernel file " + path + " is missing from this build.",
                reason);
  }
  gsize size;
  const auto *text = static_cast<const char *>(g_bytes_get_data(bytes, &size));
  std::string source(text, size);
  g_bytes_unref(bytes);
  return source;
}

/// `chain`: the files that include this one, outermost first.
std::string expanded(const std::string &path, std::vector<std::string> chain) {
  const bool again = std::find(chain.begin(), chain.end(), path) != chain.end();
  chain.push_back(path);
  if (again) {
    std::string text;
    for (const std::string &file : chain) text += (text.empty() ? "" : " -> ") + file;
    throw Error(Error::Kind::failed, "The kernel file " + path + " includes itself: " + text + ".");
  }
  std::istringstream lines(read(path));
  std::string text = "#line 1 \"" + path + "\"\n";
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    number++;
    if (line.rfind("#include \"", 0) == 0) {
      const std::string name = line.substr(10, line.rfind('"') - 10);
      text += expanded(name, chain) + "#line " + std::to_string(number + 1) + " \"" + path + "\"\n";
    } else {
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace

std::string kernel_source(const std::string &path) { return expanded(path, {}); }

}  // namespace glcl
