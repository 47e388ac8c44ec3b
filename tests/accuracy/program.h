// SPDX-License-Identifier: LGPL-2.1-or-later
// How programs of this folder begin and end.
#pragma once

#include <gst/gst.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "film.h"

namespace accuracy {

/// main(): initialises GStreamer and returns what `run` returns, or prints what it throws.
template <class Run>
int main(int argc, char **argv, const Run &run) {
  gst_init(&argc, &argv);
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

/// True in the usual suite of tests, for which GLCL_TEST_FEW is set: programs then leave out rows
/// that resemble others. The nightly suite prints all rows.
inline bool few_rows() { return std::getenv("GLCL_TEST_FEW"); }

/// The exit status of a program with this many `rows` beyond their bounds.
inline int report(int beyond, const char *rows = "rows") {
  if (beyond) std::printf("%d %s are beyond their bounds (!)\n", beyond, rows);
  return film::exit_status(!beyond);
}

}  // namespace accuracy
