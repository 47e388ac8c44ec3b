#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# soak.sh MINUTES [copy|gl] [OPTIONS]
#
# Runs random pipelines of our elements for MINUTES with memory watched (tests/soak/, which the
# OPTIONS go to: --seed S repeats a run) and exits 1 on an error, a critical log line, a hang or growth: of the process
# as a whole, or of the heap with each frame. --leak 150 shows the latter: each frame leaves 150 bytes behind.
# Calls of OpenCL fail in a fourth of the rounds, whose errors are as due; --faults 0: in none, and without the checker layer.
#   copy  PoCL computes and frames are copied; also what is taken where GLCL_GL_DRIVER is not set
#   gl    on the drivers that share textures whose env.sh is in the folder GLCL_GL_DRIVER
# GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
. "$(dirname "$0")/random.sh"
# Kernels that PoCL has compiled before, where somebody keeps them.
kept=${POCL_CACHE_DIR:-}
random_setup "$0" "$@"
[[ -z $kept ]] || export POCL_CACHE_DIR=$kept
# Growth is a sanitizer's own.
[[ -z ${ASAN_OPTIONS:-}${TSAN_OPTIONS:-} ]] || options+=(--limit 100000 --limit-a-frame 1e9)
preload=${SOAK_PRELOAD:-}
options=(--picture "$source_root/tests/layer/shape.png" "${options[@]}")
if [[ " ${options[*]} " != *' --faults 0 '* ]]; then
  export OPENCL_LAYERS=$build/tests/layer/libglcl-checker.so
  preload+=" $OPENCL_LAYERS"
  options=(--faults 25 "${options[@]}")
fi
LD_PRELOAD=$preload "$build/tests/soak" --minutes "$minutes" "${options[@]}"
