#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# elements.sh [FOLDER]
#
# Builds the plugin into FOLDER (by default build-elements/) and runs a pipeline of each element.
# Elements that can attach results do so; if GStreamer has tensors and analytics, an example reads them.
# The last line counts the elements. The exit status is 0 if all ran.
set -euo pipefail
. "$(dirname "$0")/../pipelines/setup.sh"
arguments 0 1 "$@"
build=$(realpath -m "${1:-$source_root/build-elements}")
install_missing
build_folder "$build" gst/libgstglcl.so -Dtests=disabled -Dtools=disabled -Dwerror=true
[[ -z ${GLCL_POCL_CACHE:-} ]] || export POCL_CACHE_DIR=$GLCL_POCL_CACHE
headless_environment "$build/run"
export GST_PLUGIN_PATH_1_0=$build/gst
mapfile -t elements < <(gst-inspect-1.0 glcl | sed -n 's/^  \(gl[a-z]*\): .*/\1/p')
((${#elements[@]})) || { gst-inspect-1.0 -b; die 'the plugin has no elements'; }
gst-launch-1.0 --version | sed -n 2p
failed=0
for element in "${elements[@]}"; do
  words=("$element")
  [[ $(gst-inspect-1.0 "$element") != *attach-meta* ]] || words+=(attach-meta=true)
  if timeout 300 gst-launch-1.0 -q gltestsrc pattern=snow num-buffers=5 ! 'video/x-raw(memory:GLMemory),width=320,height=240' ! \
    "${words[@]}" ! gldownload ! fakesink >"$build/run/log" 2>&1; then
    echo "${words[*]}: runs"
  else
    ((++failed))
    echo "${words[*]}: failed"
    tail -n 40 "$build/run/log"
  fi
done
# The example is a target only if GStreamer has its own metas for results.
if [[ $(ninja -C "$build" -t targets all) == *$'\n'examples/analytics:* ]]; then
  with_progress ninja -C "$build" examples/analytics
  GLCL_SOURCE=$source_root GLCL_BUILD=$build "$source_root/tests/examples/examples.sh" analytics || ((++failed))
else
  echo 'the example analytics was not run: it needs GStreamer 1.26 and libgstreamer-plugins-bad1.0-dev'
fi
echo "$((${#elements[@]} - failed)) of ${#elements[@]} elements run"
((!failed))
