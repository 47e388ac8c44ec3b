# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Functions for the tests of this folder: they select drivers, and run programs under the layer.
# GLCL_LAYER is the file of the layer, GST_PLUGIN_PATH_1_0 the folder of the plugin under test.

export GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device LC_ALL=C
unset DISPLAY WAYLAND_DISPLAY
scratch=$(mktemp -d "${TMPDIR:-/tmp}/glcl-layer-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0

# use_driver DRIVER: selects drivers; skips if they are missing
#   gl        the drivers in GLCL_GL_DRIVER, which share textures
#   copy      PoCL
#   discrete  PoCL; the layer reports its devices as having discrete memory
#   egl       OpenGL of GLCL_GL_DRIVER and PoCL, for which the layer uses EGLImages; with GLCL_EGL_IMAGES=without-events
#             the host waits for OpenGL
#   external  with GLCL_GL_DRIVER its OpenGL and PoCL, for which the layer imports memory; else the machine's drivers
use_driver() {
  driver=$1
  export GLCL_DEVICES=0:0 # replaces DEVICES in a list
  if [ "$driver" = gl ] || [ "$driver" = egl ]; then
    if [ -z "${GLCL_GL_DRIVER:-}" ]; then
      echo "SKIP: GLCL_GL_DRIVER does not name drivers that share textures; tests/gl-driver/build.sh builds a pair"
      return 77
    fi
    # shellcheck source=/dev/null
    . "$GLCL_GL_DRIVER/env.sh"
    export GLCL_TEST_SHARING=$driver # for the element tests
    [ "$driver" = gl ] || export GLCL_EGL_IMAGES=${GLCL_EGL_IMAGES:-1} OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
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
  # Scripts that start each other share a registry, because scanning all plugins takes longer than a
  # run.
  export GLCL_REGISTRY=${GLCL_REGISTRY:-$scratch/registry}
  export GST_REGISTRY_1_0=$GLCL_REGISTRY-$driver.bin
  [ -n "${GLCL_EXPECTED:-}" ] || gst-inspect-1.0 glclinvert >/dev/null 2>"$scratch/inspect" || {
    echo "SKIP: glclinvert, which -Dexamples=true builds, is not in $GST_PLUGIN_PATH_1_0"
    return 77
  }
  if [ "$driver" = external ] && [ -z "${GLCL_GL_DRIVER:-}" ] && ! can_import; then
    echo "SKIP: the drivers of this machine cannot import textures, and GLCL_GL_DRIVER is not set"
    return 77
  fi
}

# can_import: succeeds if OpenCL imports textures of OpenGL with sharing=external
can_import() {
  GLCL_FAULT=count under_layer "$scratch/imports" gst-launch-1.0 -q gltestsrc num-buffers=2 ! glclinvert ! fakesink
  grep -q 'count clEnqueueAcquireExternalMemObjectsKHR' "$scratch/imports"
}

# under_layer LOG COMMAND...: runs the command with the layer for OpenCL and OpenGL, and with
# GStreamer's leaks tracer
under_layer() {
  local log=$1
  shift
  OPENCL_LAYERS=$GLCL_LAYER LD_PRELOAD=$GLCL_LAYER${LD_PRELOAD:+:$LD_PRELOAD} GST_TRACERS=leaks GST_DEBUG=GST_TRACER:7 \
    GST_DEBUG_FILE=$log.trace timeout -k 5 "${GLCL_TIMEOUT:-60}" "$@" >"$log" 2>&1
}

# reports_of LOG: prints the reports of the checker and the tracer about a run
reports_of() {
  grep '^glcl-checker:' "$1"
  grep -o 'object-alive, type-name=(string)[^%].*' "$1.trace" 2>/dev/null
}

fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}
