# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Sourced by the tests of this folder: drivers, and runs under the layer. GLCL_LAYER is the layer's file,
# GST_PLUGIN_PATH_1_0 the folder of the plugin under test.

export GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device LC_ALL=C
unset DISPLAY WAYLAND_DISPLAY
scratch=$(mktemp -d "${TMPDIR:-/tmp}/glcl-layer-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# use_driver gl|copy|discrete|external: a driver that shares textures, where one is known; PoCL; PoCL where the layer has
# devices say that their memory is their own; the machine's own, or, where a driver that shares is known, its OpenGL and
# PoCL, which the layer makes import its memory.
use_driver() {
  driver=$1
  export GLCL_DEVICES=0:0 # what DEVICES in a list stands for
  if [ "$driver" = gl ]; then
    if [ -z "${GLCL_GL_DRIVER:-}" ]; then
      echo "SKIP: GLCL_GL_DRIVER names no drivers that share textures; tests/gl-driver/build.sh builds a pair"
      return 77
    fi
    # shellcheck source=/dev/null
    . "$GLCL_GL_DRIVER/env.sh"
    export GLCL_TEST_SHARING=gl # for the element tests
  elif [ "$driver" = external ]; then
    export GLCL_TEST_SHARING=external
    if [ -n "${GLCL_GL_DRIVER:-}" ]; then
      # shellcheck source=/dev/null
      . "$GLCL_GL_DRIVER/env.sh"
      export GLCL_IMPORTS=1 OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
    fi
  else
    [ "$driver" = discrete ] && export GLCL_DISCRETE_MEMORY=1
    export POCL_DEVICES='pthread pthread' GLCL_DEVICES=0:0,0:1
    export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors/pocl.icd}
  fi
  # Scanning all plugins takes longer than a run: scripts that start each other share what was found.
  export GLCL_REGISTRY=${GLCL_REGISTRY:-$scratch/registry}
  export GST_REGISTRY_1_0=$GLCL_REGISTRY-$driver.bin
  [ -n "${GLCL_EXPECTED:-}" ] || gst-inspect-1.0 glclinvert >/dev/null 2>"$scratch/inspect" || {
    echo "SKIP: glclinvert, which -Dexamples=true builds, is not in $GST_PLUGIN_PATH_1_0"
    return 77
  }
  if [ "$driver" = external ] && [ -z "${GLCL_GL_DRIVER:-}" ] && ! imports; then
    echo "SKIP: the drivers of this machine don't import textures, and GLCL_GL_DRIVER does not name others"
    return 77
  fi
}

# Whether OpenCL takes OpenGL's textures by the way external.
imports() {
  GLCL_FAULT=count under_layer "$scratch/imports" gst-launch-1.0 -q gltestsrc num-buffers=2 ! glclinvert ! fakesink
  grep -q 'count clEnqueueAcquireExternalMemObjectsKHR' "$scratch/imports"
}

# under_layer LOG COMMAND...: with the layer on both sides and GStreamer's leaks tracer.
under_layer() {
  local log=$1
  shift
  OPENCL_LAYERS=$GLCL_LAYER LD_PRELOAD=$GLCL_LAYER${LD_PRELOAD:+:$LD_PRELOAD} GST_TRACERS=leaks GST_DEBUG=GST_TRACER:7 \
    GST_DEBUG_FILE=$log.trace timeout -k 5 "${GLCL_TIMEOUT:-30}" "$@" >"$log" 2>&1
}

# complaints LOG: what checker and tracer have to say about a run.
complaints() {
  grep '^glcl-checker:' "$1"
  grep -o 'object-alive, type-name=(string)[^%].*' "$1.trace" 2>/dev/null
}

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}
