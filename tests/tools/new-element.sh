#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# new-element.sh: what tools/new-element writes into a copy of the tree builds and passes its tests
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$GLCL_SOURCE" --exclude='./build*' --exclude=./.git --exclude=./demo --exclude='./.g*' --exclude=./scratch -cf - . | tar -C "$work" -xf -
cd "$work"

if tools/new-element Bad-name >/dev/null; then
  echo 'new-element takes a name that it must not'
  exit 1
fi
tools/new-element negative
if tools/new-element negative 2>error || ! grep -q 'gst/negative is there already' error; then
  echo 'new-element writes over an element'
  exit 1
fi
# None of the others' tests; with ccache as the tree itself is built, so that most is there already, else quickly.
read -ra options <<<"${GLCL_TEST_OPTIONS:-}"
if ! command -v ccache >/dev/null; then
  export CXXFLAGS='-O0 -g0'
  options+=(--buildtype=plain)
fi
meson setup build -Dtests=enabled -Dtools=disabled "${options[@]}" >/dev/null
ninja -C build gst/libgstglcl.so tests/kernels/kernels-negative tests/elements/elements-negative >build.log || {
  tail -n 50 build.log
  exit 1
}
export GST_PLUGIN_PATH_1_0=$work/build/gst GST_REGISTRY_1_0=$work/registry.bin GLCL_SOURCE=$work GLCL_BUILD=$work/build
build/tests/kernels/kernels-negative
build/tests/elements/elements-negative
"$work/pipelines/negative.sh" 2>/dev/null && exit 1 # a recipe wants a file
gst-inspect-1.0 glclnegative | grep strength >/dev/null # all of it is read: no SIGPIPE
