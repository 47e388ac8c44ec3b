#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# fuzz.sh MINUTES [copy|gl] [OPTIONS]
#
# Runs random chains of our elements for MINUTES, one after the other, with odd sizes, random properties, seeks, stops and
# late maps (tests/fuzz/, which the OPTIONS go to) and exits 1 on a crash, a hang, a critical log line, an error message
# without a good cause, or growth. What failed is told with the command that repeats it: --seed S --runs 1 --verbose.
#   copy  PoCL computes and frames are copied; also what is taken where GLCL_GL_DRIVER is not set
#   gl    on the drivers that share textures whose env.sh is in the folder GLCL_GL_DRIVER
# GLCL_BUILD is the build folder (build). With --faults OpenCL calls of all functions fail in most of the runs; with
# GLCL_FAULT (tests/layer/faults.h) those that it names. Any error message with a text will do then.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
. "$(dirname "$0")/random.sh"
# Kernels that PoCL has compiled before, where somebody keeps them.
kept=${POCL_CACHE_DIR:-}
random_setup "$0" "$@"
[[ -z $kept ]] || export POCL_CACHE_DIR=$kept
# Growth is a sanitizer's own.
[[ -z ${ASAN_OPTIONS:-}${TSAN_OPTIONS:-} ]] || options+=(--limit 100000 --heap-limit 100000)
preload=${FUZZ_PRELOAD:-${LD_PRELOAD:-}}
options+=(--picture "$source_root/tests/layer/shape.png")
if [[ -n ${GLCL_FAULT:-} || " ${options[*]} " == *' --faults '* ]]; then
  export OPENCL_LAYERS=$build/tests/layer/libglcl-checker.so
  preload+=" $OPENCL_LAYERS"
  options+=(--any-error)
fi
LD_PRELOAD=$preload "$build/tests/fuzz" --minutes "$minutes" --again "tests/fuzz.sh $minutes ${method:-copy}" "${options[@]}"
