// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

/// As of a soak; a fuzz has other limits.
struct Options {
  double minutes = 1;
  int seed = 0;  // of the first round; 0: of the clock
  int runs = 1 << 30;
  int max_pipelines = 3;         // pipelines
  int hang = 60;                 // s
  double play = 0;               // s for which each pipeline of a soak plays undisturbed at its end
  int print_interval = 60;       // s
  double limit = 48;             // MiB; the resident memory of two equal runs differs by half of it
  double heap_limit = 16;        // MiB of what is allocated, beside what pipelines may leave
  double limit_per_minute = .5;  // MiB
  double limit_per_frame = 50;   // bytes of the heap
  /// kB of the heap. Drivers keep something of each context and program: with all eight elements,
  /// which build some 100 programs, PoCL's compiler keeps 2.5; rusticl keeps 3 with one element,
  /// and random.sh allows it more. NVIDIA's keeps 870 bytes of each program
  /// (research/drivers/enqueueheap.cpp), 20 to 55 kB of a pipeline: --limit-a-pipeline 64.
  double limit_per_pipeline = 8;
  /// Bytes that a soak itself forgets at each frame and with each pipeline, to be noticed.
  int leak = 0, leak_per_pipeline = 0;
  int faults = 0;  // percent of the rounds in which a call of OpenCL fails
  std::string elements =
      "glclinvert,glclbilateral,glclchain,glclhistogram,glclhough,glclklt,glclmotion,glclscope,"
      "glopenclflow";
  std::string picture;             // a file with one
  std::string command = "random";  // the command that started this, before its options
  bool fuzz = false;
  bool any_error = false;  // calls are made to fail
  bool one_display = false;
  bool verbose = false;
};

extern Options options;

/// Something went wrong; the round goes to its end, and no other follows.
extern std::atomic<bool> failed;
/// Counts over all rounds. GStreamer faults are those without a gst-glcl element.
extern std::atomic<uint64_t> all_frames, all_pipelines, all_maps, all_settings, all_signals,
    all_children, all_swaps, all_syncs, all_errors, all_gstreamer_faults;

/// Says what is wrong, with the round it happened in, and makes the program fail.
void report_failure(const std::string &what);
