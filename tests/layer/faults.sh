#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# faults.sh gl|copy|discrete|egl|external [OPTIONS] [NAME…]: lets OpenCL calls of pipelines fail
#
# Runs the pipelines of faults.list, or the named ones. In each run, one call or every call from some
# point on fails; runner/main.cpp lists the allowed outcomes. OPTIONS are
#   --all                the first, a middle and the last call of each OpenCL function fail
#   --sample N --seed S  N of these faults for each pipeline, chosen by the seed
#   soak --frames N [--run FRAMES] [--one-in N] [--seed S]  calls fail at random
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
# Rusticl keeps the contexts of released queues for new queues, and creates more while a release is
# pending.
export RUSTICL_DEBUG=no_reuse_context
unset MALLOC_PERTURB_ # llvmpipe of Mesa 22.3.6 crashes if it is set
log=${GLCL_FAULTS_LOG:-$scratch/log}
"$GLCL_RUNNER" "$mode" "$here/faults.list" "$@" 2>"$log" && exit
status=$?
grep -a '^glcl-checker:' "$log" | sort | uniq -c | head -20 # violations that the checker found
exit "$status"
