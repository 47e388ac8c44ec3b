# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2034
# Sourced by soak.sh and fuzz.sh after pipelines/setup.sh: what both take and set.

# random_setup NAME MINUTES [copy|gl] [OPTIONS]: the environment of a sharing method; sets minutes, method, build and options, what is
# to go to the program. Exits where the method can't be had.
random_setup() {
  case ${2:-} in
    '' | -*) usage "$1"; exit 2 ;;
  esac
  minutes=$2
  shift 2
  method=${GLCL_GL_DRIVER:+gl}
  case ${1:-} in
    copy | gl) method=$1; shift ;;
  esac
  options=("$@")
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
  if [[ $method == gl ]]; then
    [[ -f ${GLCL_GL_DRIVER:-}/env.sh ]] || { echo 'SKIP: GLCL_GL_DRIVER names no drivers that share textures'; exit 77; }
    # shellcheck source=/dev/null
    . "$GLCL_GL_DRIVER/env.sh"
    # Two GL contexts that draw at once make llvmpipe of Mesa 25.0.7 wait for ever for a fence.
    options+=(--one-display)
    # Its rusticl keeps the contexts of dropped queues for new ones, and makes more while a drop is still under way.
    export RUSTICL_DEBUG=no_reuse_context
  fi
}
