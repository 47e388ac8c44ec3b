#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# soak.sh MINUTES [copy|gl] [OPTIONS]
#
# Runs random pipelines of our elements for MINUTES with memory watched (tests/soak/, which the
# OPTIONS go to: --seed S repeats a run) and exits 1 on an error, a critical log line, a hang or growth: of the process
# as a whole, or of the heap with each frame. --leak 150 shows the latter: each frame leaves 150 bytes behind.
#   copy  PoCL computes and frames are copied; also what is taken where GLCL_GL_DRIVER is not set
#   gl    on the drivers that share textures whose env.sh is in the folder GLCL_GL_DRIVER
# GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
. "$(dirname "$0")/random.sh"
random_setup "$0" "$@"
# Growth is a sanitizer's own.
[[ -z ${ASAN_OPTIONS:-}${TSAN_OPTIONS:-} ]] || options+=(--limit 100000 --limit-a-frame 1e9)
LD_PRELOAD=${SOAK_PRELOAD:-} "$build/tests/soak" --minutes "$minutes" "${options[@]}"
