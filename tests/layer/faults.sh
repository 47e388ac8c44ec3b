#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# faults.sh gl|copy|discrete|external [--all | --sample N --seed S] [NAME…]: makes calls of the OpenCL functions that the pipelines of
# faults.list need fail, one a run (runner/main.cpp says what a run must end with): the first, a middle and the last call of
# each function with --all, else a sample for each pipeline.
# faults.sh gl|copy|discrete|external soak --frames N [--run FRAMES] [--one-in N] [--seed S] [NAME…]: lets calls fail at random.
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
use_driver "$1" || exit
shift
mode=table
if [ "${1:-}" = soak ]; then
  mode=soak
  shift
fi
export OPENCL_LAYERS=$GLCL_LAYER LD_PRELOAD=$GLCL_LAYER MALLOC_ARENA_MAX=2
# Rusticl keeps the contexts of dropped queues for new ones, and makes more while a drop is still under way.
export RUSTICL_DEBUG=no_reuse_context
unset MALLOC_PERTURB_ # llvmpipe of Mesa 22.3.6 crashes with it
log=${GLCL_FAULTS_LOG:-$scratch/log}
"$GLCL_RUNNER" "$mode" "$here/faults.list" "$@" 2>"$log" && exit
status=$?
grep -a '^glcl-checker:' "$log" | sort | uniq -c | head -20 # the violations, where there are any
exit "$status"
