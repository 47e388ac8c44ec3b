// SPDX-License-Identifier: LGPL-2.1-or-later
#include "analysis.h"

#include <sys/stat.h>

#include <cerrno>

#include "containercheck.h"
#include "pipeline.h"
#include "run.h"

namespace glcl::analyze {

void analyze(const Task &task, const std::function<void(const Progress &)> &report) {
  identity_of(task.file);  // throws if it is missing
  check_complete(task.file);
  // Time around the range; longer if it contains too few frames or no picture.
  GstClockTime back = 8 * GST_SECOND, on = 4 * GST_SECOND;
  bool with_thumbnails = task.has("shots");
  for (;;) {
    Run run(task, back, on, with_thumbnails);
    try {
      run.play(report);
    } catch (const Failure &) {
      // The converter for small pictures can't handle every change of size.
      if (!with_thumbnails || !run.changed_size()) throw;
      with_thumbnails = false;
      continue;
    }
    const bool before = run.needs_more_before(), after = run.needs_more_after();
    if (!before && !after) {
      run.finish();
      return;
    }
    if (before) back *= 2;
    if (after) on *= 2;
  }
}

Extent extent_of(const std::string &file) {
  identity_of(file);  // throws if it is missing
  const Pipeline pipeline("fakesink", file);
  if (!pipeline.preroll()) throw Failure("there is no picture in it");
  return {pipeline.duration(), pipeline.seekable()};
}

Json identity_of(const std::string &file) {
  struct stat status {};
  if (stat(file.c_str(), &status)) throw Failure(g_strerror(errno));
  if (S_ISDIR(status.st_mode)) throw Failure("it is a folder");
  if (!S_ISREG(status.st_mode)) throw Failure("it is not a regular file");
  return {{"file", escaped(file)},
          {"size", status.st_size},
          {"changed", status.st_mtim.tv_sec * GST_SECOND + status.st_mtim.tv_nsec}};
}

}  // namespace glcl::analyze
