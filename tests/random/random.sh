#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# random.sh soak|fuzz MINUTES [copy|gl] [OPTIONS]
#
# Runs random pipelines of gst-glcl elements for MINUTES, and passes OPTIONS to the program of
# tests/random/. It exits with 1 on a crash, a hang, a critical log line, an unexpected error, or memory
# growth. It prints the command that repeats a failure.
#   soak  plays one to three pipelines at once, as applications do. OpenCL calls fail in a fourth of the rounds;
#         --faults 0 disables that, and the checker layer.
#         --leak 150 tests the detection of growth: each frame leaks 150 bytes.
#         --leak-a-pipeline 200000 does the same per pipeline.
#   fuzz  plays one pipeline after the other, with odd sizes, arbitrary properties, and stops at any moment.
#         With --faults 90, OpenCL calls fail in most rounds; with GLCL_FAULT (tests/layer/faults.h), the named calls
#         fail. Any error message with a text is accepted then.
#   copy  runs kernels with PoCL and copies frames (the default if GLCL_GL_DRIVER is not set)
#   gl    uses the drivers that share textures in the folder GLCL_GL_DRIVER
# GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../../pipelines/setup.sh"
mix=${1:-} minutes=${2:-}
case $mix,$minutes in
  *, | *,-*) usage "$0"; exit 2 ;;
  soak,* | fuzz,*) shift 2 ;;
  *) usage "$0"; exit 2 ;;
esac
method=${GLCL_GL_DRIVER:+gl}
case ${1:-} in
  copy | gl) method=$1; shift ;;
esac
options=(--picture "$source_root/tests/layer/shape.png" "$@")
build=$(cd "$build" && pwd)

run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
unset GST_REGISTRY_1_0
# An existing POCL_CACHE_DIR with compiled kernels stays in use.
kept=${POCL_CACHE_DIR:-}
headless_environment "$run"
[[ -z $kept ]] || export POCL_CACHE_DIR=$kept
export GST_PLUGIN_PATH_1_0=$build/gst OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
# `meson test` sets this variable, with which texture uploads of llvmpipe in Mesa 22.3.6 crash, also
# without gst-glcl.
unset MALLOC_PERTURB_
if [[ $method == gl ]]; then
  [[ -f ${GLCL_GL_DRIVER:-}/env.sh ]] || { echo 'SKIP: GLCL_GL_DRIVER does not name drivers that share textures'; exit 77; }
  # shellcheck source=/dev/null
  . "$GLCL_GL_DRIVER/env.sh"
  # If two GL contexts draw at once, llvmpipe of Mesa 25.0.7 may wait forever for a fence.
  options+=(--one-display)
  # Rusticl keeps more memory per pipeline than PoCL.
  [[ $mix == fuzz ]] || options=(--limit-a-pipeline 32 "${options[@]}")
  # Rusticl keeps the contexts of released queues for new queues, and creates more while a release is
  # pending.
  export RUSTICL_DEBUG=no_reuse_context
fi
# Programs that a CPU's context keeps would look like growth: PoCL's take several MiB.
kept_programs=0
[[ $mix == soak ]] || kept_programs=2
export GLCL_KEPT_PROGRAMS=${GLCL_KEPT_PROGRAMS:-$kept_programs}
# The memory of sanitizers grows too, so growth is not checked with them.
[[ -z ${ASAN_OPTIONS:-}${TSAN_OPTIONS:-} ]] || options+=(--limit 100000 --heap-limit 100000 --limit-a-frame 1e9 --limit-a-pipeline 1e9)
[[ $mix == fuzz ]] || options=(--faults 25 "${options[@]}")
preload=${RANDOM_PRELOAD:-${LD_PRELOAD:-}}
if [[ -n ${GLCL_FAULT:-} || (" ${options[*]} " == *' --faults '* && " ${options[*]} " != *' --faults 0 '*) ]]; then
  export OPENCL_LAYERS=$build/tests/layer/libglcl-checker.so
  preload+=" $OPENCL_LAYERS"
  [[ $mix != fuzz ]] || options+=(--any-error)
fi
LD_PRELOAD=$preload "$build/tests/random/random-pipelines" "$mix" --minutes "$minutes" --again "tests/random/random.sh $mix $minutes ${method:-copy}" \
  "${options[@]}"
