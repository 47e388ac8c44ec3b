#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh PROGRAM [ARGUMENTS]: runs a test on the pair of drivers that share textures in the folder GLCL_GL_DRIVER, where sharing=auto
# takes the method `gl`. The folder's env.sh selects both drivers.
set -eu

if [ -z "${GLCL_GL_DRIVER:-}" ]; then
  echo "SKIP: GLCL_GL_DRIVER names no drivers that share textures; tests/gl-driver/build.sh builds a pair"
  exit 77
fi

unset OCL_ICD_VENDORS
# shellcheck source=/dev/null
. "$GLCL_GL_DRIVER/env.sh"
export GLCL_TEST_SHARING=gl
export GST_REGISTRY_1_0="${GST_REGISTRY_1_0:-${XDG_RUNTIME_DIR:-/tmp}/registry.bin}.gl"
exec "$@"
