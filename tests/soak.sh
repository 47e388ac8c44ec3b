#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# soak.sh MINUTES [copy|gl] [OPTIONS]
#
# Runs random pipelines of our elements for MINUTES with memory watched (tests/soak/, which the
# OPTIONS go to: --seed S repeats a run) and exits 1 on an error, a critical log line, a hang or growth.
#   copy  PoCL computes and frames are copied; also what is taken where GLCL_GL_DRIVER is not set
#   gl    on the drivers that share textures whose env.sh is in the folder GLCL_GL_DRIVER
# GLCL_BUILD is the build folder (build).
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
case ${1:-} in
  '' | -*) usage "$0"; exit 2 ;;
esac
minutes=$1
shift
way=${GLCL_GL_DRIVER:+gl}
case ${1:-} in
  copy | gl) way=$1; shift ;;
esac
build=$(cd "$build" && pwd)

run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
unset GST_REGISTRY_1_0
headless_environment "$run"
export GST_PLUGIN_PATH_1_0=$build/gst OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
# With an arena for each of the many threads the allocator alone grows by 80 MiB in 17 minutes.
export MALLOC_ARENA_MAX=2
# meson test sets it, and llvmpipe of Mesa 22.3.6 crashes with it in texture uploads, without our elements too.
unset MALLOC_PERTURB_
if [[ $way == gl ]]; then
  [[ -f ${GLCL_GL_DRIVER:-}/env.sh ]] || { echo 'SKIP: GLCL_GL_DRIVER names no drivers that share textures'; exit 77; }
  # shellcheck source=/dev/null
  . "$GLCL_GL_DRIVER/env.sh"
  # Two GL contexts that draw at once make llvmpipe of Mesa 25.0.7 wait for ever for a fence.
  set -- --one-display "$@"
  # Its rusticl keeps the contexts of dropped queues for new ones, and makes more while a drop is still under way.
  export RUSTICL_DEBUG=no_reuse_context
fi
LD_PRELOAD=${SOAK_PRELOAD:-} "$build/tests/soak" --minutes "$minutes" "$@"
