#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs a test on a pair of OpenGL and OpenCL drivers that share textures, so that sharing=auto takes
# the `gl` way. GLCL_GL_DRIVER is the folder of the pair; its env.sh selects both drivers.
set -eu

if [ -z "${GLCL_GL_DRIVER:-}" ]; then
  echo "SKIP: GLCL_GL_DRIVER is not set to the folder of OpenGL and OpenCL drivers that share textures"
  exit 77
fi

unset OCL_ICD_VENDORS
# shellcheck source=/dev/null
. "$GLCL_GL_DRIVER/env.sh"
export GLCL_TEST_SHARING=gl
export GST_REGISTRY_1_0="${GST_REGISTRY_1_0:-${XDG_RUNTIME_DIR:-/tmp}/registry.bin}.gl"
exec "$@"
