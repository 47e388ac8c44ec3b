#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# kernels.sh DRIVER [FOLDER]
#
# Builds the tests of kernels into FOLDER (by default build-kernels/) and runs them, and then a pipeline
# of each element, on one OpenCL driver. DRIVER is a file of /etc/OpenCL/vendors without its ending:
# pocl, rusticl, intel, amdocl64. If it is rusticl and missing, its package is installed. Rusticl runs
# on llvmpipe unless RUSTICL_ENABLE selects devices. GLCL_TEST_DEVICE selects a device of the driver
# for the tests of kernels. The last line counts the programs. The exit status is 0 if all passed.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 1 2 "$@"
vendors=/etc/OpenCL/vendors icd=/etc/OpenCL/vendors/$1.icd
build=$(realpath -m "${2:-$source_root/build-kernels}")
if [[ $1 == rusticl && ! -e $icd ]]; then
  install_packages mesa-opencl-icd
fi
[[ -e $icd ]] || wrong "$icd does not exist. Drivers of this machine: $(find $vendors -name '*.icd' -printf '%f ' 2>/dev/null | sed 's/\.icd\b//g')"
install_missing
export OCL_ICD_VENDORS=$icd RUSTICL_ENABLE=${RUSTICL_ENABLE:-llvmpipe}
[[ -z ${GLCL_POCL_CACHE:-} ]] || export POCL_CACHE_DIR=$GLCL_POCL_CACHE
build_folder "$build" gst/libgstglcl.so -Dtests=enabled -Dtools=disabled -Dwerror=true
mapfile -t programs < <(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/kernels\/kernels-[a-z]*\): .*/\1/p' | sort -u)
((${#programs[@]})) || die 'there are no tests of kernels'
layer=tests/layer/devices/libdevice-layer.so
build_folder "$build" "$layer ${programs[*]}"
headless_environment "$build/run"
export XDG_DATA_HOME=$build/run/data GLCL_SOURCE=$source_root GLCL_BUILD=$build GLCL_DEVICE_LAYER=$build/$layer CK_DEFAULT_TIMEOUT=600
failed=0 skipped=0
for program in "${programs[@]}"; do
  status=0
  timeout 1200 "$build/$program" >"$build/run/log" 2>&1 || status=$?
  case $status in
    0) result=passed ;;
    77) result="passed in part: $(sed -n 's/^SKIP: //p' "$build/run/log" | sort -u | paste -sd ';')" && ((++skipped)) ;;
    *) result="failed with status $status" && ((++failed)) ;;
  esac
  echo "${program##*/}: $result"
  ((status == 0 || status == 77)) || tail -n 40 "$build/run/log"
done
elements=passed
"$source_root/packaging/elements.sh" "$build" || elements=failed
echo "$((${#programs[@]} - failed)) of ${#programs[@]} programs passed, $skipped of them in part; pipelines of the elements: $elements"
((!failed)) && [[ $elements == passed ]]
