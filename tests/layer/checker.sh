#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# checker.sh gl|copy|discrete|external [PROGRAM...]: test programs under the sharing checker, or else the pipelines of
# pipelines.list. Fails where it has anything to say, or saw nothing of the driver.
here=$(dirname "$(readlink -f "$0")")
. "$here/common.sh"
use_driver "$1" || exit
shift
export GLCL_FAULT=count
case "$*" in
  *sharing-sharing) ;;                    # works on the GL thread itself
  *) export GLCL_KERNELS_OFF_GL=1 ;;
esac
case $driver in
  gl) acquire=clEnqueueAcquireGLObjects ;;
  external) acquire=clEnqueueAcquireExternalMemObjectsKHR ;;
  copy | discrete) acquire= ;;
esac

verdict() { # NAME STATUS LOG
  local said
  said=$(complaints "$3" | head -3)
  if [ -n "$said" ]; then
    fail "$1: $said"
  elif [ "$2" != 0 ]; then
    fail "$1: status $2: $(grep -v '^glcl-fault:' "$3" | tail -40)"
  elif [ -n "$acquire" ] && ! grep -q "count $acquire" "$3"; then
    fail "$1: no texture was acquired"
  else
    echo "ok: $1"
  fi
}

runs=0
# Those of GLCL_FIRST, names separated by |, come first; with GLCL_ONLY no others do.
pipelines() {
  [ $# = 0 ] || return 0
  grep -E "^(${GLCL_ONLY:-${GLCL_FIRST:-#}}): " "$here/pipelines.list"
  [ -n "${GLCL_ONLY:-}" ] || grep -vE "^(#|(${GLCL_FIRST:-#}): )" "$here/pipelines.list"
}

while IFS=: read -r name pipeline; do
  pipeline=${pipeline//SRC/gltestsrc num-buffers=6 pattern=snow ! video/x-raw(memory:GLMemory),width=160,height=120}
  pipeline=${pipeline//RAW/videotestsrc num-buffers=6 pattern=snow ! video/x-raw,width=160,height=120}
  pipeline=${pipeline//OUT/gldownload ! video/x-raw ! fakesink}
  pipeline=${pipeline//HERE/$here}
  pipeline=${pipeline//DEVICES/$GLCL_DEVICES}
  read -ra words <<<"$pipeline"
  runs=$((runs + 1))
  under_layer "$scratch/log" gst-launch-1.0 -f -q "${words[@]}"
  verdict "$name" $? "$scratch/log"
  [ $failures != 0 ] && [ -n "${GLCL_STOP_AT_FIRST:-}" ] && break
done < <(pipelines "$@")

for program in "$@"; do
  runs=$((runs + 1))
  GLCL_TIMEOUT=600 under_layer "$scratch/log" "$program"
  status=$?
  verdict "$(basename "$program")" $status "$scratch/log"
done

[ $runs != 0 ] || fail 'nothing was run'
[ $failures = 0 ]
