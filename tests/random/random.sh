#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# random.sh soak|fuzz MINUTES [copy|gl] [OPTIONS]
#
# Runs random pipelines of our elements for MINUTES (tests/random/, which the OPTIONS go to) and exits 1 on a crash, a hang, a
# critical log line, an error without a good cause, or growth. A failure is printed with the command that repeats it.
#   soak  one to three at once, as applications play them. --leak 150 shows how growth is noticed: each frame leaves 150 bytes behind;
#         --leak-a-pipeline 200000: each pipeline as many
#         Calls of OpenCL fail in a fourth of the rounds; --faults 0: in none, and without the checker layer
#   fuzz  one after the other, with odd sizes, any properties, and stops at any moment. With --faults 90 calls of OpenCL fail in most
#         of the rounds, with GLCL_FAULT (tests/layer/faults.h) those that it names; any error message with a text will do then
#   copy  PoCL computes and frames are copied; also what is taken where GLCL_GL_DRIVER is not set
#   gl    on the drivers that share textures whose env.sh is in the folder GLCL_GL_DRIVER
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
# Kernels that PoCL has compiled before, where somebody keeps them.
kept=${POCL_CACHE_DIR:-}
headless_environment "$run"
[[ -z $kept ]] || export POCL_CACHE_DIR=$kept
export GST_PLUGIN_PATH_1_0=$build/gst OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
# With an arena for each of the many threads the allocator alone grows by 80 MiB in 17 minutes.
export MALLOC_ARENA_MAX=2
# meson test sets it, and llvmpipe of Mesa 22.3.6 crashes with it in texture uploads, without our elements too.
unset MALLOC_PERTURB_
if [[ $method == gl ]]; then
  [[ -f ${GLCL_GL_DRIVER:-}/env.sh ]] || { echo 'SKIP: GLCL_GL_DRIVER names no drivers that share textures'; exit 77; }
  # shellcheck source=/dev/null
  . "$GLCL_GL_DRIVER/env.sh"
  # Two GL contexts that draw at once make llvmpipe of Mesa 25.0.7 wait for ever for a fence.
  options+=(--one-display)
  # rusticl keeps more of each pipeline than PoCL.
  [[ $mix == fuzz ]] || options=(--limit-a-pipeline 32 "${options[@]}")
  # Its rusticl keeps the contexts of dropped queues for new ones, and makes more while a drop is still under way.
  export RUSTICL_DEBUG=no_reuse_context
fi
# Growth is a sanitizer's own.
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
