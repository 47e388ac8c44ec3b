// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

struct Options {
  double minutes = 1;
  int seed = 0;  // of the first run; 0: of the clock
  int runs = 1 << 30;
  int hang = 120;          // s
  int every = 30;          // s
  double limit = 96;       // MiB of resident memory
  double heap_limit = 32;  // MiB of what is allocated
  std::string elements =
      "glclinvert,glclbilateral,glclchain,glclhistogram,glclhough,glclklt,glclmotion,glopenclflow";
  std::string picture;         // a file with one
  bool faults = false;         // OpenCL calls fail, in some of the runs
  std::string again = "fuzz";  // the command that started this, before its options
  bool any_error = false;      // calls are made to fail
  bool one_display = false;
  bool verbose = false;
};

extern Options options;

/// Something went wrong; the run goes to its end, and no other follows.
extern std::atomic<bool> failed;
/// What the runs did; strangers: faults of GStreamer's own.
extern std::atomic<uint64_t> all_frames, all_maps, all_settings, all_signals, all_children,
    all_swaps, all_syncs, all_errors, all_strangers;

/// Says what is wrong, with the run it happened in, and makes the program fail.
void complain(const std::string &what);
