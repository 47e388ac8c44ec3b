// SPDX-License-Identifier: LGPL-2.1-or-later
// glcl-info: shows OpenGL and OpenCL on this machine and how they can work together.
#include <fcntl.h>
#include <gst/gst.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>

#include "command.h"
#include "info/report.h"

namespace {

constexpr char usage[] =
    "Usage: glcl-info [--json]\n"
    "Lists the OpenGL contexts that GStreamer can create, the OpenCL devices, and for each pair "
    "of\n"
    "them which methods of sharing textures (gl, external, egl, copy) work, or why not.\n"
    "\n"
    "  --json     print the same as JSON\n"
    "  --help     print this text\n"
    "  --version  print the version\n"
    "\n"
    "The exit status is 0 if the elements can run (a usable device and an OpenGL context exist), 1 "
    "if\n"
    "not, 2 for a wrong option. With GST_DEBUG set, for example to 2, the messages of GStreamer "
    "and\n"
    "the drivers appear on standard error.\n";

/// Keeps the output of libraries and drivers out of the report, which reports expected failures
/// itself. With GST_DEBUG set all of it goes to standard error.
class OutputRedirection {
 public:
  OutputRedirection() : out_(dup(STDOUT_FILENO)), err_(dup(STDERR_FILENO)) {
    if (!g_getenv("GST_DEBUG")) {
      const int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(null_device, STDERR_FILENO);
      close(null_device);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputRedirection() {
    std::fflush(stdout);
    dup2(out_, STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    close(out_);
    close(err_);
  }
  OutputRedirection(const OutputRedirection &) = delete;
  OutputRedirection &operator=(const OutputRedirection &) = delete;

 private:
  const int out_, err_;
};

int show(bool json) {
  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);  // no plugin is needed
  glcl::info::Report report;
  {
    const OutputRedirection redirection;
    gst_init(nullptr, nullptr);
    report = glcl::info::gather();
  }
  json ? glcl::info::print_json(report) : glcl::info::print_text(report);
  return report.usable() ? 0 : 1;
}

int run(int argc, char **argv) {
  if (glcl::prints_version("glcl-info", argc, argv)) return 0;
  bool json = false;
  for (int i = 1; i < argc; i++) {
    if (!std::strcmp(argv[i], "--help")) {
      std::cout << usage;
      return 0;
    }
    if (std::strcmp(argv[i], "--json") != 0) {
      std::cerr << "glcl-info: unknown option " << argv[i]
                << "; the options are --json, --help and --version\n";
      return 2;
    }
    json = true;
  }
  try {
    return show(json);
  } catch (const std::exception &error) {
    std::cerr << "glcl-info: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char **argv) { return glcl::exit_status("glcl-info", run(argc, argv)); }
