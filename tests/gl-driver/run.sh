#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# run.sh PROGRAM [ARGUMENTS]: runs a test on drivers that share textures
#
# The folder GLCL_GL_DRIVER contains the drivers and env.sh, which selects them. With these drivers,
# sharing=auto selects the method `gl`.
set -eu

if [ -z "${GLCL_GL_DRIVER:-}" ]; then
  echo "SKIP: GLCL_GL_DRIVER does not name drivers that share textures; tests/gl-driver/build.sh builds a pair"
  exit 77
fi

unset OCL_ICD_VENDORS
# shellcheck source=/dev/null
. "$GLCL_GL_DRIVER/env.sh"
export GLCL_TEST_SHARING=gl
export GST_REGISTRY_1_0="${GST_REGISTRY_1_0:-${XDG_RUNTIME_DIR:-/tmp}/registry.bin}.gl"
exec "$@"
