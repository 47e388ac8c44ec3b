#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# glcl-info.sh: checks text, JSON and exit status of glcl-info, with and without OpenCL and OpenGL
set -euo pipefail
info=$GLCL_BUILD/tools/glcl-info
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

die() {
  echo "glcl-info.sh: $*" >&2
  cat output errors >&2
  exit 1
}

# expect STATUS [VARIABLE=VALUE...] -- [OPTIONS...]: glcl-info exits with the status; its output goes to
# the files output and errors
expect() {
  local wanted=$1 status=0 variables=()
  for (( ; ; )); do
    shift
    [[ $1 != -- ]] || break
    variables+=("$1")
  done
  shift
  echo "${variables[*]} glcl-info $*"
  timeout 60 env "${variables[@]}" "$info" "$@" >output 2>errors || status=$?
  ((status == wanted)) || die "exit status $status, expected $wanted"
}

says() {
  tr -s ' \n' '  ' <output | grep -qF -- "$1" || die "does not say: $1"
}

is_json() {
  [[ ! -s errors ]] || die 'writes to standard error'
  if command -v python3 >/dev/null; then
    python3 -m json.tool output >/dev/null || die 'is not JSON'
  else
    echo 'SKIP: python3, which parses the JSON, is not installed'
  fi
}

no_line_over_100() {
  ! grep -qE '.{101}' output || die 'a line is wider than 100 columns'
}

expect 0 --
no_line_over_100
says 'opengl3'
says '0:0'
says 'does not offer cl_khr_gl_sharing'
[[ ! -s errors ]] || die 'writes to standard error'

expect 0 -- --json
is_json
says '"usable": true'
says '"needs-environment": {}'
says '"id": "0:0"'
says '"copy": true'
says '"gl": false'
says 'does not offer cl_khr_gl_sharing"'
says '"sharing": "copy"'

expect 0 --unset=GST_GL_PLATFORM --unset=GST_GL_WINDOW --unset=DISPLAY --unset=WAYLAND_DISPLAY -- --json
is_json
if grep -q '"GST_GL_PLATFORM": "egl"' output; then
  says 'set these variables to run the elements without a display'
else
  echo 'SKIP: advice for a machine without a display, because there is one'
fi

expect 1 OCL_ICD_VENDORS=/nonexistent --
says 'pocl-opencl-icd'
says 'only looks for drivers in OCL_ICD_VENDORS=/nonexistent'
expect 1 OCL_ICD_VENDORS=/nonexistent -- --json
is_json
says '"usable": false'
says 'pocl-opencl-icd'

[[ -f $GLCL_WITHOUT_LOADER ]] || die "$GLCL_WITHOUT_LOADER is not built"
expect 1 LD_AUDIT="$GLCL_WITHOUT_LOADER" --
says "The OpenCL loader libOpenCL.so.1 can't be opened. Install the package ocl-icd-libopencl1."
expect 1 LD_AUDIT="$GLCL_WITHOUT_LOADER" -- --json
is_json
says '"platforms": []'

expect 1 POCL_CACHE_DIR=/proc/nowhere --
says "without devices: PoCL offers no device because it can't write to its cache /proc/nowhere (set by POCL_CACHE_DIR): set"
if grep -q 'pocl-opencl-icd' output; then die 'advises to install an installed driver'; fi

# In an existing folder that is not writable, PoCL lists its device.
expect 1 POCL_CACHE_DIR=/sys --
says "0:0 can't run the elements: PoCL can't write to its cache /sys (set by POCL_CACHE_DIR)"
says 'No OpenCL device can run the elements: 0:0'
if grep -q 'pocl-opencl-icd' output; then die 'advises to install an installed driver'; fi
expect 1 POCL_CACHE_DIR=/sys -- --json
is_json
says '"usable": false'
says '"obstacle": "PoCL'
if unshare --mount true 2>/dev/null; then
  mkdir full
  expect 1 POCL_CACHE_DIR="$work/full" \
    unshare --mount sh -c 'mount -t tmpfs -o size=64k none full && exec "$@"' sh --
  says '(No space left on device)'
else
  echo 'SKIP: a full file system, because only root can mount one'
fi

layer=$GLCL_BUILD/tests/layer/devices/libdevice-layer.so
expect 0 OPENCL_LAYERS="$layer" POCL_DEVICES='basic pthread' GLCL_TEST_LACKS=images --
says "0:0 can't run the elements: it does not support images"
says '0:1'
expect 0 OPENCL_LAYERS="$layer" POCL_DEVICES='basic pthread' GLCL_TEST_LACKS=items -- --json
is_json
says '"shortage": "its work-groups have 64 work-items at most'

for window in GST_GL_WINDOW=egl-device --unset=GST_GL_WINDOW; do
  expect 1 --unset=DISPLAY --unset=WAYLAND_DISPLAY "$window" __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent --
  no_line_over_100
  says 'GST_GL_PLATFORM=egl GST_GL_WINDOW=egl-device'
  says 'libgl1-mesa-dri'
done
expect 1 OCL_ICD_VENDORS=/nonexistent __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent -- --json
is_json
says '"contexts": []'
says '"platforms": []'

# In a sandbox of Flatpak no package of the system helps.
expect 1 FLATPAK_ID=org.example.Player OCL_ICD_VENDORS=/nonexistent __EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent --
no_line_over_100
says 'No OpenCL device was found. In a Flatpak sandbox '
says 'RUSTICL_ENABLE='
says 'org.freedesktop.Platform.GL.default'
if grep -qE 'pocl-opencl-icd|libgl1-mesa-dri' output; then die 'advises to install a package, which a sandbox does not see'; fi

expect 0 -- --version
grep -qx 'glcl-info [0-9.]*' output || die 'has no version'
for option in --json --help --version; do
  status=0
  timeout 60 "$info" "$option" >/dev/full 2>errors || status=$?
  ((status == 1)) || die "exit status $status of $option on a full disk"
  grep -q "standard output can't be written" errors || die 'does not say that the disk is full'
done
expect 2 -- --verbose
grep -q 'unknown option --verbose; the options are --json, --help and --version' errors || die 'does not name the option'
[[ ! -s output ]] || die 'writes to standard output'
expect 0 -- --help
says 'Usage: glcl-info'

if [[ ${GLCL_GL_DRIVER:-} ]]; then
  # shellcheck source=/dev/null
  . "$GLCL_GL_DRIVER/env.sh"
  expect 0 -- --json
  is_json
  says '"gl": true'
  says '"sharing": "gl"'
  expect 1 --unset=RUSTICL_ENABLE --
  says 'RUSTICL_ENABLE='
else
  echo 'SKIP: sharing=gl, because GLCL_GL_DRIVER does not name drivers that support it'
fi
