// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

struct Options {
  double minutes = 1;
  int seed = 0;  // 0: of the clock
  int first_round = 0;
  int at_once = 3;
  int hang = 60;               // s
  int every = 60;              // s
  double limit = 48;           // MiB; the resident memory of two equal runs differs by half of it
  double heap_limit = 16;      // MiB of what is allocated, which says more
  double limit_a_minute = .5;  // MiB
  double limit_a_frame = 50;   // bytes of the heap
  int leak = 0;                // bytes that the soak itself forgets at each frame, to be noticed
  int faults = 0;              // percent of the rounds in which a call of OpenCL fails
  std::string picture;         // a file with one
  std::string elements =
      "glclinvert,glclbilateral,glclchain,glclhistogram,glclhough,glclklt,glclmotion,glopenclflow";
  bool verbose = false;
  bool one_display = false;
};

extern Options options;
