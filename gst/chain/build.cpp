// SPDX-License-Identifier: LGPL-2.1-or-later
#include "build.h"

#include <glib.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "opencl/compilertask.h"
#include "opencl/error.h"
#include "opencl/program.h"

namespace glcl::chain {

namespace {

/// Removes ":NUMBER" from the end of a text and returns NUMBER; empty if there is no such end.
std::string take_number(std::string &text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return {};
  std::string number = text.substr(colon + 1);
  if (!std::all_of(number.begin(), number.end(), [](char c) { return g_ascii_isdigit(c); }))
    return {};
  text.resize(colon);
  return number;
}

/// The source "FILE:LINE" of a line, by the directives `#line NUMBER "FILE"` in the text.
std::string place_by_directives(const std::string &text, int line) {
  std::istringstream lines(text);
  std::string file;
  int number = 0;
  for (std::string one; line > 0 && std::getline(lines, one); line--) {
    number++;
    if (one.rfind("#line ", 0) != 0) continue;
    const size_t quote = one.find('"');
    number = std::atoi(one.c_str() + 6) - 1;
    if (quote == std::string::npos) continue;
    const std::string quoted = one.substr(quote + 1, one.rfind('"') - quote - 1);
    g_autofree gchar *plain = g_strcompress(quoted.c_str());
    file = plain;
  }
  return file + ":" + std::to_string(number);
}

/// Restores the user's names: the kernel calls `helper` "glcl_0_helper".
std::string with_own_names(std::string text) {
  static const std::string prefix = "glcl_";
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    const size_t number = at + prefix.size(), end = text.find_first_not_of("0123456789", number);
    if (end != std::string::npos && end > number && text[end] == '_')
      text.erase(at, end + 1 - at);
    else
      at = number;
  }
  return text;
}

/// The first line with `word`: "FILE:LINE:COLUMN: word: TEXT" or, from PoCL, "word:
/// FILE:LINE:COLUMN: TEXT". " <Spelling=…>" may follow FILE:LINE:COLUMN and names the macro
/// that contains the text. Empty if no line contains `word`.
std::string first_with(const std::string &word, const std::string &log, const std::string &source) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t found = line.find(word);
    if (found == std::string::npos) continue;
    const size_t colon = line.find(": ", found);
    if (colon == std::string::npos) continue;
    std::string location = line.substr(0, found), text = line.substr(colon + 2);
    if (location.empty()) {
      const size_t end = text.find(": ");
      if (end == std::string::npos) return text;
      location = text.substr(0, end);
      text = text.substr(end + 2);
    } else if (location.size() > 2) {
      location.resize(location.size() - 2);
    }
    location.resize(std::min(location.size(), location.find(" <Spelling=")));
    const std::string last = take_number(location),
                      before = last.empty() ? "" : take_number(location);
    const std::string number = before.empty() ? last : before;  // LINE or LINE:COLUMN
    // The compilers of NVIDIA and of Mesa's rusticl ignore #line.
    if (!number.empty() && (location == "<kernel>" || location == "input.cl"))
      return place_by_directives(source, std::atoi(number.c_str())) + ": " + text;
    return number.empty() ? text : location + ":" + number + ": " + text;
  }
  return {};
}

/// The error of Mesa's rusticl for a function that is nowhere; else empty. A built-in function may
/// be missing in the driver.
std::string missing_function(const std::string &log) {
  static const std::string unresolved = "Unresolved external reference to \"";
  if (const size_t found = log.find(unresolved); found != std::string::npos) {
    const size_t name = found + unresolved.size();
    return "undefined function '" + log.substr(name, log.find('"', name) - name) + "'";
  }
  if (log.find("nir_shader not fully linked") == std::string::npos) return {};
  return "this driver, Mesa's rusticl, lacks a function that the chain calls. On llvmpipe sin, "
         "cos, tan, sincos and fma may be missing; use sinpi, cospi and mad";
}

/// The first error, also for NVIDIA: its compiler only warns of missing functions, and then its
/// assembler fails.
std::string first_error_as_built(const std::string &log, const std::string &source) {
  if (std::string text = missing_function(log); !text.empty()) return text;
  for (const char *word : {"error: ", "warning: implicit declaration", "ptxas fatal"})
    if (std::string text = first_with(word, log, source); !text.empty()) return text;
  return {};
}

}  // namespace

std::string first_error(const std::string &log, const std::string &source) {
  return with_own_names(first_error_as_built(log, source));
}

namespace {

cl::Program compile_here(const cl::Context &context, const Device &of, const std::string &text,
                         const std::string &options) {
  const cl::Device &device = of.device;
  cl::Program program(context, text);
  const cl_int status = clBuildProgram(program(), 1, &device(), options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return program;
  std::string log;
  try {
    log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
  } catch (const cl::Error &error) {
    log = "no build log: " + error_name(error.err());
  }
  const std::string error = first_error(log, text);
  throw Error(Error::Kind::settings,
              error.empty() ? "The chain does not compile on " + of.name +
                                  "; the debug text has the build log."
                            : error,
              error_name(status) + ":\n" + with_own_names(log));
}

}  // namespace

cl::Program compile(Context &context, const std::string &text, const std::string &options) {
  const auto build = [keep = context.keep(), context = context.cl(), device = context.device(),
                      text, options] { return compile_here(context, device, text, options); };
  return CompilerTask("the chain", context.cl(), context.device(), build).get();
}

}  // namespace glcl::chain
