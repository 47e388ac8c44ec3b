#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# kernels.sh DRIVER [FOLDER]
#
# Builds the tests of kernels into FOLDER (by default build-kernels/) and runs them on one OpenCL driver.
# DRIVER is a file of /etc/OpenCL/vendors without its ending: pocl, rusticl, intel, amdocl64. Rusticl
# runs on llvmpipe unless RUSTICL_ENABLE selects devices. GLCL_TEST_DEVICE selects a device of the
# driver. The last line counts the programs. The exit status is 0 if all passed, 77 if the driver has no
# device.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 1 2 "$@"
icd=/etc/OpenCL/vendors/$1.icd
build=$(realpath -m "${2:-$source_root/build-kernels}")
[[ -e $icd ]] || wrong "$icd does not exist. Drivers of this machine: $(cd /etc/OpenCL/vendors 2>/dev/null && ls | sed -n 's/\.icd$//p' | xargs)"
install_missing
export OCL_ICD_VENDORS=$icd RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
build_folder "$build" tools/glcl-info -Dtests=enabled -Dtools=enabled -Dwerror=true
mapfile -t programs < <(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/kernels\/kernels-[a-z]*\): .*/\1/p' | sort -u)
build_folder "$build" "${programs[*]}"
headless_environment "$build/run"
